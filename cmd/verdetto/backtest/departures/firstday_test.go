package departures

import (
	"math"
	"math/rand/v2"
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

// TestFirstDays: each day is judged without other days. With at least 8 other departures of the
// route on that day, the rule ranks a fare among them.
func TestFirstDays(t *testing.T) {
	// No departure changes its price. So a replay of all days knows no more than a single day.
	panel := invent(3, 12, 60, 100, 40, func(_ *rand.Rand, _ int, first, _ float64) float64 { return first })
	rule, rank := panel.firstDays(), panel.ranks()
	fewest := math.MaxInt
	panel.eachRouteDay(func(from, to int) {
		for i := from; i < to; i++ {
			if rule.answers(i) != (to-from-1 >= departure.MinCount) || rule.answers(i) != rank.answers(i) {
				t.Fatalf("with %d others: answered %v, ranked %v", to-from-1, rule.answers(i), rank.answers(i))
			}
			if rule.answers(i) {
				fewest = min(fewest, to-from-1)
			}
		}
	})
	if fewest != departure.MinCount {
		t.Errorf("the fewest others are %d", fewest)
	}
	// On one day of a route, a cheaper fare has a lower or equal percentile: fares less than 5 %
	// apart can be ties.
	panel.eachRouteDay(func(from, to int) {
		for i := from; i < to; i++ {
			for j := from; j < to; j++ {
				if rule.answers(i) && score.LeadSpan(int(panel.rows[i].lead)) == score.LeadSpan(int(panel.rows[j].lead)) &&
					float64(panel.rows[i].price) > 1.2*float64(panel.rows[j].price) && rule.score[i] <= rule.score[j] {
					t.Fatalf("%d is at %v, %d at %v", panel.rows[i].price, rule.score[i], panel.rows[j].price, rule.score[j])
				}
			}
		}
	})
}

// TestFirstDaysReport: a panel (observed fares) with only one day has the same results as that day
// of the longer panel.
func TestFirstDaysReport(t *testing.T) {
	panel := invent(1, 12, 60, 120, 50, reverting)
	r, err := RunFirstDays(t.Context(), panel, Options{})
	if err != nil {
		t.Fatal(err)
	}
	written(t, r)
	rule := r.Methods[0]
	if len(r.Methods) != 5 || rule.Name != "rule" || r.Days != 120 || r.Answered < .7 || rule.AUC < .55 {
		t.Errorf("%+v", r)
	}
	if walk := r.Methods[2]; walk.AUC < .46 || walk.AUC > .54 {
		t.Errorf("on a walk: %+v", walk)
	}
	one := *panel
	one.rows = nil
	from := -1
	for i, q := range panel.rows {
		if q.day == 60 {
			if from < 0 {
				from = i
			}
			one.rows = append(one.rows, q)
		}
	}
	one.index(panel.trips)
	all, alone := panel.firstDays(), one.firstDays()
	for i, p := range alone.score {
		if p != all.score[from+i] && !(math.IsNaN(p) && math.IsNaN(all.score[from+i])) {
			t.Fatalf("row %d: %v alone, %v among other days", i, p, all.score[from+i])
		}
	}
	if _, err := RunFirstDays(t.Context(), panel, Options{To: fare.Day(-1)}); err == nil {
		t.Error("a panel of no days was measured")
	}
}

// TestFirstDayIsCalibrated: with 8 to 20 departures on sale and no history, p % of fares have a
// percentile of p or less. The plain form of the rule (see StartPlainForm) draws all percentiles
// towards 50.
func TestFirstDayIsCalibrated(t *testing.T) {
	panel := invent(3, 40, 40, 60, 40, func(_ *rand.Rand, _ int, first, _ float64) float64 { return first })
	m := newReporter(answeredPanel{panel: panel, outcomes: panel.outcomes()}, Options{})
	_, percentiles := m.answeredRows(panel.firstDays())
	if miss := worstMiss(percentiles); len(percentiles) < 10_000 || miss > 5 {
		t.Errorf("%d percentiles are off by %.1f points", len(percentiles), miss)
	}
}
