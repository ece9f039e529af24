// Package stats computes averages over recorded fares, with 95 % confidence intervals, and prints
// tables.
//
// The intervals come from the pigeonhole bootstrap (A. B. Owen, 2007). This bootstrap draws whole
// routes and blocks of days, because the days of a route are correlated, and so are all routes on a
// day.
package stats

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"verdetto/shared/fare"
)

// BlockDays is the number of successive days in a block, unless a panel is too short.
const BlockDays = 14

type Days struct {
	From  fare.Day // the first day to judge; 0: the first day of the panel
	To    fare.Day // the last day of fares to use; 0: the last day of the panel
	Cycle int      // days from one refresh to the next; 0 means 1
}

type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

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

// Blocks divides the rows of a panel into cells, one for each route and block of days.
type Blocks struct {
	Days           int
	first, last    fare.Day
	cells          []cell
	number         []int32 // by route and block: 1 + index in cells
	routes, blocks [][]uint8
}

type cell struct{ route, block int32 }

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

// Cell counts earlier days in the first block, and later days in the last block.
func (b *Blocks) Cell(route int, day fare.Day) int32 {
	block := int(min(max(day, b.first), b.last)-b.first) / b.Days
	place := &b.number[route*len(b.blocks[0])+block]
	if *place == 0 {
		b.cells = append(b.cells, cell{int32(route), int32(block)})
		*place = int32(len(b.cells))
	}
	return *place - 1
}

func (b *Blocks) Weights(draw int) []float64 {
	all := make([]float64, len(b.cells))
	for i, c := range b.cells {
		all[i] = float64(b.routes[draw][c.route]) * float64(b.blocks[draw][c.block])
	}
	return all
}

// Interval returns the middle 95 % of a statistic over all draws, or nil if too few draws have a value
// or all values are equal. The function statistic is called from several goroutines.
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

type Average struct {
	Count  int
	blocks *Blocks
	total  float64
	n, sum []float64
	values []float64
}

func (b *Blocks) Average() *Average { return &Average{blocks: b} }

func (b *Blocks) Averages(rows, columns int) [][]*Average {
	all := make([][]*Average, rows)
	for i := range all {
		for range columns {
			all[i] = append(all[i], b.Average())
		}
	}
	return all
}

// The parameter cell must come from Blocks.Cell.
func (a *Average) Add(cell int32, value float64) {
	if more := int(cell) + 1 - len(a.n); more > 0 {
		a.n, a.sum = append(a.n, make([]float64, more)...), append(a.sum, make([]float64, more)...)
	}
	a.n[cell]++
	a.sum[cell] += value
	a.Count++
	a.total += value
}

// AddKept also keeps the value for Median.
func (a *Average) AddKept(cell int32, value float64) {
	a.Add(cell, value)
	a.values = append(a.values, value)
}

func (a *Average) Mean() float64 { return a.total / float64(a.Count) }

func (a *Average) Median() float64 {
	slices.Sort(a.values)
	n := len(a.values)
	return (a.values[(n-1)/2] + a.values[n/2]) / 2
}

func (a *Average) Interval() *Range {
	return a.blocks.Interval(func(draw int) (float64, bool) {
		routes, blocks := a.blocks.routes[draw], a.blocks.blocks[draw]
		n, sum := 0., 0.
		for i, count := range a.n {
			if count > 0 {
				c := a.blocks.cells[i]
				w := float64(routes[c.route]) * float64(blocks[c.block])
				n += w * count
				sum += w * a.sum[i]
			}
		}
		return sum / n, n > 0
	})
}

// Share returns 1 for true and 0 for false, so that the mean over rows is the share of true.
func Share(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
