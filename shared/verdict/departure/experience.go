package departure

import (
	"math"

	"verdetto/shared/fare/packed"
)

// Experience corrects answers by what the score has learned from earlier answers and their
// outcomes.
type Experience struct {
	Curves   [horizons]Curve
	Bands    [horizons][]Band // empty, or one for each range of RecordEdges; Band.Cases is 0 if there are too few cases
	Doubted  [3]bool          // by certainty (alta, media, bassa): whether the certainty proved too high
	WeeksOut int
}

const CurveSteps = 20

// Curve maps the rule's chance of a fall to the observed share of falls. Each value is for the
// middle of its range. The zero Curve changes nothing.
type Curve [CurveSteps]float64

func StepMiddle(step int) float64 { return (float64(step) + .5) / CurveSteps }

func (c *Curve) Apply(chance float64) float64 {
	if *c == (Curve{}) {
		return chance
	}
	x := chance*CurveSteps - .5
	i := int(math.Floor(x))
	switch {
	case i < 0:
		return c[0] * chance / StepMiddle(0)
	case i >= CurveSteps-1:
		return min(1, c[CurveSteps-1]+chance-StepMiddle(CurveSteps-1))
	}
	return c[i] + (x-float64(i))*(c[i+1]-c[i])
}

// If e is nil, Calibrate returns chance.
func (e *Experience) Calibrate(h Horizon, chance float64) float64 {
	if e == nil {
		return chance
	}
	return e.Curves[h].Apply(chance)
}

// Band takes the rule's chance before calibration. It uses the service's own score if that has
// enough cases, otherwise the Record.
func (e *Experience) Band(h Horizon, chance float64) Band {
	if e != nil && len(e.Bands[h]) > 0 {
		if b := e.Bands[h][place(e.Calibrate(h, chance), RecordEdges[1:len(RecordEdges)-1])]; b.Cases > 0 {
			return b
		}
	}
	return Recorded().Band(h, chance)
}

const experienceFormat = 1

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
	for _, is := range e.Doubted {
		doubted = 2*doubted + packed.Bit(is)
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
				r.Fail(packed.ErrRange)
			}
			e.Curves[h][i], before = v, v
		}
		n := r.Uint()
		if n != 0 && n != uint64(len(RecordEdges)-1) {
			r.Fail(packed.ErrRange)
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
		e.Doubted[i] = doubted%2 == 1
		doubted /= 2
	}
	e.WeeksOut = int(min(r.Uint(), 1<<16))
	return e, r.ErrIn("experience")
}
