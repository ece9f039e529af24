package backtest

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/places"
	"verdetto/shared/testenv"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/upstream/ecb"
)

// recorded reads a panel of recorded fares.
func recorded(t *testing.T, name string, options ...csvfile.Option) Panel {
	t.Helper()
	data := testenv.Data(t)
	source, err := csvfile.Open(filepath.Join(data, "fares", name), upstream.Comparable{CityOf: places.CityOf, Rates: ecb.Table().On}, options...)
	if err != nil {
		t.Fatal(err)
	}
	origins, err := source.Origins(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	panel := Panel{}
	for _, origin := range origins {
		answer, err := source.Fares(t.Context(), origin, time.Time{}, time.Unix(1<<40, 0))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range answer.Fares {
			panel[f.Route] = append(panel[f.Route], f.Observation)
		}
	}
	return panel
}

func day(t *testing.T, s string) fare.Day {
	t.Helper()
	d, err := fare.ParseDay(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestEvidencePanels holds what docs/evidence.md says of the second halves of the
// panels, with a margin for rules that measure a little differently. What is
// not reached is not here.
func TestEvidencePanels(t *testing.T) {
	for _, c := range []struct {
		name, file, from string
		cycle            int
		options          []csvfile.Option
		wizz             bool
		miscalibrated    float64 // at most, with ties spread
	}{
		{"daily", "eu_wizzair_2015_2016_full.csv.gz", "2016-02-08", 1, nil, true, 0.10},
		{"weekly", "eu_wizzair_weekly.csv.gz", "2016-02-08", 7, nil, true, 0.08},
		{"another source, ten years later", "travelpayouts_history_2026.csv.gz", "2026-08-01", 1, []csvfile.Option{csvfile.Price("outbound_price")}, false, 0.10},
	} {
		t.Run(c.name, func(t *testing.T) {
			panel := recorded(t, c.file, c.options...)
			r := run(t, panel, Options{From: day(t, c.from), Cycle: c.cycle})
			var figures strings.Builder
			r.Print(&figures)
			t.Log(figures.String())
			for _, p := range r.Calibration {
				if off := p.Spread - float64(p.P)/100; off > c.miscalibrated || off < -c.miscalibrated {
					t.Errorf("P(percentile <= %d) = %.3f", p.P, p.Spread)
				}
			}
			// After cheap days fares rise and after dear ones they fall.
			after := map[string]float64{}
			for _, l := range r.Levels {
				for _, change := range l.Later {
					if change.Days == 14 {
						after[l.Level] = change.Mean
					}
				}
			}
			if !(after["ottimo"] > after["normale"] && after["buono"] > after["normale"] && after["normale"] > after["caro"]) {
				t.Errorf("two weeks later: %v", after)
			}
			if !c.wizz {
				return // its departures are seen too seldom for the rest
			}
			advised := r.Window[len(r.Window)-1]
			if advised.Lead != "advised" {
				t.Fatalf("%+v", r.Window)
			}
			for _, b := range r.Window[:len(r.Window)-1] {
				if b.Mean < advised.Mean+0.05 || b.Median < advised.Median {
					t.Errorf("%s days ahead the premium is %.2f, in the advised window %.2f", b.Lead, b.Mean, advised.Mean)
				}
			}
			for _, group := range r.Travellers {
				saving := map[string]float64{}
				for _, p := range group.Policies {
					saving[p.Name] = p.Saving
				}
				if saving["unless caro in the window"] < 0 || saving["lower quartile"] > -1 || saving["always waiting"] > -3 {
					t.Errorf("%s: %v", group.Who, saving)
				}
			}
		})
	}
}

// TestEvidenceIntervals keeps what was measured when the interval was chosen; being
// asked of the same panels it is no proof of it. It judges whole panels: an interval is asked only where at
// least as many days follow as it rests on, which a second half has few of.
func TestEvidenceIntervals(t *testing.T) {
	for _, c := range []struct {
		name, file string
		options    []csvfile.Option
	}{
		{"daily", "eu_wizzair_2015_2016_full.csv.gz", nil},
		{"another source, ten years later", "travelpayouts_history_2026.csv.gz", []csvfile.Option{csvfile.Price("outbound_price")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run(t, recorded(t, c.file, c.options...), Options{})
			all := r.Intervals[len(r.Intervals)-1]
			t.Logf("%s: of %d intervals %.1f %% held", c.name, all.Count, 100*all.Held)
			if all.Level != "all" || all.Count < 300 || all.Held < 0.87 || all.Held > 0.93 {
				t.Errorf("%+v", all)
			}
		})
	}
}
