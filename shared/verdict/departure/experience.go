package departure

import (
	"fmt"
	"math"

	"verdetto/shared/fare/packed"
)

// Experience is what the score of a service says to its own answers, as of the
// last whole week that was counted; see package score, which makes it. Answers
// without any are those of the rule alone.
type Experience struct {
	Curves [horizons]Curve  // bring the rule's chances to what came of earlier ones
	Bands  [horizons][]Band // what came of who waited, for each two of RecordEdges; without cases where too little is known
	// The reliabilities, alta first, that were overconfident: of departures and of routes.
	Doubted, RouteDoubted [3]bool
	// WeeksOut is how many weeks in a row, the last one among them, the verdicts lay outside of the
	// band in which they should.
	WeeksOut int
}

// CurveSteps is how many steps of equal width a curve has.
const CurveSteps = 20

// Curve brings a chance to what came of such chances before: to each step's value
// in the middle of the step, and in a straight line between. It rises. The zero
// Curve changes nothing.
type Curve [CurveSteps]float64

// StepMiddle is the chance in the middle of a step.
func StepMiddle(step int) float64 { return (float64(step) + .5) / CurveSteps }

// Of is what a chance becomes.
func (c *Curve) Of(chance float64) float64 {
	if *c == (Curve{}) {
		return chance
	}
	x := chance*CurveSteps - .5
	i := int(math.Floor(x))
	switch {
	case i < 0: // nothing stays nothing
		return c[0] * chance / StepMiddle(0)
	case i >= CurveSteps-1:
		return min(1, c[CurveSteps-1]+chance-StepMiddle(CurveSteps-1))
	}
	return c[i] + (x-float64(i))*(c[i+1]-c[i])
}

// Told is a chance of a fall as it is told: the rule's own, brought to what came of earlier ones.
func (e *Experience) Told(h Horizon, chance float64) float64 {
	if e == nil {
		return chance
	}
	return e.Curves[h].Of(chance)
}

// Band is what came of waiting at a chance: by the service's own score, for the
// chance as it is told; where that knows too little, by the recorded panels, for the rule's own.
func (e *Experience) Band(h Horizon, own float64) Band {
	if e != nil && len(e.Bands[h]) > 0 {
		if b := e.Bands[h][place(e.Told(h, own), RecordEdges[1:len(RecordEdges)-1])]; b.Cases > 0 {
			return b
		}
	}
	return Recorded().Band(h, own)
}

const experienceFormat = 1

// encode packs an experience into half a kilobyte; nothing where there is none.
func (e *Experience) encode() []byte {
	if e == nil {
		return nil
	}
	w := packed.NewWriter(experienceFormat, 512)
	for h := range horizons {
		w.Float32(e.Curves[h][:]...)
		w.Uint(uint64(len(e.Bands[h])))
		for _, b := range e.Bands[h] {
			if w.Uint(uint64(b.Cases)); b.Cases > 0 {
				w.Float32(b.Fell, b.Rose, b.Mean, b.Low, b.High, b.Dearer)
			}
		}
	}
	doubted := uint64(0)
	for i := range e.Doubted {
		for _, is := range []bool{e.Doubted[i], e.RouteDoubted[i]} {
			doubted *= 2
			if is {
				doubted++
			}
		}
	}
	w.Uint(doubted)
	w.Uint(uint64(e.WeeksOut))
	return w
}

func decodeExperience(data []byte) (*Experience, error) {
	if len(data) == 0 {
		return nil, nil
	}
	r := packed.NewReader(data, experienceFormat)
	e := new(Experience)
	for h := range horizons {
		before := 0.
		for i := range e.Curves[h] {
			v := r.Float32()
			if v < before || v > 1 {
				r.Fail(errRange)
			}
			e.Curves[h][i], before = v, v
		}
		n := r.Uint()
		if n != 0 && n != uint64(len(RecordEdges)-1) {
			r.Fail(errRange)
			break
		}
		for i := range n {
			b := Band{From: RecordEdges[i], To: RecordEdges[i+1], Cases: int(min(r.Uint(), math.MaxInt32)), Panels: 1}
			if b.Cases > 0 {
				b.Fell, b.Rose, b.Mean, b.Low, b.High, b.Dearer = r.Float32(), r.Float32(), r.Float32(),
					r.Float32(), r.Float32(), r.Float32()
			}
			e.Bands[h] = append(e.Bands[h], b)
		}
	}
	doubted := r.Uint()
	for i := len(e.Doubted) - 1; i >= 0; i-- {
		for _, is := range []*bool{&e.RouteDoubted[i], &e.Doubted[i]} {
			*is = doubted%2 == 1
			doubted /= 2
		}
	}
	e.WeeksOut = int(min(r.Uint(), 1<<16))
	if err := r.Err(); err != nil {
		return nil, fmt.Errorf("decode experience: %w", err)
	}
	return e, nil
}
