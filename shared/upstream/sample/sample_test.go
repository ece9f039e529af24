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

func TestFaresCouldBeReal(t *testing.T) {
	for route, observations := range byRoute(t) {
		for _, o := range observations {
			m := moneyOf(route.Origin)
			if o.Depart < o.FoundDay() || o.Price < 10*m.unit-m.under || o.Price > 5000*m.unit ||
				(o.Price+m.under)%m.unit != 0 || o.Currency != m.currency ||
				o.Stops == fare.StopsUnknown || o.Nights < 0 || o.Nights > 28 || o.DayOnly && o.Found%daySeconds != 0 ||
				o.Found <= noon.Add(-Memory).Unix() || o.Found > noon.Unix() {
				t.Fatalf("%s: %+v", route, o)
			}
		}
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

// The invented fares have the patterns of real fares, measured with the same method. Patterns over
// time compare fares of the same departure.
func TestHabits(t *testing.T) {
	r := newRoute(towns[0], towns[13], always) // MIL-LON
	today := fare.DayOf(noon)
	early, late, changed, fell, pairs, onFloor := 0.0, 0.0, 0, 0, 0, 0
	const departures = 300
	for d := range fare.Day(departures) {
		depart := today - 150 + d
		var prices, best, last []float64
		for lead := fare.Day(180); lead >= 0; lead-- {
			p := r.price(depart, depart-lead)
			prices = append(prices, float64(p))
			switch {
			case lead >= 45 && lead <= 89:
				best = append(best, float64(p))
			case lead <= 5:
				last = append(last, float64(p))
			}
			if lead > 0 {
				next := r.price(depart, depart-lead+1)
				pairs++
				if next != p {
					changed++
				}
				if next < p {
					fell++
				}
			}
			if p == r.floor {
				onFloor++
			}
		}
		early += median(best) / median(prices) / departures
		late += median(last) / median(prices) / departures
	}
	share := func(n int) float64 { return 100 * float64(n) / float64(pairs) }
	t.Logf("45-89 days ahead %.2f of a departure's median, the last six days %.2f; %.1f %% of prices change from day to day, %.1f %% fall; %.0f %% lie on the floor of %d",
		early, late, share(changed), share(fell), share(onFloor), r.floor)
	for _, check := range []struct {
		name             string
		got, least, most float64
	}{
		{"45-89 days ahead", early, 0.75, 0.92},
		{"the last six days", late, 1.5, 2.2},
		{"changes", share(changed), 6, 16},
		{"falls", share(fell), 2, 8},
		{"on the floor", share(onFloor), 0.5, 30},
	} {
		if check.got < check.least || check.got > check.most {
			t.Errorf("%s: %.2f, want %v to %v", check.name, check.got, check.least, check.most)
		}
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func TestEaster(t *testing.T) {
	for _, want := range []string{"2016-03-27", "2019-04-21", "2024-03-31", "2025-04-20", "2026-04-05", "2027-03-28",
		"2038-04-25"} {
		day, err := fare.ParseDay(want)
		if err != nil {
			t.Fatal(err)
		}
		if got := easter(day.Time().Year()); got != day {
			t.Errorf("Easter is %s, want %s", got, want)
		}
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

// On a route with both, the fare with a stop is cheaper than the non-stop fare on most departures,
// but not on all.
func TestStopsAreMostlyCheaper(t *testing.T) {
	cheaper, same := 0, 0
	for _, routes := range New().routes {
		for _, r := range routes {
			for lead := fare.Day(20); r.flights == either && lead < 300; lead += 7 {
				same++
				today := fare.DayOf(noon)
				if r.priceWithStop(today+lead, today) < r.price(today+lead, today) {
					cheaper++
				}
			}
		}
	}
	if share := 100 * cheaper / same; share < 55 || share > 90 {
		t.Errorf("%d %% are cheaper", share)
	}
}

// Compared with two one-way fares, a long-haul return is cheap for long stays and dear for
// weekends.
func TestReturnsAreNoSumOfTwo(t *testing.T) {
	r := newRoute(towns[0], towns[37], always) // MIL-NYC
	today := fare.DayOf(noon)
	ratio := func(trip fare.Trip) float64 {
		var ratios []float64
		for depart := today + 20; depart < today+250; depart++ {
			nights := stays[trip].nights[depart%2]
			both := r.price(depart, today) + r.price(depart+nights, today)
			ratios = append(ratios, float64(r.priceReturn(depart, today, trip, nights))/float64(both))
		}
		return median(ratios)
	}
	if weekend, long := ratio(fare.Return1to3), ratio(fare.Return8to14); weekend < 1.1 || long > 0.8 {
		t.Errorf("of two one-way fares a weekend costs %.2f, two weeks %.2f", weekend, long)
	}
	for trip, stay := range stays {
		for _, nights := range stay.nights {
			if fare.TripOf(int(nights)) != trip {
				t.Errorf("%d nights are no trip of %s", nights, trip)
			}
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
