package backtest

import (
	"verdetto/cmd/verdetto/backtest/bootstrap"
	"verdetto/shared/fare"
)

const blockDays = bootstrap.BlockDays

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

// resampling gives the intervals of averages.
type resampling struct{ bootstrap.Draws }

func resample(routes, blocks int) resampling {
	return resampling{bootstrap.New(draws, routes, blocks)}
}

// Range is an interval that holds a number at the stated rate.
type Range bootstrap.Range

// interval is that of a statistic of averages over the draws.
func (r resampling) interval(statistic func(average func(pool) (float64, bool)) (float64, bool)) *Range {
	return (*Range)(r.Interval(func(draw int) (float64, bool) {
		return statistic(func(p pool) (float64, bool) {
			var c cell
			for route, m := range p {
				for block, b := range m.blocks {
					w := r.Weight(draw, route, block)
					c.n += w * b.n
					c.sum += w * b.sum
				}
			}
			return c.sum / c.n, c.n > 0
		})
	}))
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
