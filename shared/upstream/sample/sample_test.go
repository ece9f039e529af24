package sample

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
)

var update = flag.Bool("update", false, "write the golden files anew")

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func fares(t testing.TB, s *Source, origin fare.City, since, until time.Time) []fare.Fare {
	t.Helper()
	answer, err := s.Fares(t.Context(), origin, since, until)
	if err != nil {
		t.Fatal(err)
	}
	return answer.Fares
}

func byRoute(t testing.TB) map[fare.Route][]fare.Observation {
	t.Helper()
	s := New()
	origins, err := s.Origins(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := map[fare.Route][]fare.Observation{}
	for _, origin := range origins {
		for _, f := range fares(t, s, origin, time.Time{}, noon) {
			found[f.Route] = append(found[f.Route], f.Observation)
		}
	}
	return found
}

func TestWindowsDoNotMatter(t *testing.T) {
	sorted := func(list []fare.Fare) []fare.Fare {
		slices.SortFunc(list, func(a, b fare.Fare) int {
			if c := strings.Compare(a.Route.String(), b.Route.String()); c != 0 {
				return c
			}
			return a.Compare(b.Observation)
		})
		return list
	}
	whole := sorted(fares(t, New(), "BLQ", noon.AddDate(0, 0, -60), noon))
	for _, hours := range []int{1, 7, 24, 100, 24 * 7} {
		t.Run(fmt.Sprintf("%d hours", hours), func(t *testing.T) {
			s := New()
			var pieces []fare.Fare
			for from := noon.AddDate(0, 0, -60); from.Before(noon); {
				to := from.Add(time.Duration(hours) * time.Hour)
				if to.After(noon) {
					to = noon
				}
				pieces = append(pieces, fares(t, s, "BLQ", from, to)...)
				from = to
			}
			if diff := cmp.Diff(whole, sorted(pieces)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheWorldIsLaidOutAsSaid(t *testing.T) {
	s := New()
	routes := s.Routes()
	if n := len(routes); n < 230 || n > 270 {
		t.Errorf("%d routes", n)
	}
	seen := map[fare.Route]bool{}
	for _, r := range routes {
		if seen[r] {
			t.Errorf("%s is listed twice", r)
		}
		seen[r] = true
		if _, err := fare.ParseRoute(r.String()); err != nil {
			t.Error(err)
		}
	}
	for _, town := range towns {
		if len(s.routes[town.code]) == 0 {
			t.Errorf("no routes from %s", town.code)
		}
	}
}

func TestThinRoutes(t *testing.T) {
	found := byRoute(t)
	live, idle := 0, 0
	for _, routes := range New().routes {
		for _, r := range routes {
			days := map[fare.Day]bool{}
			newest := fare.Day(0)
			for _, o := range found[r.Route] {
				days[o.FoundDay()] = true
				newest = max(newest, o.FoundDay())
			}
			switch {
			case r.habit != thin && r.habit != summer && len(days) < 390:
				t.Errorf("%s has fares of %d days only", r.Route, len(days))
			case r.habit != thin:
			case len(days) < 1 || len(days) > 7:
				t.Errorf("%s is thin and has fares of %d days", r.Route, len(days))
			case fare.DayOf(noon)-newest < 7:
				live++
			default:
				idle++
			}
		}
	}
	if live == 0 || idle == 0 {
		t.Errorf("of the thin routes %d have fares of this week and %d have none", live, idle)
	}
}

// The source has routes with and without stops, return trips of every length of stay, and towns
// with their own currencies. On lively routes a fare of every future departure is known.
func TestRoutesAreOfEveryKind(t *testing.T) {
	found := byRoute(t)
	today := fare.DayOf(noon)
	kinds := map[string]int{}
	for _, routes := range New().routes {
		for _, r := range routes {
			stops, trips, departures := map[fare.Stops]int{}, map[fare.Trip]int{}, map[fare.Day]bool{}
			summers := map[int]bool{}
			for _, o := range found[r.Route] {
				trips[fare.TripOf(int(o.Nights))]++
				if o.Nights > 0 {
					continue
				}
				stops[o.Stops]++
				if o.Depart.Month() == time.July {
					summers[o.Depart.Time().Year()] = true
				}
				if noon.Unix()-o.Found < 7*daySeconds && o.Depart >= today {
					departures[o.Depart] = true
				}
			}
			switch with, without := stops[fare.OneStop]+stops[fare.MoreStops], stops[fare.NonStop]; {
			case without == 0:
				kinds["with stops alone"]++
			case with == 0:
				kinds["without stops alone"]++
			case with < without/4 || without < with/4:
				t.Errorf("%s: %d fares with stops and %d without", r.Route, with, without)
			default:
				kinds["with stops and without"]++
			}
			switch len(trips) {
			case 1:
				kinds["one-way alone"]++
			case len(fare.Trips()):
				kinds["returns"]++
			default:
				t.Errorf("%s has trips %v", r.Route, trips)
			}
			if r.lively {
				kinds["lively"]++
				if len(summers) != 2 {
					t.Errorf("%s: departures of the summers %v, want two", r.Route, summers)
				}
				for depart := today; depart <= today+ahead-sweepDays; depart++ {
					if !departures[depart] {
						t.Errorf("%s: no fare of this week departs on %s", r.Route, depart)
					}
				}
			}
			kinds[r.money.currency.String()]++
		}
	}
	t.Log(kinds)
	for kind, least := range map[string]int{
		"with stops alone": 10, "without stops alone": 150, "with stops and without": 30, "one-way alone": 200,
		"returns": 20,
		"lively":  20, "EUR": 200, "GBP": 10, "USD": 4, "HUF": 5, "RON": 5,
	} {
		if kinds[kind] < least {
			t.Errorf("%s: %d routes, want at least %d", kind, kinds[kind], least)
		}
	}
}

// If the invented fares change, a store with earlier ones mixes two sets.
func TestGolden(t *testing.T) {
	var b strings.Builder
	found := fares(t, New(), "VRN", noon.AddDate(0, 0, -2), noon)
	for _, f := range fares(t, New(), "LON", noon.AddDate(0, 0, -1), noon) {
		if f.Route.Destination == "NYC" {
			found = append(found, f)
		}
	}
	for _, f := range found {
		stops, _ := f.Stops.Number()
		fmt.Fprintf(&b, "%s found %s departs %s nights %d stops %d at %d %s\n",
			f.Route, time.Unix(f.Found, 0).UTC().Format(time.RFC3339), f.Depart, f.Nights, stops, f.Price, f.Currency)
	}
	path := filepath.Join("testdata", "days.golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Error(diff)
	}
}
