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

// If the invented fares changed, a store with earlier fares would mix two sets.
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
