// Package evidence checks the claims of docs/evidence.md over whole recorded panels.
package evidence

import (
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/cmd/backtest/departures"
	"verdetto/cmd/backtest/routes"
	"verdetto/cmd/backtest/stats"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/verdict/departure"
)

func recorded(t *testing.T, name string) *departures.Panel {
	t.Helper()
	panel, err := departures.Open(filepath.Join(testenv.Data(t), "fares", name+".csv.gz"), "")
	if err != nil {
		t.Fatal(err)
	}
	return panel
}

func run(t *testing.T, panel *departures.Panel, o stats.Days) departures.Report {
	t.Helper()
	r, err := departures.Run(panel, o)
	if err != nil {
		t.Fatal(err)
	}
	r.Print(t.Output())
	return r
}

func TestEvidenceRecord(t *testing.T) {
	cited := departure.Recorded()
	var all []departures.NamedReport
	for _, p := range cited.Panels {
		files, err := filepath.Glob(filepath.Join(testenv.Data(t), "fares", p.Name+".*"))
		if err != nil || len(files) != 1 {
			t.Fatalf("panel %s: %v, %v", p.Name, files, err)
		}
		panel, err := departures.Open(files[0], "")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, departures.NamedReport{Name: p.Name, Report: run(t, panel, stats.Days{})})
	}
	got, err := departures.Record(all)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*cited, got, cmpopts.EquateApprox(0, 1.5e-4)); diff != "" {
		t.Errorf("make it anew with cmd/backtest -record: %s", diff)
	}
}

func TestEvidenceDepartures(t *testing.T) {
	type limits struct {
		auc, above      float64 // minimum AUC of the chance of a fall, and minimum lead over the rival
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
			r := run(t, recorded(t, c.file), stats.Days{Cycle: c.cycle})
			rule, rival := r.Methods[0], r.Against[0]
			if rule.AUC < c.limits.auc || rival.Difference < c.limits.above || rule.BrierSkill < c.limits.skill ||
				rule.Answered < c.limits.answered || rule.ECE > c.limits.ece || r.WorstMiss > c.limits.miss {
				t.Errorf("want the limits %+v", c.limits)
			}
			if worst := stats.WorstOf(r.MissByQuarter); worst.Worst > c.quarter {
				t.Errorf("by quarter %+v; want at most %v", r.MissByQuarter, c.quarter)
			}
			byFalls := func(a, b departures.Level) int { return int(1e9 * (a.Fell - b.Fell)) }
			if c.limits.ordered && !slices.IsSortedFunc(r.Levels[:4], byFalls) {
				t.Errorf("falls by level: %+v", r.Levels)
			}
			walk := r.References[0]
			if walk.Count > 10_000 && (walk.AUC > .54 || walk.ScoreAUC < .48 || walk.ScoreAUC > .52) {
				t.Errorf("on a walk: %+v", walk)
			}
		})
	}
}

func TestEvidenceLevels(t *testing.T) {
	for _, file := range []string{"travelpayouts_daily_2025_2026", "eu_wizzair_2015_2016_full"} {
		panel, err := routes.Open(filepath.Join(testenv.Data(t), "fares", file+".csv.gz"), "", io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		r, err := routes.Run(panel, stats.Days{})
		if err != nil {
			t.Fatal(err)
		}
		r.Print(t.Output())
		after := func(level int) float64 { return r.Levels[level].Later[1].Mean }
		if !(after(0) > after(2) && after(1) > after(2) && after(2) > after(3)) {
			t.Errorf("%s, 14 days later: %+v", file, r.Levels)
		}
	}
}
