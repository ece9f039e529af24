package departures

import (
	"math"
	"math/rand/v2"
	"testing"

	"verdetto/cmd/backtest/stats"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

func still(_ *rand.Rand, _ int, first, _ float64) float64 { return first }

func TestFirstDays(t *testing.T) {
	panel := invent(3, 12, 60, 100, 40, still)
	rule := firstDays("rule", panel)
	fewest, begin := math.MaxInt, panel.days()
	for day := range len(begin) - 1 {
		panel.eachRoute(begin[day], begin[day+1], func(_ int32, from, to int) {
			others := to - from - 1
			for i := from; i < to; i++ {
				if rule.answers(i) != (others >= departure.MinCount) {
					t.Fatalf("with %d others: answered %v", others, rule.answers(i))
				}
				if !rule.answers(i) {
					continue
				}
				fewest = min(fewest, others)
				// Fares that differ by less than a fifth may be ties.
				for j := from; j < to; j++ {
					a, b := panel.Rows[i], panel.Rows[j]
					if score.LeadSpan(int(a.Lead)) == score.LeadSpan(int(b.Lead)) && float64(a.Price) > 1.2*float64(b.Price) &&
						rule.score[i] <= rule.score[j] {
						t.Fatalf("%d is at %v, %d at %v", a.Price, rule.score[i], b.Price, rule.score[j])
					}
				}
			}
		})
	}
	if fewest != departure.MinCount {
		t.Errorf("the fewest others are %d", fewest)
	}
}

func TestRunFirstDays(t *testing.T) {
	panel := invent(1, 12, 60, 120, 50, reverting)
	r, err := RunFirstDays(panel, stats.Days{})
	if err != nil {
		t.Fatal(err)
	}
	written(t, r)
	rule := r.Methods[0]
	if len(r.Methods) != 4 || rule.Name != "rule" || r.Days != 120 || r.Answered < .7 || rule.AUC < .55 {
		t.Errorf("%+v", r)
	}
	if walk := r.Methods[1]; walk.AUC < .46 || walk.AUC > .54 {
		t.Errorf("on a walk: %+v", walk)
	}
	from, to := panel.days()[60], panel.days()[61]
	one := panel.withRows(panel.Rows[from:to])
	one.index()
	all, alone := firstDays("rule", panel), firstDays("rule", one)
	for i, p := range alone.score {
		if p != all.score[from+i] && !(math.IsNaN(p) && math.IsNaN(all.score[from+i])) {
			t.Fatalf("row %d: %v alone, %v among other days", i, p, all.score[from+i])
		}
	}
	if _, err := RunFirstDays(panel, stats.Days{To: -1}); err == nil {
		t.Error("a panel of no days was measured")
	}
}

func TestFirstDays_Calibrated(t *testing.T) {
	panel := invent(3, 40, 40, 60, 40, still)
	m := newReporter(answered{panel: panel, outcomes: outcomes(panel)}, stats.Days{})
	_, percentiles := m.answeredRows(firstDays("rule", panel))
	if miss := stats.WorstMiss(percentiles); len(percentiles) < 10_000 || miss > 5 {
		t.Errorf("%d percentiles are off by %.1f points", len(percentiles), miss)
	}
}
