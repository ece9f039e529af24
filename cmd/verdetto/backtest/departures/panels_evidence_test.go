package departures

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/cmd/verdetto/backtest/stats"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// TestEvidenceRecord: record.json holds how recorded fares changed after each stated chance of a
// fall. It equals the values computed again from the files of recorded fares.
func TestEvidenceRecord(t *testing.T) {
	cited := departure.Recorded()
	var all []NamedReport
	for _, p := range cited.Panels {
		files, err := filepath.Glob(filepath.Join(testenv.Data(t), "fares", p.Name+".*"))
		if err != nil || len(files) != 1 {
			t.Fatalf("panel %s: %v, %v", p.Name, files, err)
		}
		panel, err := OpenTrips(files[0], TripOptions{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, NamedReport{p.Name, run(t, panel, Options{})})
	}
	got, err := Record(all)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*cited, got, cmpopts.EquateApprox(0, 1.5e-4)); diff != "" {
		t.Errorf("make it anew with backtest -record: %s", diff)
	}
}

// TestEvidencePanels checks the claims of docs/evidence.md about recorded fares. Each panel is read
// without options. Goals that the rule does not reach are not listed.
func TestEvidencePanels(t *testing.T) {
	type limits struct {
		auc, above      float64 // minimum AUC of the chance of a fall, and minimum lead over the rival "same lead"
		skill, answered float64 // minimum Brier skill, minimum share of answered rows
		ece, miss       float64 // maximum ECE, maximum miss of the percentile in points
		ordered         bool    // the share of falls rises from ottimo to caro
	}
	for _, c := range []struct {
		name, file string
		cycle      int
		limits     limits
		quarter    float64 // maximum miss of the percentile in a quarter of the year, in points
	}{
		{"daily", "eu_wizzair_2015_2016_full", 1, limits{.842, .21, .227, .99, .016, 2.1, true}, 2.1},
		{"daily, thinned to one day in seven", "eu_wizzair_2015_2016_full", 7, limits{.826, .18, .15, .99, .0215, 3, true}, 3.3},
		{"Google 2026", "google2026", 1, limits{.658, .04, .053, .88, .0215, 3.8, true}, 2.4},
		{"Williams", "williams.nodates", 1, limits{.844, .085, .165, .995, .014, 3, true}, 22.2},
		{"the real source, 43 days", "travelpayouts_history_2026", 1, limits{.626, .05, -.021, .67, .052, 7.5, false}, 7.5},
		{"the real source, 14 months", "travelpayouts_daily_2025_2026", 1, limits{.69, .09, .04, .995, .0095, 2.75, true}, 5.1},
		{"the real source, 14 months, one day in seven", "travelpayouts_daily_2025_2026", 7, limits{.695, .04, .06, .99, .0105, 4.3, true}, 6.7},
	} {
		t.Run(c.name, func(t *testing.T) {
			panel := recorded(t, c.file)
			r := run(t, panel, Options{Cycle: c.cycle})
			t.Log(figures(r))
			rule, rival := r.Methods[0], r.Against[0]
			if rule.AUC < c.limits.auc || rival.Difference < c.limits.above ||
				rule.BrierSkill < c.limits.skill || rule.Answered < c.limits.answered {
				t.Errorf("AUC %.4f (%+.4f), skill %.4f, answered %.4f; want at least %+v", rule.AUC,
					rival.Difference, rule.BrierSkill, rule.Answered, c.limits)
			}
			if rule.ECE > c.limits.ece || r.WorstMiss > c.limits.miss {
				t.Errorf("ECE %.4f, percentile off by %.2f; want at most %+v", rule.ECE, r.WorstMiss, c.limits)
			}
			if worst := stats.WorstOf(r.MissByQuarter); worst.Worst > c.quarter {
				t.Errorf("by quarter %+v; want at most %v", r.MissByQuarter, c.quarter)
			}
			var fell []float64
			for _, l := range r.Levels[:4] {
				fell = append(fell, l.Fell)
			}
			if c.limits.ordered && !slices.IsSorted(fell) {
				t.Errorf("falls by level: %.3f", fell)
			}
			walk := r.References[0]
			if walk.Count > 10_000 && (walk.AUC > .54 || walk.ScoreAUC < .48 || walk.ScoreAUC > .52) {
				t.Errorf("on a walk: %+v", walk)
			}
		})
	}
}

// TestEvidenceQuarters: on recorded Travelpayouts fares, refreshed once a week, the percentiles of
// a whole quarter of the year are off by 5 percentage points at most. All seven weekdays of
// refreshes are replayed, since each alone is a small sample. The first quarter has only 24 days,
// the first weeks of the service; it is off by 6.0 percentage points.
func TestEvidenceQuarters(t *testing.T) {
	panel := recorded(t, "travelpayouts_daily_2025_2026")
	quarters := stats.NewMisses(stats.QuarterName)
	for start := range 7 {
		few := *panel
		first := panel.rows[0].day + fare.Day(start)
		few.rows = slices.DeleteFunc(slices.Clone(panel.rows), func(q quote) bool { return q.day < first })
		thin := few.thinned(Options{Cycle: 7})
		m := newReporter(thin.ask(), Options{})
		rows, scores := m.answeredRows(m.rule[0])
		for i, row := range rows {
			quarters.Add(stats.Quarter(thin.rows[row].day), exactly(scores[i]))
		}
	}
	for i, q := range quarters.Parts() {
		t.Logf("%+v", q)
		if most := map[bool]float64{true: 6.1, false: 5}[i == 0]; q.Worst > most {
			t.Errorf("%+v; want at most %v", q, most)
		}
	}
}

// TestEvidenceFirstDays checks the claims of docs/evidence.md about the first day of a service. It
// judges each day of a recorded panel as if no other day were known.
func TestEvidenceFirstDays(t *testing.T) {
	for _, c := range []struct {
		file                string
		answered, auc, miss float64 // at least, at least, and at most in points
	}{
		{"travelpayouts_daily_2025_2026", .78, .60, 2.7},
		{"eu_wizzair_weekly", .99, .60, .8},
		{"google2026", .99, .61, 4.7},
	} {
		r, err := RunFirstDays(t.Context(), recorded(t, c.file), Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(figures(r))
		rule, walk := r.Methods[0], r.Methods[2]
		if r.Answered < c.answered || rule.AUC < c.auc || rule.WorstMiss > c.miss || walk.AUC < .48 || walk.AUC > .52 {
			t.Errorf("%s: %.3f answered, %+v; want %+v", c.file, r.Answered, rule, c)
		}
	}
}
