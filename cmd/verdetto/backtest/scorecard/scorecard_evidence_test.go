package scorecard

import (
	"sync"
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

// TestEvidenceLiveIsReplayed: a service with daily refreshes over a whole recorded panel computes
// the same score as the replay.
func TestEvidenceLiveIsReplayed(t *testing.T) {
	compare(t, recorded(t, "eu_wizzair_2015_2016_full"), 1, 0)
}

// TestEvidenceRests checks the claims of docs/evidence.md about how many answers cite the service's
// own score instead of the embedded record. It counts the answers of the weekly rounds.
func TestEvidenceRests(t *testing.T) {
	for _, c := range []struct {
		name, file string
		cycle      int
		least      [score.Horizons]float64 // minimum percentage of answers whose attesa rests on the score
	}{
		{"the real source, every day", "travelpayouts_daily_2025_2026", 1, [2]float64{69, 63}},
		{"the real source, once a week", "travelpayouts_daily_2025_2026", 7, [2]float64{66, 60}},
		{"daily", "eu_wizzair_2015_2016_full", 1, [2]float64{24, 30}},
		{"weekly", "eu_wizzair_weekly", 7, [2]float64{17, 15}},
	} {
		t.Run(c.name, func(t *testing.T) {
			panel := panelOf(t, recorded(t, c.file))
			first, last := seen(panel)
			var mu sync.Mutex
			var departures, lowered, routes, routesLowered int
			var rested [score.Horizons]int
			from := [score.Horizons]fare.Day{}
			_, err := Run(t.Context(), panel, Options{
				Cycle: c.cycle, Rates: ecb.Table().RatesOn(last),
				Judged: func(r *score.Round, e *departure.Experience) {
					mu.Lock()
					defer mu.Unlock()
					departures += len(r.Departs)
					if r.Route != nil {
						routes++
					}
					if e == nil {
						return
					}
					if r.Route != nil && e.RouteDoubted[r.Route.Sure] {
						routesLowered++
					}
					for _, said := range r.Departs {
						if e.Doubted[said.Sure] {
							lowered++
						}
						for h, horizon := range departure.Horizons() {
							own := (float64(said.Own[h]) + .5) / 200 // as stored: rounded down to half a percent
							if e.Band(horizon, own) != departure.Recorded().Band(horizon, own) {
								rested[h]++
								if from[h] == 0 || r.Day < from[h] {
									from[h] = r.Day
								}
							}
						}
					}
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			share := func(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }
			t.Logf("%d departures: attesa of 7 days rests on the score for %.1f %% (first on day %d), of 14 days for %.1f %% (day %d); affidabilita lowered for %.1f %%; of %d routes for %.1f %%",
				departures, share(rested[0], departures), from[0]-first, share(rested[1], departures),
				from[1]-first, share(lowered, departures), routes, share(routesLowered, routes))
			for h, least := range c.least {
				if got := share(rested[h], departures); got < least {
					t.Errorf("attesa rests on the score for %.1f %%; want at least %.1f", got, least)
				}
			}
			if lowered+routesLowered > 0 {
				t.Errorf("affidabilita is lowered for %d departures and %d routes; want none", lowered, routesLowered)
			}
		})
	}
}
