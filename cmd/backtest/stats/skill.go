package stats

import (
	"cmp"
	"math"
	"slices"
)

type Cases struct {
	Rows   []int32
	Chance []float64
	Score  []float64 // a higher score means a more expensive fare
	Fell   []bool
}

func (c *Cases) Add(row int, chance, score float64, fell bool) {
	c.Rows = append(c.Rows, int32(row))
	c.Chance = append(c.Chance, chance)
	c.Score = append(c.Score, score)
	c.Fell = append(c.Fell, fell)
}

type Ranking struct {
	cell []int32
	kind []uint8
}

const (
	fellCase  = 1 << iota
	groupEnds // no later case has the same score
)

func Rank(score []float64, c *Cases, cellOf []int32) Ranking {
	order := make([]int32, len(score))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(score[a], score[b]) })
	r := Ranking{make([]int32, len(order)), make([]uint8, len(order))}
	for at, i := range order {
		r.cell[at] = cellOf[c.Rows[i]]
		if c.Fell[i] {
			r.kind[at] |= fellCase
		}
		if at == len(order)-1 || score[order[at+1]] != score[i] {
			r.kind[at] |= groupEnds
		}
	}
	return r
}

// AUC returns the area under the ROC curve, and false if all cases fell or none did. The weights are
// by cell; nil means equal weights.
func (r Ranking) AUC(weight []float64) (float64, bool) {
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

// BrierSkill is the fraction by which the stated chances have a smaller mean squared error than the
// overall share of falls, stated for every case.
func (c *Cases) BrierSkill() float64 {
	falls, square := 0., 0.
	for i, fell := range c.Fell {
		y := Share(fell)
		falls += y
		square += (c.Chance[i] - y) * (c.Chance[i] - y)
	}
	base := falls / float64(len(c.Fell))
	return 1 - square/float64(len(c.Fell))/(base*(1-base))
}

// Bin holds the cases with a stated chance from From to below From + 0.1. The last bin includes 1.
type Bin struct {
	From   float64 `json:"from"`
	Count  int     `json:"count"`
	Stated float64 `json:"said"`
	Fell   float64 `json:"fell"`
}

// The expected calibration error is the mean distance between stated chances and falls, weighted by
// the cases in each bin.
func (c *Cases) Reliability() (bins []Bin, expectedError float64) {
	const tenths = 10
	all := make([]Bin, tenths)
	for i, chance := range c.Chance {
		b := &all[min(tenths-1, int(chance*tenths))]
		b.Count++
		b.Stated += chance
		b.Fell += Share(c.Fell[i])
	}
	for i, b := range all {
		if b.Count == 0 {
			continue
		}
		expectedError += math.Abs(b.Stated-b.Fell) / float64(len(c.Fell))
		b.From = float64(i) / tenths
		b.Stated /= float64(b.Count)
		b.Fell /= float64(b.Count)
		bins = append(bins, b)
	}
	return bins, expectedError
}

func (b *Blocks) AUC(rankings ...Ranking) *Range {
	return b.Interval(func(draw int) (float64, bool) {
		weights := b.Weights(draw)
		value, ok := rankings[0].AUC(weights)
		for _, other := range rankings[1:] {
			v, also := other.AUC(weights)
			value, ok = value-v, ok && also
		}
		return value, ok
	})
}
