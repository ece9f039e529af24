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

// byRoute gives 400 days of everything.
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
			if o.Depart < o.FoundDay() || o.Price < 9_99 || o.Price > 2500_00 || o.Price%100 != 99 ||
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

// The habits of real fares, measured on the invented ones as one measures them
// on the real: within a departure where time is concerned.
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
	for _, want := range []string{"2016-03-27", "2019-04-21", "2024-03-31", "2025-04-20", "2026-04-05", "2027-03-28", "2038-04-25"} {
		day, err := fare.ParseDay(want)
		if err != nil {
			t.Fatal(err)
		}
		if got := easter(day.Time().Year()); got != day {
			t.Errorf("Easter is %s, want %s", got, want)
		}
	}
}

// A day of one route, to see when the world changes: a store seeded before
// would then hold two worlds.
func TestGolden(t *testing.T) {
	var b strings.Builder
	for _, f := range fares(t, New(), "VRN", noon.AddDate(0, 0, -2), noon) {
		fmt.Fprintf(&b, "%s found %s departs %s at %d\n", f.Route, time.Unix(f.Found, 0).UTC().Format(time.RFC3339), f.Depart, f.Price)
	}
	path := filepath.Join("testdata", "verona.golden")
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

func BenchmarkEverything(b *testing.B) {
	n := 0
	for b.Loop() {
		n = 0
		for _, observations := range byRoute(b) {
			n += len(observations)
		}
	}
	b.ReportMetric(float64(n), "fares")
}
