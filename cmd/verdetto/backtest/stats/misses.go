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

// Miss is how far the percentiles of some rows are off. If they are right, p % of the rows have a
// percentile of p or less. The miss is the largest deviation from p for p in Percentiles, in
// percentage points.
type Miss struct {
	Part  string  `json:"part"`
	Count int     `json:"count"`
	Worst float64 `json:"worstMissOfPercentile"`
}

// Misses measures percentiles separately for each group of rows, such as one quarter of the year.
// Measured over all rows, the errors of two groups can cancel each other.
type Misses struct {
	name  func(part int) string
	parts map[int]*atMost
}

// atMost counts rows and, for each p in Percentiles, the rows with a percentile of p or less.
type atMost struct {
	count int
	below []float64
}

// NewMisses returns empty Misses. name returns the printed name of a group.
func NewMisses(name func(part int) string) *Misses { return &Misses{name, map[int]*atMost{}} }

// Add adds a row to a group. probability returns the probability that the row's percentile is p or
// less.
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

// Parts returns the error of the percentiles (the miss) of each group that has rows, in order of
// the groups.
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

// leastRows is the number of rows that a group needs. With fewer rows, random variation alone makes
// the percentiles look wrong.
const leastRows = 100

// WorstOf returns the group whose percentiles have the largest error (miss). It ignores groups with
// under 100 rows, unless all groups are that small.
func WorstOf(parts []Miss) (worst Miss) {
	for _, p := range parts {
		if p.Count >= leastRows && (worst.Count < leastRows || p.Worst > worst.Worst) ||
			worst.Count < leastRows && p.Worst > worst.Worst {
			worst = p
		}
	}
	return worst
}

// Quarter returns the quarter of the year of a day, as a group number for Misses.
func Quarter(day fare.Day) int { return int(day.Quarter()) }

// QuarterName returns the name of a group that Quarter returned.
func QuarterName(part int) string { return fare.Quarter(part).String() }

// mostParts is the maximum number of groups that a table lists.
const mostParts = 12

// Misses writes a table of the errors of percentiles (misses): over all rows, and for each group of
// rows. If there are more than mostParts groups, it lists the worst.
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
