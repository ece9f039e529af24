package stats

import (
	"maps"
	"math"
	"slices"
)

var Percentiles = []int{5, 10, 25, 50, 75, 90, 95}

// Worst is the largest difference, in percentage points, between a p in Percentiles and the share of
// rows with a percentile of at most p.
type Miss struct {
	Part  string  `json:"part"`
	Count int     `json:"count"`
	Worst float64 `json:"worstMissOfPercentile"`
}

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

// MissBy groups rows, because over all rows the errors of two groups can cancel each other.
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

// With fewer rows than leastRows, random variation alone can make percentiles look wrong.
const leastRows = 100

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
