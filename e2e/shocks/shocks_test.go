// Package shocks holds what happens to verdicts when a market changes: a service
// is simulated over two years of invented fares and refreshed daily or weekly, and
// after a price war, a halving, a rise of fuel, a new airline and a source that
// goes silent it is measured after how many weeks verdicts are right again.
package shocks

import (
	"fmt"
	"math"
	"testing"
)

// windowWeeks is how many weeks are looked at together: those of one week are alike.
const windowWeeks = 4

// tolerance is how far a measure may be off and still be right.
type tolerance struct{ route, departure, ece float64 }

// after is how many weeks after a day each measure was right again, for good or
// for windowWeeks at least; -1: never within the simulation.
type after struct{ route, departure, ece int }

func recovered(weeks []week, day int, within tolerance) after {
	first := func(right func(w *week) bool) int {
		begin := (day + 6) / 7
		for i := begin; i+windowWeeks < len(weeks); i++ {
			if w := window(weeks, i); right(&w) {
				return i - begin
			}
		}
		return -1
	}
	return after{
		first(func(w *week) bool { return w.routes > 0 && math.Abs(w.route()-.5) <= within.route }),
		first(func(w *week) bool { return w.departures > 0 && math.Abs(w.departure()-.5) <= within.departure }),
		first(func(w *week) bool { return w.departures > 0 && w.ece() <= within.ece }),
	}
}

func window(weeks []week, from int) (all week) {
	for _, w := range weeks[from : from+windowWeeks] {
		all.add(w)
	}
	return all
}

// table prints what a shock did, by weeks from its beginning.
func table(t *testing.T, s shock, cycle int, weeks []week) {
	t.Helper()
	for _, w := range []int{-8, -4, 0, 2, 4, 8, 12, 16, 20, 26, 32, 40, 50} {
		at := window(weeks, (begins+6)/7+w)
		t.Log(fmt.Sprintf("%s, every %d days, week %d: route %.2f, departure %.2f, ece %.3f", s.name, cycle, w, at.route(), at.departure(), at.ece()))
	}
}

func TestTry(t *testing.T) {
	for _, s := range allShocks {
		for _, cycle := range []int{1, 7} {
			weeks := simulate(s, 50, cycle)
			table(t, s, cycle, weeks)
			t.Logf("%+v", recovered(weeks, begins+s.silent, tolerance{.1, .06, .03}))
			if s.ends > 0 {
				t.Logf("ends: %+v", recovered(weeks, begins+s.ends, tolerance{.1, .06, .03}))
			}
		}
	}
}
