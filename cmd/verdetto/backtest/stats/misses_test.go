package stats

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
)

// TestMissesOfParts: in one quarter all percentiles are too low, in the next all are too high. Over
// both quarters the percentiles look right; the miss of each quarter shows the errors.
func TestMissesOfParts(t *testing.T) {
	whole, quarters := NewMisses(func(int) string { return "all" }), NewMisses(QuarterName)
	begin, err := fare.ParseDay("2025-12-31")
	if err != nil {
		t.Fatal(err)
	}
	add := func(day fare.Day, percentile int) {
		is := func(p int) float64 { return Share(percentile <= p) }
		whole.Add(0, is)
		quarters.Add(Quarter(day), is)
	}
	for i := range 200 {
		add(begin, 1+i/4)    // 1 to 50
		add(begin+1, 51+i/4) // 51 to 100
	}
	for range 10 {
		add(begin+91, 0) // too few rows to measure this quarter
	}
	want := []Miss{{"2025-Q4", 200, 50}, {"2026-Q1", 200, 50}, {"2026-Q2", 10, 95}}
	parts := quarters.Parts()
	if diff := cmp.Diff(want, parts); diff != "" {
		t.Error(diff)
	}
	if worst := WorstOf(parts); worst.Part != "2025-Q4" {
		t.Errorf("the worst is %+v", worst)
	}
	if worst := WorstOf(parts[2:]); worst.Part != "2026-Q2" {
		t.Errorf("the worst of few rows is %+v", worst)
	}
	if all := whole.Parts(); len(all) != 1 || all[0].Worst > 2.5 {
		t.Errorf("the whole: %+v", all)
	}
	var text strings.Builder
	tables := NewTables(&text)
	tables.Misses("By quarter", 2, parts)
	tables.End(nil)
	if !strings.Contains(text.String(), "the worst is off by 50.0 points (2025-Q4)") {
		t.Error(text.String())
	}
}
