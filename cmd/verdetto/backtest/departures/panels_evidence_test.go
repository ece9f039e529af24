package departures

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/shared/architecture/testenv"
	"verdetto/shared/verdict/departure"
)

// TestEvidenceRecord: the embedded record equals the result of the panels.
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

// TestEvidencePanels checks the claims of docs/evidence.md about the recorded panels. Each is
// read without options. Unmet goals are not listed.
func TestEvidencePanels(t *testing.T) {
	month, within3 := departure.Month, departure.Within3
	type limits struct {
		auc, above      float64 // of the chance, and its lead over the same-lead rival on the same rows; at least
		skill, answered float64 // at least
		ece, miss       float64 // at most; the miss in points
		ordered         bool    // falls rise from ottimo to caro
	}
	for _, c := range []struct {
		name, file string
		cycle      int
		span       *departure.Span // nil: departures
		limits     limits
	}{
		{"daily", "eu_wizzair_2015_2016_full", 1, nil, limits{.842, .21, .227, .99, .016, 2.1, true}},
		{"daily, thinned to one day in seven", "eu_wizzair_2015_2016_full", 7, nil, limits{.8275, .18, .15, .94,
			.0215, 3, true}},
		{"Google 2026", "google2026", 1, nil, limits{.658, .04, .053, .88, .0265, 3.8, true}},
		{"Williams", "williams.nodates", 1, nil, limits{.844, .085, .165, .995, .014, 3, true}},
		{"the real source, 43 days", "travelpayouts_history_2026", 1, nil, limits{.626, .05, 0, .67, .052, 6.9, true}},
		{"the real source, 14 months", "travelpayouts_daily_2025_2026", 1, nil, limits{.676, .079, .04, .995,
			.0095, 2.75, true}},
		{"daily, months", "eu_wizzair_2015_2016_full", 1, &month, limits{.5, 0, -1, .98, 1, 6, false}},
		{"daily, 3 days either side", "eu_wizzair_2015_2016_full", 1, &within3, limits{.5, 0, -1, .98, 1, 6, false}},
		{"Google 2026, months", "google2026", 1, &month, limits{.55, 0, -1, .75, 1, 6, false}},
		{"Google 2026, 3 days either side", "google2026", 1, &within3, limits{.6, 0, -1, .88, 1, 6, true}},
		{"the real source, 14 months, months", "travelpayouts_daily_2025_2026", 1, &month, limits{.6, 0, -1,
			.99, 1, 6, true}},
		{"the real source, 14 months, 3 days either side", "travelpayouts_daily_2025_2026", 1, &within3,
			limits{.6, 0, -1, .99, 1, 6, true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			panel := recorded(t, c.file)
			r := run(t, panel, Options{Ask: c.name, Cycle: c.cycle, Span: c.span})
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
			for _, c := range r.Recalibrated {
				// On a panel with few rows the effect of calibration is random.
				if worse := c.ECE - c.RuleECE; worse > .01 || worse > .001 && c.Count > 10_000 {
					t.Errorf("brought to what came of earlier ones, chances of %d days have an ECE of %.4f, the rule's have %.4f", c.Days, c.ECE, c.RuleECE)
				}
			}
			var fell []float64
			for _, l := range r.Levels[:4] {
				fell = append(fell, l.Fell)
			}
			if c.limits.ordered && !slices.IsSorted(fell) {
				t.Errorf("falls by level: %.3f", fell)
			}
			walk := r.References[0]
			if walk.Count > 10_000 && (walk.AUC > .54 || c.span == nil && (walk.ScoreAUC < .48 ||
				walk.ScoreAUC > .52)) {
				t.Errorf("on a walk: %+v", walk)
			}
			// The cheapest of many walks is not a walk: if it is high, another walk soon undercuts
			// it. So the percentile of a span has some skill there. The chance must have more.
			if c.span != nil && rule.AUC < walk.AUC+.08 {
				t.Errorf("AUC %.4f, on a walk %.4f", rule.AUC, walk.AUC)
			}
		})
	}
}
