package stats

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"verdetto/shared/fare"
)

// Percentiles are the percentiles at which calibration is measured.
var Percentiles = []int{5, 10, 25, 50, 75, 90, 95}

// Miss is the calibration of the percentiles of some rows: the largest distance, in points, of one
// of Percentiles from the share of rows at or below it.
type Miss struct {
	Part  string  `json:"part"`
	Count int     `json:"count"`
	Worst float64 `json:"worstMissOfPercentile"`
}

// Misses collects percentiles by part of a panel. The errors of two parts can cancel over the
// whole.
type Misses struct {
	name  func(part int) string
	parts map[int]*atMost
}

// atMost holds a number of rows and, by percentile, how many of them lie at or below it.
type atMost struct {
	count int
	below []float64
}

// NewMisses returns empty Misses. name returns the name of a part.
func NewMisses(name func(part int) string) *Misses { return &Misses{name, map[int]*atMost{}} }

// Add adds a row. atMost returns the probability that its percentile is p or less.
func (m *Misses) Add(part int, probability func(p int) float64) {
	of := m.parts[part]
	if of == nil {
		of = &atMost{below: make([]float64, len(Percentiles))}
		m.parts[part] = of
	}
	of.count++
	for i, p := range Percentiles {
		of.below[i] += probability(p)
	}
}

// Parts returns the misses of the parts with rows, in order.
func (m *Misses) Parts() []Miss {
	all := []Miss{}
	for _, part := range slices.Sorted(maps.Keys(m.parts)) {
		of := m.parts[part]
		miss := Miss{Part: m.name(part), Count: of.count}
		for i, p := range Percentiles {
			miss.Worst = max(miss.Worst, math.Abs(100*of.below[i]/float64(of.count)-float64(p)))
		}
		all = append(all, miss)
	}
	return all
}

// leastRows is the number of rows from which the miss of a part is more than chance.
const leastRows = 100

// WorstOf returns the part with the largest miss. Parts with under 100 rows count only if all are
// that small.
func WorstOf(parts []Miss) (worst Miss) {
	for _, p := range parts {
		if p.Count >= leastRows && (worst.Count < leastRows || p.Worst > worst.Worst) ||
			worst.Count < leastRows && p.Worst > worst.Worst {
			worst = p
		}
	}
	return worst
}

// QuarterOf returns the part of a day: its calendar quarter.
func QuarterOf(day fare.Day) int { return int(day.Quarter()) }

// QuarterName returns the name of a part such as 2026-Q1.
func QuarterName(part int) string { return fare.Quarter(part).String() }

// mostParts is the number of parts that a table lists.
const mostParts = 12

// Misses writes a table of parts, beside the miss of the whole. Of many parts it lists the worst.
func (t Tables) Misses(title string, whole float64, parts []Miss) {
	if len(parts) == 0 {
		return
	}
	worst := WorstOf(parts)
	rows := 0
	for _, p := range parts {
		rows += p.Count
	}
	listed := ""
	if n := len(parts); n > mostParts {
		parts = slices.Clone(parts)
		slices.SortStableFunc(parts, func(a, b Miss) int { return cmp.Compare(b.Worst, a.Worst) })
		parts, listed = parts[:mostParts], fmt.Sprintf("; the worst %d of %d", mostParts, n)
	}
	t.Title("%s; the worst is off by %.1f points (%s)%s", title, worst.Worst, worst.Part, listed)
	t.Row("\trows\toff by")
	t.Row("all\t%d\t%.1f", rows, whole)
	for _, p := range parts {
		t.Row("%s\t%d\t%.1f", p.Part, p.Count, p.Worst)
	}
}
