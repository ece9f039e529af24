package departures

import (
	"math"
	"math/rand/v2"
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

// TestFirstDays: each day is judged alone. The rule ranks a fare among the other departures of its
// route that day, from 8 of them on.
func TestFirstDays(t *testing.T) {
	// No departure changes its price, so no other day can say more than one does.
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
	// The order of a day's fares is that of their prices: residuals in one step of 5 % are ties.
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

// TestFirstDaysReport: one day of a panel has the same answers as the day within the panel.
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

// TestFirstRuleIsSlow: when all fares rise by half, the first rule calls them all expensive, and
// the rule does not.
func TestFirstRuleIsSlow(t *testing.T) {
	panel := invent(5, 12, 60, 140, 40, reverting)
	for i := range panel.rows {
		if panel.rows[i].day >= 90 { // 1970-04-01
			panel.rows[i].price = panel.rows[i].price * 3 / 2
		}
	}
	r := run(t, panel, Options{})
	f := r.FirstRule
	if f == nil || f.Count == 0 || f.Interval == nil || len(f.MissByQuarter) != 2 || len(r.MissByQuarter) != 2 {
		t.Fatalf("%+v", f)
	}
	if first, second := f.MissByQuarter[1], r.MissByQuarter[1]; first.Worst < 12 || second.Worst > 6 {
		t.Errorf("first rule off by %.1f points, the rule by %.1f", first.Worst, second.Worst)
	}
}

// TestFirstDayIsCalibrated: with 8 to 20 departures on sale and nothing else known, as many fares
// lie below a percentile as it says. The plain form draws all percentiles towards 50.
func TestFirstDayIsCalibrated(t *testing.T) {
	panel := invent(3, 40, 40, 60, 40, func(_ *rand.Rand, _ int, first, _ float64) float64 { return first })
	_, percentiles := newReporter(answeredPanel{panel: panel, outcomes: panel.outcomes()}, Options{}).answeredRows(panel.firstDays())
	if miss := worstMiss(percentiles); len(percentiles) < 10_000 || miss > 5 {
		t.Errorf("%d percentiles are off by %.1f points", len(percentiles), miss)
	}
}
