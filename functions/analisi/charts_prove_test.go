package analisi_test

import (
	"path/filepath"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/places"
	"verdetto/shared/testenv"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/verdict"
)

// TestProveChartsAgree is TestChartsAgree over the routes of recorded panels.
func TestProveChartsAgree(t *testing.T) {
	data := testenv.Data(t)
	levels, routes := map[string]int{}, 0
	for _, file := range []string{"eu_wizzair_weekly.csv.gz", "travelpayouts_daily_2025_2026.csv.gz", "google2026.csv.gz"} {
		panel, err := csvfile.Open(filepath.Join(data, "fares", file), upstream.Comparable{CityOf: places.CityOf, Rates: ecb.Table().On})
		if err != nil {
			t.Fatal(err)
		}
		origins, err := panel.Origins(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		byRoute := map[fare.Route][]fare.Observation{}
		var last fare.Day
		for _, origin := range origins {
			answer, err := panel.Fares(t.Context(), origin, time.Time{}, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range answer.Fares {
				if f.Nights > 0 {
					continue
				}
				byRoute[f.Route] = append(byRoute[f.Route], f.Observation)
				last = max(last, f.FoundDay())
			}
		}
		for _, of := range byRoute {
			s := verdict.Build(of, verdict.RouteSummary{}, last, verdict.Options{Rates: ecb.Table().On(last)})
			if len(s.Lows) < verdict.MinSample {
				continue
			}
			routes++
			for level, n := range agree(t, s, last, 6) {
				levels[level] += n
			}
		}
	}
	t.Logf("%d routes; pages by level: %v", routes, levels)
	for _, level := range []string{verdict.Ottimo, verdict.Buono, verdict.Normale, verdict.Caro} {
		if levels[level] < 100 {
			t.Errorf("%d pages are %s", levels[level], level)
		}
	}
}
