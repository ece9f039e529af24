package page_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
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
	"verdetto/shared/verdict/departure"
)

// recorded returns the one-way fares of each route in a file, and its last day.
func recorded(t *testing.T, file string) (byRoute map[fare.Route][]fare.Observation, last fare.Day) {
	t.Helper()
	panel, err := csvfile.Open(filepath.Join(testenv.Data(t), "fares", file),
		upstream.Comparable{CityOf: places.CityOf, Rates: ecb.Table().RatesOn}, "")
	if err != nil {
		t.Fatal(err)
	}
	origins, err := panel.Origins(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byRoute = map[fare.Route][]fare.Observation{}
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
	return byRoute, last
}

var panels = []string{"eu_wizzair_weekly.csv.gz", "travelpayouts_daily_2025_2026.csv.gz", "google2026.csv.gz"}

func TestProveHeadlinesAgree(t *testing.T) {
	levels, routes := map[string]int{}, 0
	for _, file := range panels {
		byRoute, last := recorded(t, file)
		for _, of := range byRoute {
			s := verdict.Build(of, verdict.RouteSummary{}, last, verdict.Options{Rates: ecb.Table().RatesOn(last)})
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
	for _, level := range []string{string(verdict.Great), string(verdict.Good), string(verdict.Fair), string(verdict.Expensive)} {
		if levels[level] < 100 {
			t.Errorf("%d pages are %s", levels[level], level)
		}
	}
}

// TestProveCalendarAgrees opens the pages of about 8 departures of each route.
func TestProveCalendarAgrees(t *testing.T) {
	const perPanel, perRoute = 60, 8
	cells, pages, routes := map[string]int{}, 0, 0
	for _, file := range panels {
		byRoute, last := recorded(t, file)
		all := slices.SortedFunc(maps.Keys(byRoute),
			func(a, b fare.Route) int { return strings.Compare(a.String(), b.String()) })
		for i, route := range all {
			if len(all) > perPanel && i%(len(all)/perPanel) != 0 {
				continue
			}
			rates := ecb.Table().RatesOn(last)
			s := verdict.Build(byRoute[route], verdict.RouteSummary{}, last, verdict.Options{Rates: rates})
			quotes := s.DayQuotes(fare.Set(byRoute[route]), last-60, rates)
			var live []departure.Live
			for _, q := range quotes.All {
				live = append(live, departure.Live{Depart: q.Depart, Price: q.Price, Found: q.Found,
					Stops: q.Stops, DayOnly: q.DayOnly})
			}
			var state departure.Learner
			state.Convert(s.Currency, s.PerEuro)
			state.Facts = s.Facts()
			state.Advance(last, departure.Start(last-60), live, new(departure.Statistics))
			if len(state.Live) == 0 {
				continue
			}
			routes++
			of := siteOfSheets(sheetsByTrip{{Route: route}: state.Encode()}, route, last, true)
			colours, found := disagreements(t, of,
				fmt.Sprintf("/?da=%s&a=%s&visto=45&lang=it&quando=%s", route.Origin, route.Destination,
					state.Live[0].Depart),
				max(1, len(state.Live)/perRoute))
			for colour, n := range colours {
				cells[colour] += n
				pages += n
			}
			for _, f := range found {
				t.Errorf("%s of %s: %s", route, file, f)
			}
		}
	}
	t.Logf("%d routes, %d cells: %v", routes, pages, cells)
	for _, colour := range []string{"less", "same", "more"} {
		if cells[colour] < 50 {
			t.Errorf("%d cells are %s", cells[colour], colour)
		}
	}
}
