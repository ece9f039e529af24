package backtest

import (
	"math/rand/v2"
	"slices"

	"verdetto/shared/fare"
)

// blockDays is how many neighbouring days are drawn together when days are
// drawn anew: they are alike, and counting each as news would make every
// interval too narrow.
const blockDays = 14

// mean is an average over days of a route, kept by block of days.
type mean struct{ blocks []cell }

type cell struct{ n, sum float64 }

func (m *mean) add(day, first fare.Day, value float64) {
	b := int(day-first) / blockDays
	if b >= len(m.blocks) {
		m.blocks = append(m.blocks, make([]cell, b+1-len(m.blocks))...)
	}
	m.blocks[b].n++
	m.blocks[b].sum += value
}

// join adds averages of one route up to one average.
func join(all []mean) (sum mean) {
	if len(all) == 1 {
		return all[0]
	}
	for _, m := range all {
		for i, b := range m.blocks {
			if i >= len(sum.blocks) {
				sum.blocks = append(sum.blocks, cell{})
			}
			sum.blocks[i].n += b.n
			sum.blocks[i].sum += b.sum
		}
	}
	return sum
}

// pool is the same average of many routes.
type pool []mean

// total sums up all blocks of all routes.
func (p pool) total() (c cell) {
	for _, m := range p {
		for _, b := range m.blocks {
			c.n += b.n
			c.sum += b.sum
		}
	}
	return c
}

func (p pool) count() int { return int(p.total().n) }

func (p pool) value() float64 {
	c := p.total()
	return c.sum / c.n
}

// draws is how often routes and days are drawn anew.
const draws = 1000

// resampling holds, for each draw, how often each route and each block of days
// was drawn. Routes and days are drawn independently of each other (the
// pigeonhole bootstrap, A. B. Owen, 2007): a route's days are alike, and so are
// all routes on a day. It is drawn once, so that quantities are compared on the same draws.
type resampling struct{ routes, blocks [][]uint8 }

func resample(routes, blocks int) resampling {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) []uint8 {
		times := make([]uint8, n)
		for range n {
			times[rng.IntN(n)]++
		}
		return times
	}
	var r resampling
	for range draws {
		r.routes = append(r.routes, draw(routes))
		r.blocks = append(r.blocks, draw(blocks))
	}
	return r
}

// Range is an interval that holds a number at the stated rate.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// interval is the middle 95 % of a statistic over the draws. It is nil where
// fewer than nine in ten draws give one, and where all draws agree: that
// something never happened in a few days does not mean that it never does.
func (r resampling) interval(statistic func(average func(pool) (float64, bool)) (float64, bool)) *Range {
	var values []float64
	for i := range draws {
		average := func(p pool) (float64, bool) {
			var c cell
			for route, m := range p {
				times := float64(r.routes[i][route])
				if times == 0 {
					continue
				}
				for block, b := range m.blocks {
					w := times * float64(r.blocks[i][block])
					c.n += w * b.n
					c.sum += w * b.sum
				}
			}
			return c.sum / c.n, c.n > 0
		}
		if v, ok := statistic(average); ok {
			values = append(values, v)
		}
	}
	if len(values) < draws*9/10 {
		return nil
	}
	slices.Sort(values)
	if values[0] == values[len(values)-1] {
		return nil
	}
	return &Range{values[len(values)*25/1000], values[len(values)*975/1000-1]}
}

// of is the interval of an average, difference that of one average less another.
func (r resampling) of(p pool) *Range {
	return r.interval(func(average func(pool) (float64, bool)) (float64, bool) { return average(p) })
}

func (r resampling) difference(p, q pool) *Range {
	return r.interval(func(average func(pool) (float64, bool)) (float64, bool) {
		a, ok := average(p)
		b, also := average(q)
		return a - b, ok && also
	})
}
