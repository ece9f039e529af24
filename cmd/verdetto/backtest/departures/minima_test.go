package departures

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/verdict/departure"
)

// TestMinima compares with values computed by hand: the cheapest fare of a month, and of the days
// from one before to one after a departure. Each departure counts with its newest price.
func TestMinima(t *testing.T) {
	panel := read(t, header+`
AAA,BBB,2026-01-30,2026-01-31,90,EUR
AAA,BBB,2026-01-30,2026-02-01,80,EUR
AAA,BBB,2026-01-30,2026-02-20,70,EUR
AAA,CCC,2026-01-30,2026-02-21,10,EUR
AAA,BBB,2026-01-31,2026-02-02,60,EUR
AAA,BBB,2026-01-31,2026-02-28,95,EUR
`)
	months, _ := panel.minima(departure.Month)
	within, _ := panel.minima(departure.Within1)
	if diff := cmp.Diff([]string{
		"AAA-BBB 2026-01-30 1 9000", "AAA-BBB 2026-01-30 29 7000", "AAA-CCC 2026-01-30 29 1000",
		"AAA-BBB 2026-01-31 0 9000", "AAA-BBB 2026-01-31 28 6000",
	}, listed(months)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{
		"AAA-BBB 2026-01-30 1 8000", "AAA-BBB 2026-01-30 2 8000", "AAA-BBB 2026-01-30 21 7000",
		"AAA-CCC 2026-01-30 22 1000",
		"AAA-BBB 2026-01-31 0 8000", "AAA-BBB 2026-01-31 1 6000", "AAA-BBB 2026-01-31 2 6000",
		"AAA-BBB 2026-01-31 20 7000", "AAA-BBB 2026-01-31 28 9500",
	}, listed(within)); diff != "" {
		t.Error(diff)
	}
	// February of the route AAA-BBB is one trip: both days judge the same month.
	if months.trips != 3 || months.rows[1].trip != months.rows[4].trip || within.trips != 6 {
		t.Errorf("%d months, %d spans", months.trips, within.trips)
	}
}

// TestAMinimumIsComparedWithMinima: percentiles of the cheapest fares of months and of days around
// a date are calibrated. If these fares were compared with single departures, nearly all would have
// a low percentile.
func TestAMinimumIsComparedWithMinima(t *testing.T) {
	panel := invent(9, 8, 150, 200, 60, walking)
	for name, span := range map[string]departure.Span{"months": departure.Month,
		"3 days either side": departure.Within3} {
		r := run(t, panel, Options{Ask: name, Span: &span})
		if r.Ask != name || r.WorstMiss > 8 || len(r.Cover) != 1 {
			t.Errorf("%s: the percentile is off by %.1f points: %+v", name, r.WorstMiss, r.Percentiles)
		}
	}
	// For comparison, judge the same cheapest fares as if they were single departures.
	single := panel.ask(nil).answers
	cheapest := map[[2]int32]float64{}
	for i, q := range panel.rows {
		k := [2]int32{q.route, int32(q.day)}
		if p, ok := cheapest[k]; single.percentile[i] >= 0 && (!ok || single.percentile[i] < p) {
			cheapest[k] = single.percentile[i]
		}
	}
	var all []float64
	for _, p := range cheapest {
		all = append(all, p)
	}
	if worstMiss(all) < 30 {
		t.Errorf("minima among single departures are off by %.1f points only: this test tells nothing", worstMiss(all))
	}
}
