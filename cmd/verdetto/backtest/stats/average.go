package stats

import "slices"

// Average is a mean over the rows of a panel, with sums by cell.
type Average struct {
	Count  int
	blocks *Blocks
	total  float64
	n, sum []float64 // by cell
	values []float64
}

// Average returns an empty average.
func (b *Blocks) Average() *Average { return &Average{blocks: b} }

// Averages returns empty averages in rows and columns.
func (b *Blocks) Averages(rows, columns int) [][]*Average {
	all := make([][]*Average, rows)
	for i := range all {
		for range columns {
			all[i] = append(all[i], b.Average())
		}
	}
	return all
}

// Add adds a row.
func (a *Average) Add(cell int32, value float64) {
	if more := int(cell) + 1 - len(a.n); more > 0 {
		a.n, a.sum = append(a.n, make([]float64, more)...), append(a.sum, make([]float64, more)...)
	}
	a.n[cell]++
	a.sum[cell] += value
	a.Count++
	a.total += value
}

// AddKept adds a row and keeps its value for Median.
func (a *Average) AddKept(cell int32, value float64) {
	a.Add(cell, value)
	a.values = append(a.values, value)
}

// Mean returns the mean of all rows.
func (a *Average) Mean() float64 { return a.total / float64(a.Count) }

// Median returns the median of the kept rows.
func (a *Average) Median() float64 {
	slices.Sort(a.values)
	n := len(a.values)
	return (a.values[(n-1)/2] + a.values[n/2]) / 2
}

// Interval returns the 95 % interval of the mean.
func (a *Average) Interval() *Range { return a.Drawn().Interval() }

// Drawn holds the mean in each draw. It is not known in a draw without any of its rows.
type Drawn struct {
	Value  []float64
	Known  []bool
	blocks *Blocks
}

// Drawn returns the mean in each draw.
func (a *Average) Drawn() Drawn {
	type entry struct {
		cell
		n, sum float64
	}
	var entries []entry
	for i, n := range a.n {
		if n > 0 {
			entries = append(entries, entry{a.blocks.cells[i], n, a.sum[i]})
		}
	}
	draws := len(a.blocks.routes)
	d := Drawn{make([]float64, draws), make([]bool, draws), a.blocks}
	Parallel(draws, func(draw int) {
		routes, blocks := a.blocks.routes[draw], a.blocks.blocks[draw]
		n, sum := 0., 0.
		for i := range entries {
			e := &entries[i]
			w := float64(routes[e.route]) * float64(blocks[e.block])
			n += w * e.n
			sum += w * e.sum
		}
		d.Value[draw], d.Known[draw] = sum/n, n > 0
	})
	return d
}

// Interval returns the 95 % interval of the mean.
func (d Drawn) Interval() *Range {
	return d.blocks.Interval(func(draw int) (float64, bool) { return d.Value[draw], d.Known[draw] })
}

// Difference returns the 95 % interval of the mean minus that of less.
func (d Drawn) Difference(less Drawn) *Range {
	return d.blocks.Interval(func(draw int) (float64, bool) {
		return d.Value[draw] - less.Value[draw], d.Known[draw] && less.Known[draw]
	})
}

// Share returns 1 for true and 0 for false, so that the mean is a share.
func Share(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
