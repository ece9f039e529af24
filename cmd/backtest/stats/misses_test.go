package stats

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Percentiles are too low in one part and too high in another, so that they look right over both.
func TestMissBy(t *testing.T) {
	var percentiles []float64
	var part []int
	add := func(to, percentile int) {
		part, percentiles = append(part, to), append(percentiles, float64(percentile)/100)
	}
	for i := range 200 {
		add(1, 1+i/4)
		add(2, 51+i/4)
	}
	if worst := WorstMiss(percentiles); worst > 2.5 {
		t.Errorf("over both parts %v", worst)
	}
	for range 10 {
		add(3, 0) // part 3 has fewer rows than leastRows
	}
	parts := MissBy(percentiles, func(row int) int { return part[row] }, strconv.Itoa)
	if diff := cmp.Diff([]Miss{{"1", 200, 50}, {"2", 200, 50}, {"3", 10, 95}}, parts); diff != "" {
		t.Error(diff)
	}
	if worst := WorstOf(parts); worst.Part != "1" {
		t.Errorf("the worst is %+v", worst)
	}
	if worst := WorstOf(parts[2:]); worst.Part != "3" {
		t.Errorf("the worst of few rows is %+v", worst)
	}
	var text strings.Builder
	tables := NewTables(&text)
	tables.Misses("By part", 2, parts)
	tables.End(nil)
	if !strings.Contains(text.String(), "the worst is off by 50.0 points (1)") {
		t.Error(text.String())
	}
}
