package score

import "verdetto/shared/verdict/departure"

// curvePrior is how many cases each step of a curve is given that came as they
// were said: by so many the curve is held to the rule's own chances. Cases of one
// week are alike, so it takes thousands of them to know a step.
const curvePrior = 1000

// Curve is the rising curve that lies nearest to what came of the rule's chances
// (pool adjacent violators), each step by its cases and those it is given.
func (h *HorizonCounts) Curve() (c departure.Curve) {
	type block struct {
		first, steps  int
		weight, shift float64 // the shift is how many more fell than was said
	}
	value := func(b block) float64 {
		return b.shift/b.weight + (departure.StepMiddle(b.first)+departure.StepMiddle(b.first+b.steps-1))/2
	}
	var blocks []block
	for i, own := range h.Own {
		b := block{i, 1, float64(own.N) + curvePrior, float64(own.Fell) - own.OwnSaid()}
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

// OwnSaid is the sum of the rule's own chances, which were rounded down to half percent.
func (c Case) OwnSaid() float64 { return (float64(c.Said) + float64(c.N)/2) / ownUnit }

// ownUnit is how many of the unit in which the rule's own chances are kept are 1.
const ownUnit = 200
