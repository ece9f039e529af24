package backtest

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/shared/architecture/testenv"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/verdict"
)

func recorded(t *testing.T, name, price string) Panel {
	t.Helper()
	data := testenv.Data(t)
	source, err := csvfile.Open(filepath.Join(data, "fares", name), upstream.Comparable{CityOf: places.CityOf, Rates: ecb.Table().RatesOn}, price)
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

// TestEvidencePanels checks the claims of docs/evidence.md about recorded fares. The limits have a
// margin, so that small changes of the rule do not fail the test. Goals that the rule does not
// reach are not listed.
func TestEvidencePanels(t *testing.T) {
	for _, c := range []struct {
		name, file, from string
		price            string  // the price column, if not "price"
		miscalibrated    float64 // maximum miscalibration, with ties spread (see Calibration)
		stale            float64 // maximum share of verdicts on a fare not found on the same day
		intervals        bool    // the panel is long enough to check intervals
		after            bool    // check the outcomes two weeks after a level
	}{
		{"daily", "eu_wizzair_2015_2016_full.csv.gz", "", "", 0.03, 0.05, false, true},
		{"weekly", "eu_wizzair_weekly.csv.gz", "", "", 0.04, 1, false, true},
		{"Google", "google2026.csv.gz", "", "", 0.05, 0.01, false, false},
		{"recent", "travelpayouts_history_2026.csv.gz", "", "outbound_price", 0.07, 0.35, false, true},
		{"the real source", "travelpayouts_daily_2025_2026.csv.gz", "", "", 0.08, 0.05, true, true},
		{"the real source, its second summer", "travelpayouts_daily_2025_2026.csv.gz", "2026-06-20", "", 0.08, 0.05, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := Options{Build: verdict.Options{Rates: ecb.Table().RatesOn(day(t, "2026-08-21"))}}
			if c.from != "" {
				o.From = day(t, c.from)
			}
			r := run(t, recorded(t, c.file, c.price), o)
			var figures strings.Builder
			r.Print(&figures)
			t.Log(figures.String())
			for _, p := range r.Calibration {
				if off := p.Spread - float64(p.P)/100; off > c.miscalibrated || off < -c.miscalibrated {
					t.Errorf("P(percentile <= %d) = %.3f", p.P, p.Spread)
				}
			}
			if r.Stale > c.stale {
				t.Errorf("%.3f of verdicts rest on a fare that was not found on their day", r.Stale)
			}
			// The cheapest fare rises after days with a cheap fare and falls after days with an
			// expensive one.
			after := map[string]float64{}
			for _, l := range r.Levels {
				for _, change := range l.Later {
					if change.Days == 14 {
						after[l.Level] = change.Mean
					}
				}
			}
			if c.after && !(after["ottimo"] > after["normale"] && after["buono"] > after["normale"] &&
				after["normale"] > after["caro"]) {
				t.Errorf("two weeks later: %v", after)
			}
			if !c.intervals {
				return
			}
			for _, i := range r.Intervals {
				if i.Level != "bassa" && (i.Count < 900 || i.Share < 0.86 || i.Share > 0.94) {
					t.Errorf("%+v", i)
				}
			}
		})
	}
}
