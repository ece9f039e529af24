package score

import "verdetto/shared/verdict/departure"

// curvePrior is the number of assumed cases per step of the curve. The assumed cases fall exactly
// as often as the rule predicts, so they pull the curve towards the rule. Real cases of one week
// are correlated, so a step should need thousands of real cases to move.
const curvePrior = 1000

// Curve returns the curve that maps the rule's chance of a fall to the share of actual falls. The
// curve never decreases (algorithm: pool adjacent violators). Each step of the curve covers 5
// percentage points of the rule's chance. The weight of a step is its number of cases plus
// curvePrior.
func (h *HorizonCounts) Curve() (c departure.Curve) {
	type block struct {
		first, steps  int
		weight, shift float64 // shift: number of falls above the expected number
	}
	value := func(b block) float64 {
		return b.shift/b.weight + (departure.StepMiddle(b.first)+departure.StepMiddle(b.first+b.steps-1))/2
	}
	var blocks []block
	for i, own := range h.Own {
		b := block{i, 1, float64(own.N) + curvePrior, float64(own.Fell) - own.OwnStated()}
		for n := len(blocks); n > 0 && value(blocks[n-1]) > value(b); n = len(blocks) {
			last := blocks[n-1]
			b = block{last.first, last.steps + b.steps, last.weight + b.weight, last.shift + b.shift}
			blocks = blocks[:n-1]
		}
		blocks = append(blocks, b)
	}
	for _, b := range blocks {
		for i := range b.steps {
			c[b.first+i] = min(1, max(0, departure.StepMiddle(b.first+i)+b.shift/b.weight))
		}
	}
	for i := 1; i < len(c); i++ {
		c[i] = max(c[i], c[i-1])
	}
	return c
}

// OwnStated returns the sum of the rule's own chances of a fall, before calibration. The stored
// chances were rounded down to a multiple of 0.5 %, so 0.25 % per case is added.
func (c Case) OwnStated() float64 { return (float64(c.Stated) + float64(c.N)/2) / ownUnit }

// ownUnit is the number of stored units in a chance of 1: a unit is 0.5 %.
const ownUnit = 200
