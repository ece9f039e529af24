package backtest

import (
	"verdetto/cmd/verdetto/backtest/stats"
	"verdetto/shared/fare"
)

const blockDays = stats.BlockDays

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
type resampling struct{ stats.Draws }

func resample(routes, blocks int) resampling {
	return resampling{stats.New(draws, routes, blocks)}
}

// Range is an interval that holds a number at the stated rate.
type Range stats.Range

// drawn is an average in each draw; it is not known where none of its days were drawn.
type drawn struct {
	value []float64
	known []bool
}

// averages are those of a pool in all draws. Each is made of the cells of its
// routes in order, so that it is the same whatever else is measured.
func (r resampling) averages(p pool) drawn {
	type entry struct {
		cell
		block int32
	}
	var cells []entry
	ends := make([]int, len(p)) // of each route's cells
	for route, m := range p {
		for block, b := range m.blocks {
			if b.n > 0 {
				cells = append(cells, entry{b, int32(block)})
			}
		}
		ends[route] = len(cells)
	}
	d := drawn{make([]float64, draws), make([]bool, draws)}
	r.Each(func(draw int, routes, blocks []uint8) {
		var c cell
		from := 0
		for route, to := range ends {
			if times := routes[route]; times > 0 {
				for i := range cells[from:to] {
					e := &cells[from+i]
					w := float64(times) * float64(blocks[e.block])
					c.n += w * e.n
					c.sum += w * e.sum
				}
			}
			from = to
		}
		d.value[draw], d.known[draw] = c.sum/c.n, c.n > 0
	})
	return d
}

// of is the interval of an average, difference that of one average less another.
func (r resampling) of(p pool) *Range { return r.interval(r.averages(p)) }

func (r resampling) interval(d drawn) *Range {
	return (*Range)(r.Interval(func(draw int) (float64, bool) { return d.value[draw], d.known[draw] }))
}

func (r resampling) difference(p, q drawn) *Range {
	return (*Range)(r.Interval(func(draw int) (float64, bool) {
		return p.value[draw] - q.value[draw], p.known[draw] && q.known[draw]
	}))
}
