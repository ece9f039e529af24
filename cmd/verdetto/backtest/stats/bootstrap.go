// Package stats gives intervals of what is measured on a panel of fares.
//
// Routes and blocks of days are drawn anew, independently of each other (the
// pigeonhole bootstrap, A. B. Owen, 2007): a route's days are alike, and so are
// all routes on a day; counting each row as news would make every interval too
// narrow. The draws are made once and with a fixed seed, so that quantities are
// compared on the same draws and a report is the same each time.
package stats

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

// BlockDays is how many neighbouring days are drawn together.
const BlockDays = 14

// Range is an interval that holds a number at 95 %.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Draws holds, for each draw, how often each route and each block of days was drawn.
type Draws struct{ routes, blocks [][]uint8 }

// New draws so many times.
func New(times, routes, blocks int) Draws {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) []uint8 {
		counts := make([]uint8, n)
		for range n {
			counts[rng.IntN(n)]++
		}
		return counts
	}
	var d Draws
	for range times {
		d.routes = append(d.routes, draw(routes))
		d.blocks = append(d.blocks, draw(blocks))
	}
	return d
}

// Weight is how often a block of a route counts in a draw.
func (d Draws) Weight(draw, route, block int) float64 {
	return float64(d.routes[draw][route]) * float64(d.blocks[draw][block])
}

// Each calls for every draw, from several goroutines, with how often each route
// and each block of days was drawn.
func (d Draws) Each(do func(draw int, routes, blocks []uint8)) {
	n := len(d.routes)
	var workers sync.WaitGroup
	parts := min(runtime.GOMAXPROCS(0), n)
	for part := range parts {
		workers.Go(func() {
			for i := part; i < n; i += parts {
				do(i, d.routes[i], d.blocks[i])
			}
		})
	}
	workers.Wait()
}

// Interval is the middle 95 % of a statistic over the draws, which is called
// from several goroutines. It is nil where fewer than nine in ten draws give
// one, and where all draws agree: that something never happened in a few days
// does not mean that it never does.
func (d Draws) Interval(statistic func(draw int) (float64, bool)) *Range {
	n := len(d.routes)
	all, given := make([]float64, n), make([]bool, n)
	d.Each(func(i int, _, _ []uint8) { all[i], given[i] = statistic(i) })
	var values []float64
	for i, v := range all {
		if given[i] {
			values = append(values, v)
		}
	}
	if len(values) == 0 || len(values) < n*9/10 {
		return nil
	}
	slices.Sort(values)
	if values[0] == values[len(values)-1] {
		return nil
	}
	return &Range{values[len(values)*25/1000], values[len(values)*975/1000-1]}
}
