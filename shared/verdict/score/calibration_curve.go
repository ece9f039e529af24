package score

import "verdetto/shared/verdict/departure"

// curvePrior is a number of imaginary cases in which the rule was right. They are added to each step
// of a Curve, so that a few real cases change the step only a little.
const curvePrior = 1000

// Curve maps the rule's chance of a fall to the share of actual falls. It never decreases (method:
// pool adjacent violators).
func (h *HorizonCounts) Curve() (c departure.Curve) {
	type block struct {
		first, steps  int
		weight, shift float64 // shift is the number of falls minus their expected number
	}
	value := func(b block) float64 {
		return b.shift/b.weight + (departure.StepMiddle(b.first)+departure.StepMiddle(b.first+b.steps-1))/2
	}
	var blocks []block
	for i, step := range h.Own {
		b := block{i, 1, float64(step.N) + curvePrior, float64(step.Fell) - step.OwnStated()}
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

// OwnStated adds 0.25 % per case, because stored chances were rounded down to a multiple of 0.5 %.
func (c Case) OwnStated() float64 { return (float64(c.Stated) + float64(c.N)/2) / ownUnit }

const ownUnit = 200
