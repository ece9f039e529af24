// Package shocks measures what happens to verdicts when a market changes. It simulates a service
// over two years of invented fares, refreshed daily or weekly. The shocks are a price war, halved
// fares, a rise of fuel costs, a new airline, and a source that goes silent. It measures after how
// many weeks verdicts are as right as without the shock.
package shocks

import (
	"fmt"
	"math"
	"testing"
)

const (
	windowWeeks = 4 // weeks measured together, because fares within a week are alike
	stayWeeks   = 4 // windows for which a measure must stay right

	// The greatest allowed differences between the market with the shock and the market without it.
	pointsOff = .10 // the share of percentiles of 50 or less
	eceOff    = .02 // the calibration error of the chances; see week.ece
)

// recovery holds how many weeks after a shock each measure is as right as without the shock. The
// measures are the verdicts on routes, the verdicts on departures, and the published chance that a
// fare falls. The value never means that the simulation ends before that.
type recovery struct{ route, departure, chance int }

const never = math.MaxInt

// recovered compares two simulations from a day on: said with the shock, and calm without the
// shock. It returns the weeks that verdicts need to recover.
func recovered(s shock, said, calm *weeks, day int) recovery {
	begin := (day + 6) / 7
	first := func(off func(w, calm week) float64, within float64) int {
		stays := 0
		for at := begin; at+windowWeeks < len(said[0]); at++ {
			w, c := said.window(s.touches, at, windowWeeks), calm.window(s.touches, at, windowWeeks)
			if !(off(w, c) <= within) {
				stays = 0
			} else if stays++; stays > stayWeeks {
				return at - stayWeeks - begin
			}
		}
		return never
	}
	return recovery{
		first(func(w, calm week) float64 { return math.Abs(w.route() - calm.route()) }, pointsOff),
		first(func(w, calm week) float64 { return math.Abs(w.departure() - calm.departure()) }, pointsOff),
		first(func(w, calm week) float64 { return w.ece() - calm.ece() }, eceOff),
	}
}

func (r recovery) String() string {
	weeks := func(n int) string {
		if n == never {
			return "never"
		}
		return fmt.Sprintf("%d weeks", n)
	}
	return fmt.Sprintf("route %s, departure %s, chance %s", weeks(r.route), weeks(r.departure), weeks(r.chance))
}

// measure simulates every shock over the given number of routes. It checks after how many weeks the
// verdicts recover.
func measure(t *testing.T, routes int) {
	for _, cycle := range []int{1, 7} {
		t.Run(fmt.Sprintf("every %d days", cycle), func(t *testing.T) {
			t.Parallel()
			calm := simulate(allShocks[0], routes, cycle)
			for at := 40; at+windowWeeks < days/7; at += windowWeeks {
				w := calm.window(1, at, windowWeeks)
				if math.Abs(w.route()-.5) > .1 || math.Abs(w.departure()-.5) > .1 || w.ece() > .04 {
					t.Errorf("nothing happens, week %d: %s", at, &w)
				}
			}
			for _, s := range allShocks[1:] {
				said := simulate(s, routes, cycle)
				for _, week := range []int{0, 2, 4, 8, 12, 16, 26} {
					at := said.window(s.touches, (begins+s.silent+6)/7+week, windowWeeks)
					t.Logf("%s; week %d: %s", s.name, week, &at)
				}
				worst := said.window(s.touches, (begins+s.silent+6)/7, windowWeeks)
				if c := calm.window(s.touches, (begins+s.silent+6)/7,
					windowWeeks); math.Abs(worst.route()-c.route()) < pointsOff/5 {
					t.Errorf("%s: the shock has no effect: %s", s.name, &worst)
				}
				r := recovered(s, said, calm, begins+s.over)
				t.Logf("%s, refreshed every %d days; right again, from day %d of the shock: %s", s.name, cycle, s.over, r)
				if r.route > s.within.route || r.departure > s.within.departure || r.chance > s.within.chance {
					t.Errorf("%s: %s; want at most %s", s.name, r, s.within)
				}
			}
		})
	}
}

func (w *week) String() string {
	return fmt.Sprintf("route %.2f, departure %.2f, ECE %.3f", w.route(), w.departure(), w.ece())
}
