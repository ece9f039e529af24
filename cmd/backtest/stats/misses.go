package stats

import (
	"maps"
	"math"
	"slices"
)

// Percentiles are those at which calibration is measured.
var Percentiles = []int{5, 10, 25, 50, 75, 90, 95}

// Miss is how far the percentiles of some rows are off. If they are right, p % of the rows have a
// percentile of p or less. The miss is the largest deviation from p for p in Percentiles, in
// percentage points.
type Miss struct {
	Part  string  `json:"part"`
	Count int     `json:"count"`
	Worst float64 `json:"worstMissOfPercentile"`
}

// WorstMiss takes percentiles from 0 to 1; see Miss.Worst.
func WorstMiss(percentiles []float64) (worst float64) {
	for _, p := range Percentiles {
		atMost := 0.
		for _, percentile := range percentiles {
			atMost += Share(percentile <= float64(p)/100)
		}
		worst = max(worst, math.Abs(100*atMost/float64(len(percentiles))-float64(p)))
	}
	return worst
}

// MissBy returns the miss of each group of rows, such as one quarter of the year, because over all
// rows the errors of two groups can cancel each other.
func MissBy(percentiles []float64, part func(row int) int, name func(part int) string) []Miss {
	parts, all := map[int][]float64{}, []Miss{}
	for row, percentile := range percentiles {
		parts[part(row)] = append(parts[part(row)], percentile)
	}
	for _, n := range slices.Sorted(maps.Keys(parts)) {
		all = append(all, Miss{name(n), len(parts[n]), WorstMiss(parts[n])})
	}
	return all
}

// leastRows is the number of rows that a group needs in WorstOf. With fewer rows, random variation
// alone makes the percentiles look wrong.
const leastRows = 100

// WorstOf returns the group with the largest miss among those with at least leastRows rows, or
// among all groups if none has that many.
func WorstOf(parts []Miss) (worst Miss) {
	for _, p := range parts {
		if p.Count >= leastRows && (worst.Count < leastRows || p.Worst > worst.Worst) ||
			worst.Count < leastRows && p.Worst > worst.Worst {
			worst = p
		}
	}
	return worst
}

func (t Tables) Misses(title string, whole float64, parts []Miss) {
	if len(parts) == 0 {
		return
	}
	worst, rows := WorstOf(parts), 0
	for _, p := range parts {
		rows += p.Count
	}
	t.Title("%s; the worst is off by %.1f points (%s)", title, worst.Worst, worst.Part)
	t.Row("\trows\toff by")
	t.Row("all\t%d\t%.1f", rows, whole)
	for _, p := range parts {
		t.Row("%s\t%d\t%.1f", p.Part, p.Count, p.Worst)
	}
}
