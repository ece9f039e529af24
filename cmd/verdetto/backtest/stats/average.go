package stats

import "slices"

// Average is the mean of a value over many rows, such as verdicts. It keeps one sum per cell, a
// block of days of one route, from which Interval is computed.
type Average struct {
	Count  int
	blocks *Blocks
	total  float64
	n, sum []float64 // by cell
	values []float64
}

// Average returns an Average without rows.
func (b *Blocks) Average() *Average { return &Average{blocks: b} }

// Averages returns a table of Averages without rows.
func (b *Blocks) Averages(rows, columns int) [][]*Average {
	all := make([][]*Average, rows)
	for i := range all {
		for range columns {
			all[i] = append(all[i], b.Average())
		}
	}
	return all
}

// Add adds the value of one row. cell is the row's cell, from Blocks.Cell.
func (a *Average) Add(cell int32, value float64) {
	if more := int(cell) + 1 - len(a.n); more > 0 {
		a.n, a.sum = append(a.n, make([]float64, more)...), append(a.sum, make([]float64, more)...)
	}
	a.n[cell]++
	a.sum[cell] += value
	a.Count++
	a.total += value
}

// AddKept adds a row like Add, and stores its value for Median.
func (a *Average) AddKept(cell int32, value float64) {
	a.Add(cell, value)
	a.values = append(a.values, value)
}

// Mean returns the mean of all rows.
func (a *Average) Mean() float64 { return a.total / float64(a.Count) }

// Median returns the median of the values of AddKept.
func (a *Average) Median() float64 {
	slices.Sort(a.values)
	n := len(a.values)
	return (a.values[(n-1)/2] + a.values[n/2]) / 2
}

// Interval returns the 95 % confidence interval of the mean.
func (a *Average) Interval() *Range { return a.Drawn().Interval() }

// Drawn holds one mean for each bootstrap draw. A draw that contains no row of the average has no
// mean.
type Drawn struct {
	Value  []float64
	Known  []bool
	blocks *Blocks
}

// Drawn returns the mean in each bootstrap draw.
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

// Interval returns the 95 % confidence interval of the mean: the middle 95 % of the draws.
func (d Drawn) Interval() *Range {
	return d.blocks.Interval(func(draw int) (float64, bool) { return d.Value[draw], d.Known[draw] })
}

// Difference returns the 95 % interval of a difference: the mean of d minus the mean of less.
func (d Drawn) Difference(less Drawn) *Range {
	return d.blocks.Interval(func(draw int) (float64, bool) {
		return d.Value[draw] - less.Value[draw], d.Known[draw] && less.Known[draw]
	})
}

// Share returns 1 for true and 0 for false. The mean of such values is the share of rows with true.
func Share(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
