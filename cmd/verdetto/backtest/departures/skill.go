package departures

import (
	"cmp"
	"math"
	"slices"

	"verdetto/cmd/verdetto/backtest/stats"
	"verdetto/shared/fare"
)

// cases holds the rows (each a fare on one day) with a known outcome (did the fare fall?), and one
// method's answers for these rows.
type cases struct {
	rows   []int32
	chance []float64
	score  []float64 // a higher score means a more expensive fare
	fell   []bool
}

func (c *cases) add(row int, chance, score float64, fell bool) {
	c.rows = append(c.rows, int32(row))
	c.chance = append(c.chance, chance)
	c.score = append(c.score, score)
	c.fell = append(c.fell, fell)
}

// ranking holds cases sorted by score. So the AUC can be computed quickly for each bootstrap draw.
type ranking struct {
	cell []int32 // the cell of each case, a route and block of days
	kind []uint8
}

const (
	fellCase  = 1 << iota // the departure fell
	groupEnds             // the next case has a higher score
)

// rank sorts cases by a score. cellOf is the cell of each row (a fare on one day): a route and a
// block of days, see stats.Blocks.
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

// auc returns the AUC: the probability that a case that fell has a higher score than a case that
// did not. Ties count half. weight is the weight of each cell; if nil, all cases have equal weight.
// It returns false if all cases fell or none did.
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

// brierSkill returns by how much the stated chances of a fall reduce the mean squared error, as a
// fraction. The baseline always states the overall share of falls.
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

// Bin holds the cases whose stated chance of a fall lies in one tenth of the range from 0 to 1.
type Bin struct {
	From   float64 `json:"from"`
	Count  int     `json:"count"`
	Stated float64 `json:"said"` // mean of the stated chances
	Fell   float64 `json:"fell"` // share that fell
}

// reliability compares stated chances of a fall with actual falls, in ten bins of equal width.
// expectedError (ECE) is the mean distance between the two, weighted by the number of cases in each
// bin.
func (c *cases) reliability() (bins []Bin, expectedError float64) {
	const tenths = 10
	all := make([]Bin, tenths)
	for i, chance := range c.chance {
		b := &all[min(tenths-1, int(chance*tenths))]
		b.Count++
		b.Stated += chance
		b.Fell += stats.Share(c.fell[i])
	}
	for i, b := range all {
		if b.Count == 0 {
			continue
		}
		expectedError += math.Abs(b.Stated-b.Fell) / float64(len(c.fell))
		b.From = float64(i) / tenths
		b.Stated /= float64(b.Count)
		b.Fell /= float64(b.Count)
		bins = append(bins, b)
	}
	return bins, expectedError
}

// leastBlocks is the minimum number of blocks of days for intervals. A panel (observed fares) with
// fewer days than that has one block per day. With only two blocks, a quarter of the bootstrap
// draws would omit one of them.
const leastBlocks = 5

// sample divides the rows (each a fare on one day) into cells for confidence intervals. A cell is a
// route and a block of days; see stats.Blocks.
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

func (s sample) over(rows []int, value func(row int) float64) (mean float64, interval *stats.Range) {
	a := s.Average()
	for _, row := range rows {
		a.Add(s.cells[row], value(row))
	}
	return a.Mean(), a.Interval()
}

func (s sample) share(rows []int, is func(row int) bool) (share float64, interval *stats.Range) {
	return s.over(rows, func(row int) float64 { return stats.Share(is(row)) })
}
