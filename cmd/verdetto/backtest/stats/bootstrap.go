// Package stats computes averages over a panel of fares with their intervals, and prints tables.
// All backtests use it.
//
// Intervals come from resampling routes and blocks of days independently (the pigeonhole bootstrap,
// A. B. Owen, 2007). The days of a route are correlated, and so are all routes on a day. Resampling
// single rows would make every interval too narrow. The random seed is fixed, so reports are
// reproducible.
package stats

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"verdetto/shared/fare"
)

// BlockDays is the number of neighbouring days that are drawn together.
const BlockDays = 14

// Range is a 95 % interval.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Parallel calls do for each number below n, from several goroutines.
func Parallel(n int, do func(i int)) {
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	workers.Wait()
}

// Blocks holds the cells of a panel and their counts in each draw. A cell is a block of days of a
// route.
type Blocks struct {
	Days           int // of a block
	first, last    fare.Day
	cells          []cell  // in the order of the first call of Cell
	number         []int32 // by route and block: 1 + index in cells
	routes, blocks [][]uint8
}

type cell struct{ route, block int32 }

// NewBlocks divides the days from first to last into blocks, and draws routes and blocks.
func NewBlocks(draws, routes int, first, last fare.Day, days int) *Blocks {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) []uint8 {
		counts := make([]uint8, n)
		for range n {
			counts[rng.IntN(n)]++
		}
		return counts
	}
	n := int(last-first)/days + 1
	b := &Blocks{Days: days, first: first, last: last, number: make([]int32, routes*n)}
	for range draws {
		b.routes = append(b.routes, draw(routes))
		b.blocks = append(b.blocks, draw(n))
	}
	return b
}

// Cell returns the cell of a route and day. Days outside the range belong to the first or last
// block.
func (b *Blocks) Cell(route int, day fare.Day) int32 {
	block := int(min(max(day, b.first), b.last)-b.first) / b.Days
	place := &b.number[route*len(b.blocks[0])+block]
	if *place == 0 {
		b.cells = append(b.cells, cell{int32(route), int32(block)})
		*place = int32(len(b.cells))
	}
	return *place - 1
}

// Weights returns the count of each cell in a draw.
func (b *Blocks) Weights(draw int) []float64 {
	all := make([]float64, len(b.cells))
	for i, c := range b.cells {
		all[i] = float64(b.routes[draw][c.route]) * float64(b.blocks[draw][c.block])
	}
	return all
}

// Interval returns the middle 95 % of a statistic over the draws. statistic is called from several
// goroutines. The result is nil if fewer than 90 % of the draws have a value. It is also nil if all
// draws agree: an event that is absent in a few days is not impossible.
func (b *Blocks) Interval(statistic func(draw int) (float64, bool)) *Range {
	n := len(b.routes)
	all, known := make([]float64, n), make([]bool, n)
	Parallel(n, func(i int) { all[i], known[i] = statistic(i) })
	var values []float64
	for i, v := range all {
		if known[i] {
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
