package departures

import (
	"cmp"
	"math"
	"slices"

	"verdetto/cmd/verdetto/backtest/stats"
	"verdetto/shared/fare"
)

// cases are rows whose outcome is known, with what somebody said of them.
type cases struct {
	rows   []int32
	chance []float64
	score  []float64 // higher: dearer
	fell   []bool
}

func (c *cases) add(row int, chance, score float64, fell bool) {
	c.rows = append(c.rows, int32(row))
	c.chance = append(c.chance, chance)
	c.score = append(c.score, score)
	c.fell = append(c.fell, fell)
}

// ranking is cases in order of a score, ready to be weighed anew many times.
type ranking struct {
	cell []int32 // the place of each case among the blocks of routes
	kind []uint8
}

const (
	fellCase  = 1 << iota // it fell
	groupEnds             // the next case has a higher score
)

// rank orders cases by a score; cellOf is the block and route of a row.
func rank(score []float64, c *cases, cellOf []int32) ranking {
	order := make([]int32, len(score))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(score[a], score[b]) })
	r := ranking{make([]int32, len(order)), make([]uint8, len(order))}
	for at, i := range order {
		r.cell[at] = cellOf[c.rows[i]]
		if c.fell[i] {
			r.kind[at] |= fellCase
		}
		if at == len(order)-1 || score[order[at+1]] != score[i] {
			r.kind[at] |= groupEnds
		}
	}
	return r
}

// auc is the chance that of a case that fell and one that did not the former has
// the higher score, ties counted half; each case weighs as its cell, or 1. It is
// not known where all cases fared alike.
func (r ranking) auc(weight []float64) (float64, bool) {
	var above, falls, rest, groupFalls, groupRest float64
	for i, kind := range r.kind {
		w := 1.
		if weight != nil {
			w = weight[r.cell[i]]
		}
		if kind&fellCase != 0 {
			groupFalls += w
		} else {
			groupRest += w
		}
		if kind&groupEnds != 0 {
			above += groupFalls * (rest + groupRest/2)
			falls, rest = falls+groupFalls, rest+groupRest
			groupFalls, groupRest = 0, 0
		}
	}
	return above / (falls * rest), falls*rest > 0
}

// brierSkill is how much smaller the mean square of the error is than that of
// stating the share of all cases each time.
func (c *cases) brierSkill() float64 {
	falls, square := 0., 0.
	for i, fell := range c.fell {
		y := stats.Share(fell)
		falls += y
		square += (c.chance[i] - y) * (c.chance[i] - y)
	}
	base := falls / float64(len(c.fell))
	return 1 - square/float64(len(c.fell))/(base*(1-base))
}

// Bin is the cases whose stated chance lies in a tenth of the scale.
type Bin struct {
	From  float64 `json:"from"`
	Count int     `json:"count"`
	Said  float64 `json:"said"` // mean of the stated chances
	Fell  float64 `json:"fell"` // share that fell
}

// reliability compares what was said with what came, in ten bins of fixed
// width; the error is the mean distance of the two, each bin by its cases.
func (c *cases) reliability() (bins []Bin, expectedError float64) {
	const tenths = 10
	all := make([]Bin, tenths)
	for i, chance := range c.chance {
		b := &all[min(tenths-1, int(chance*tenths))]
		b.Count++
		b.Said += chance
		b.Fell += stats.Share(c.fell[i])
	}
	for i, b := range all {
		if b.Count == 0 {
			continue
		}
		expectedError += math.Abs(b.Said-b.Fell) / float64(len(c.fell))
		b.From = float64(i) / tenths
		b.Said /= float64(b.Count)
		b.Fell /= float64(b.Count)
		bins = append(bins, b)
	}
	return bins, expectedError
}

// leastBlocks is how many blocks of days there are at least, of as many days or
// more: a panel of two blocks would lose all of its days in every fourth draw.
const leastBlocks = 5

// sample is the blocks of the days on which rows are asked, and the cell of each row.
type sample struct {
	*stats.Blocks
	cells []int32
}

func (t *Trips) sample(first, last fare.Day) sample {
	days := max(1, min(stats.BlockDays, (int(last-first)+1)/leastBlocks))
	s := sample{stats.NewBlocks(draws, len(t.Routes), first, last, days), make([]int32, len(t.rows))}
	for i, q := range t.rows {
		s.cells[i] = s.Cell(int(q.route), q.day)
	}
	return s
}

// over is the average over rows.
func (s sample) over(rows []int, value func(row int) float64) (mean float64, interval *stats.Range) {
	a := s.Average()
	for _, row := range rows {
		a.Add(s.cells[row], value(row))
	}
	return a.Mean(), a.Interval()
}

// share is the share of rows of which something is so.
func (s sample) share(rows []int, is func(row int) bool) (share float64, interval *stats.Range) {
	return s.over(rows, func(row int) float64 { return stats.Share(is(row)) })
}
