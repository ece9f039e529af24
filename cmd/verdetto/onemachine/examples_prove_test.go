package onemachine_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/upstream/sample"
	"verdetto/shared/verdict"
)

// The 104 days, five days apart, cover all seasons and weekdays.
func TestProveEveryLevelOnEveryDay(t *testing.T) {
	source := sample.New()
	origins, err := source.Origins(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 104 {
		now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, 5*i)
		seen := map[string]bool{}
		// Origins with few fares come first, because their routes may have too little data for a verdict.
		for _, origin := range slices.Concat([]fare.City{"TRN", "VRN", "TCI", "PSA", "CPH", "MLA", "DUB", "PRG", "BUH"}, origins) {
			if len(seen) == len(levels) {
				break
			}
			answer, err := source.Fares(t.Context(), origin, time.Time{}, now)
			if err != nil {
				t.Fatal(err)
			}
			routes := map[fare.Route][]fare.Observation{}
			for _, f := range answer.Fares {
				if f.Nights == 0 {
					routes[f.Route] = append(routes[f.Route], f.Observation)
				}
			}
			for _, observations := range routes {
				summary := verdict.Build(fare.Set(observations), verdict.RouteSummary{}, fare.DayOf(now), verdict.Options{})
				if a, ok := verdict.Judge(summary, now); ok {
					seen[string(a.Verdict.Level)] = true
				}
			}
		}
		if len(seen) < len(levels) {
			t.Errorf("%s: there are %v", now.Format(time.DateOnly), slices.Sorted(maps.Keys(seen)))
		}
	}
}
