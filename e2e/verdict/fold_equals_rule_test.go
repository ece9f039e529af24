package verdict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/backtest/departures"
	"verdetto/e2e/fixture"
	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict/departure"
)

const foldBegins = fare.Day(20000)

// onSale returns the same invented fares twice, the second time as a panel.
func onSale(t *testing.T, seed uint64) (fares fixture.Fares, panel *departures.Panel) {
	t.Helper()
	for route := range 6 {
		rng := rand.New(rand.NewPCG(seed, uint64(route)))
		r := fare.Route{Origin: "MIL", Destination: fare.City("AA" + string(rune('A'+route)))}
		for _, departs := range rng.Perm(129)[:30] {
			first := 4 + .3*float64(route) + .2*rng.NormFloat64()
			now := first
			for day := departs - 40; day <= departs; day++ {
				if rng.IntN(8) == 0 {
					now = first + .5*(now-first) + .15*rng.NormFloat64()
				}
				if day >= 0 && day < 90 {
					fares = append(fares, fare.Fare{Route: r, Observation: fare.Observation{
						Found: (foldBegins + fare.Day(day)).Time().Unix(), Depart: foldBegins + fare.Day(departs),
						Price: fare.Cents(100 * math.Exp(now)), DayOnly: true,
					}})
				}
			}
		}
	}
	slices.SortStableFunc(fares, func(a, b fare.Fare) int { return int(a.Found - b.Found) })
	var file strings.Builder
	file.WriteString(fixture.CSVHeader)
	for _, f := range fares {
		fmt.Fprintf(&file, "%s,%s,%s,%s,%d.%02d,EUR\n", f.Route.Origin, f.Route.Destination, f.FoundDay(), f.Depart, f.Price/100, f.Price%100)
	}
	path := filepath.Join(t.TempDir(), "panel.csv")
	if err := os.WriteFile(path, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	panel, err := departures.Open(path, "")
	if err != nil {
		t.Fatal(err)
	}
	return fares, panel
}

// For each row of panel.Rows whose Day is first or later, fold calls compare with the index of the row
// and the answer that the stored states give.
func fold(t *testing.T, fares fixture.Fares, panel *departures.Panel, first fare.Day, compare func(row int, a departure.Answer)) {
	t.Helper()
	var now time.Time
	clock := func() time.Time { return now }
	kept := store.Fares{Table: fixture.Bolt(t, clock)}
	var cycle departure.Cycle
	var states map[int32]*departure.StateDay
	for i, q := range panel.Rows {
		if q.Day < first {
			continue
		}
		if i == 0 || q.Day != fare.DayOf(now) {
			now = q.Day.Time().Add(12 * time.Hour)
			states = map[int32]*departure.StateDay{}
			r := refresh.Refresher{Source: fares, Fares: kept, Now: clock, Workers: 2}
			if report, err := r.Run(t.Context()); err != nil || report.Failed > 0 {
				t.Fatalf("%s: %+v %v", q.Day, report, err)
			}
			var err error
			if cycle, err = kept.Pooled(t.Context()); err != nil || cycle.Day != q.Day-1 {
				t.Fatalf("on %s the last complete cycle is that of %s: %v", q.Day, cycle.Day, err)
			}
		}
		if states[q.Route] == nil {
			route, err := fare.ParseRoute(panel.Routes[q.Route])
			if err != nil {
				t.Fatal(err)
			}
			state, err := kept.Sheet(t.Context(), fare.Series{Route: route}, false)
			if err != nil || len(state.Encode()) > departure.MaxState {
				t.Fatalf("a state of %d bytes: %v", len(state.Encode()), err)
			}
			var ok bool
			if states[q.Route], ok = state.Day(cycle.Pooled, q.Day); !ok || state.AsOf != q.Day {
				t.Fatalf("%s has no state of %s", route, q.Day)
			}
		}
		departs := q.Day + fare.Day(q.Lead)
		if live, ok := states[q.Route].LiveFare(departs); !ok || live.Price != q.Price {
			t.Fatalf("%s, departure on %s: live are %+v, want %d", panel.Routes[q.Route], departs, live, q.Price)
		}
		answer, _ := states[q.Route].Judge(departs, 0)
		compare(i, answer)
	}
}

func TestFold_IsTheRule(t *testing.T) {
	t.Parallel()
	fares, panel := onSale(t, 8)
	want := departures.Judge(panel)
	var judged, percentile, chance float64
	fold(t, fares, panel, 0, func(row int, a departure.Answer) {
		if math.IsNaN(want.Percentile[row]) != math.IsNaN(a.Percentile) {
			t.Fatalf("row %d: percentile %v, the rule's own is %v", row, a.Percentile, want.Percentile[row])
		}
		if !math.IsNaN(a.Percentile) {
			judged++
			percentile += math.Abs(a.Percentile - want.Percentile[row])
			chance += math.Abs(a.Chance[0] - want.Chance[0][row])
		}
	})
	t.Logf("%.0f of %d fares judged: percentiles %.5f apart on average, chances %.5f", judged, len(panel.Rows), percentile/judged, chance/judged)
	if judged < 4000 || percentile/judged > .01 || chance/judged > .01 {
		t.Error("that is too few, or too far apart")
	}
}

func TestFold_OfAllThatIsStored(t *testing.T) {
	t.Parallel()
	const first = foldBegins + 70
	fares, panel := onSale(t, 9)
	want := departures.Judge(panel)
	compared := 0
	fold(t, fares, panel, first, func(row int, a departure.Answer) {
		if panel.Rows[row].Day != first || math.IsNaN(want.Percentile[row]) {
			return
		}
		compared++
		// Stored values are rounded.
		near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-3 }
		if !near(a.Percentile, want.Percentile[row]) || !near(a.Chance[0], want.Chance[0][row]) || !near(a.Chance[1], want.Chance[1][row]) {
			t.Errorf("row %d: %+v, want percentile %v, chances %v and %v", row, a, want.Percentile[row], want.Chance[0][row], want.Chance[1][row])
		}
	})
	if compared < 50 {
		t.Errorf("only %d answers", compared)
	}
}
