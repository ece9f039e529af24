package departures

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/architecture/testenv"
	"verdetto/shared/fare"
)

// invent returns a panel of invented departures. Each is seen daily, from ahead days before it
// leaves on. The function next returns the next log price of a departure.
func invent(seed uint64, routes, perRoute, days, ahead int, next func(rng *rand.Rand, lead int, first,
	now float64) float64) *Trips {
	t := &Trips{Dropped: map[string]int{}}
	for route := range routes {
		rng := rand.New(rand.NewPCG(seed, uint64(route)))
		t.Routes = append(t.Routes, string([]byte{'A' + byte(route/26/26%26), 'A' + byte(route/26%26),
			'A' + byte(route%26)})+"-BUH")
		for range perRoute {
			departs := fare.Day(1 + rng.IntN(days+ahead-1))
			first := 4 + .3*float64(route%5) + .2*rng.NormFloat64()
			now := first
			for lead := ahead; lead >= 0; lead-- {
				now = next(rng, lead, first, now)
				if day := departs - fare.Day(lead); day >= 0 && int(day) < days {
					t.rows = append(t.rows, quote{int32(route), int32(t.trips), day, int32(lead),
						fare.Cents(math.Round(100 * math.Exp(now)))})
				}
			}
			t.trips++
		}
	}
	t.Read = len(t.rows)
	slices.SortFunc(t.rows, func(a, b quote) int {
		if a.day != b.day {
			return int(a.day - b.day)
		}
		return int(a.trip - b.trip)
	})
	t.index(t.trips)
	return t
}

// reverting moves a price back towards the first price of its departure. walking moves it at
// random.
func reverting(rng *rand.Rand, _ int, first, now float64) float64 {
	if rng.IntN(8) > 0 {
		return now
	}
	return first + .5*(now-first) + .15*rng.NormFloat64()
}

func walking(rng *rand.Rand, _ int, _, now float64) float64 {
	if rng.IntN(8) > 0 {
		return now
	}
	return now + .1*rng.NormFloat64()
}

// run replays a panel (observed fares) and checks that the report can be written.
func run(t *testing.T, panel *Trips, o Options) Report {
	t.Helper()
	r, err := Run(t.Context(), panel, o)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(written(t, r), []byte("null")) {
		t.Errorf("a list of nothing is none: %+v", r)
	}
	return r
}

// written checks that a report can be written as text and as JSON. JSON encoding fails if a number
// is NaN.
func written(t *testing.T, r interface{ Print(io.Writer) }) []byte {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Error(err)
	}
	if text := figures(r); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Errorf("a table of nothing:\n%s", text)
	}
	return data
}

func figures(r interface{ Print(io.Writer) }) string {
	var text strings.Builder
	r.Print(&text)
	return text.String()
}

func read(t *testing.T, text string) *Trips {
	t.Helper()
	panel, err := ReadTrips(strings.NewReader(text), TripOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return panel
}

func recorded(t *testing.T, name string) *Trips {
	t.Helper()
	panel, err := OpenTrips(filepath.Join(testenv.Data(t), "fares", name+".csv.gz"), TripOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return panel
}

// TestSkillLiesBetweenItsReferences: the rule predicts falls if prices return to their usual level.
// It predicts nothing on random walks with the same price steps.
func TestSkillLiesBetweenItsReferences(t *testing.T) {
	r := run(t, invent(1, 12, 40, 120, 50, reverting), Options{})
	rule := r.Methods[0]
	if rule.Name != "rule" || rule.AUC < .58 || rule.BrierSkill <= 0 || rule.ECE > .05 || rule.Answered < .9 {
		t.Errorf("%+v", rule)
	}
	if walk := r.References[0]; walk.AUC < .46 || walk.AUC > .54 || walk.ScoreAUC < .46 || walk.ScoreAUC > .54 {
		t.Errorf("on a walk: %+v", walk)
	}
	if shuffled := r.References[1]; shuffled.AUC < .75 || !slices.IsSorted(shuffled.Falls) {
		t.Errorf("shuffled: %+v", shuffled)
	}
	if !(rule.Interval.Low < rule.AUC && rule.AUC < rule.Interval.High) {
		t.Errorf("%v does not hold %v", rule.Interval, rule.AUC)
	}
	if len(r.Against) != 1 || len(r.Levels) != 5 || len(r.Percentiles) != 7 ||
		len(r.Cover) != 2 || r.Fortnight == nil {
		t.Errorf("missing of the report: %+v", r)
	}
	if r.WorstMiss > 8 || math.Abs(r.Cover[0].Share-.5) > .12 || math.Abs(r.Cover[1].Share-.9) > .08 {
		t.Errorf("worst miss %.1f, cover %+v", r.WorstMiss, r.Cover)
	}
	quarters, leads := 0, 0
	for _, m := range r.MissByQuarter {
		quarters += m.Count
	}
	for _, m := range r.MissByLead {
		leads += m.Count
	}
	if first := r.MissByQuarter[0]; quarters < rule.Count || quarters != leads || first.Part != "1970-Q1" ||
		len(r.MissByQuarter) != 2 || len(r.MissByLead) != 4 || r.MissByLead[3].Part != "45-89" {
		t.Errorf("%d answers by quarter, %d by days before departure: %+v %+v", quarters, leads, r.MissByQuarter,
			r.MissByLead)
	}
}

// TestNoSkillOnARandomWalk: the rule predicts nothing if all prices of the panel (observed fares)
// are random walks.
func TestNoSkillOnARandomWalk(t *testing.T) {
	r := run(t, invent(2, 12, 40, 120, 50, walking), Options{})
	if rule := r.Methods[0]; rule.ScoreAUC < .45 || rule.ScoreAUC > .55 || rule.AUC > .6 {
		t.Errorf("%+v", rule)
	}
}

// TestNoAnswerKnowsItsFuture: if later fares are removed from the panel (observed fares), earlier
// answers stay the same.
func TestNoAnswerKnowsItsFuture(t *testing.T) {
	whole := invent(3, 4, 30, 60, 40, reverting)
	of := whole.ask()
	all, rival := of.answers, of.sameLead()
	for _, end := range []fare.Day{5, 20, 40, 58} {
		cut := whole.thinned(Options{Cycle: 1, To: end})
		n := len(cut.rows)
		if n == 0 || n == len(whole.rows) {
			t.Fatalf("%d rows until day %d", n, end)
		}
		known := cut.ask()
		got := known.answers
		same := func(what string, a, b []float64) {
			for i := range b {
				if a[i] != b[i] && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
					t.Fatalf("until day %d, row %d: %s %v, in the whole panel %v", end, i, what, b[i], a[i])
				}
			}
		}
		same("percentile", all.percentile[:n], got.percentile)
		same("chance", all.chance[0][:n], got.chance[0])
		same("chance of 14 days", all.chance[1][:n], got.chance[1])
		cutRival := known.sameLead()
		same("rival's score", rival.score[:n], cutRival.score)
		same("rival's chance", rival.chance[:n], cutRival.chance)
	}
}

// TestOutcomes compares outcomes (did the fare fall?) with values computed by hand.
func TestOutcomes(t *testing.T) {
	panel := read(t, header+`
AAA,BBB,2026-01-01,2026-02-20,100,EUR
AAA,BBB,2026-01-04,2026-02-20,95,EUR
AAA,BBB,2026-01-09,2026-02-20,120,EUR
AAA,BBB,2026-01-15,2026-02-20,60,EUR
AAA,BBB,2026-01-20,2026-02-21,60,EUR
`)
	got := panel.outcomes()
	yes, no := true, false
	want := []outcome{
		// The price of 60 comes exactly 14 days later. So it counts within the 14 days, and as the
		// last fare.
		{[2]bool{yes, yes}, [2]bool{yes, yes}, [2]bool{no, yes}, [2]fare.Cents{9500, 6000}, [2]float64{9750, 9375}},
		{[2]bool{yes, yes}, [2]bool{no, yes}, [2]bool{yes, yes}, [2]fare.Cents{12000, 6000}, [2]float64{10750,
			27500. / 3}},
		{[2]bool{yes, no}, [2]bool{yes, no}, [2]bool{no, no}, [2]fare.Cents{6000, 6000}, [2]float64{9000, 9000}},
		{typical: [2]float64{6000, 6000}},
		{typical: [2]float64{6000, 6000}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(outcome{})); diff != "" {
		t.Error(diff)
	}
}

// TestAUC compares the AUC (area under the ROC curve) with a count over all pairs of rows (each a
// fare on one day).
func TestAUC(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 50 {
		var c cases
		cell := make([]int32, 60)
		weight := []float64{0, 1, 3}
		for i := range cell {
			cell[i] = int32(rng.IntN(3))
			c.add(i, 0, float64(rng.IntN(8)), rng.IntN(3) == 0)
		}
		for _, weights := range [][]float64{nil, weight} {
			above, pairs := 0., 0.
			for i := range cell {
				for j := range cell {
					if !c.fell[i] || c.fell[j] {
						continue
					}
					w := 1.
					if weights != nil {
						w = weights[cell[i]] * weights[cell[j]]
					}
					pairs += w
					if c.score[i] > c.score[j] {
						above += w
					} else if c.score[i] == c.score[j] {
						above += w / 2
					}
				}
			}
			if got, ok := rank(c.score, &c, cell).auc(weights); !ok || math.Abs(got-above/pairs) > 1e-12 {
				t.Fatalf("%v, %v; want %v", got, ok, above/pairs)
			}
		}
	}
}

// TestSkillAndReliability compares the Brier skill and the reliability with values computed by
// hand.
func TestSkillAndReliability(t *testing.T) {
	var c cases
	for i, fell := range []bool{false, false, false, true} {
		c.add(i, .15, 0, fell)
		c.add(i, .85, 0, !fell)
	}
	// The squared errors are .15² six times and .85² twice. Always stating the share of falls, one
	// half, has an error of .25.
	if got, want := c.brierSkill(), 1-(6*.0225+2*.7225)/8/.25; math.Abs(got-want) > 1e-12 {
		t.Errorf("skill %v, want %v", got, want)
	}
	bins, off := c.reliability()
	if len(bins) != 2 || bins[0].From != .1 || bins[1].From != .8 || math.Abs(bins[0].Fell-.25) > 1e-12 ||
		math.Abs(off-.1) > 1e-12 {
		t.Errorf("%+v, off by %v", bins, off)
	}
}

// TestReferencesKeepWhatTheyShould: shuffling the prices of a route keeps the set of prices. A
// random walk starts each departure at its recorded first price and moves neither up nor down on
// average.
func TestReferencesKeepWhatTheyShould(t *testing.T) {
	rising := func(rng *rand.Rand, lead int, first, now float64) float64 {
		return max(now, walking(rng, lead, first, now))
	}
	panel := invent(6, 3, 60, 100, 30, rising)
	prices := func(t *Trips) (all []fare.Cents) {
		for _, q := range t.rows {
			all = append(all, q.price)
		}
		return all
	}
	real, shuffled, walk := prices(panel), prices(panel.shuffled()), prices(panel.randomWalk())
	for route := range int32(3) {
		var a, b []fare.Cents
		moved := 0
		for i, q := range panel.rows {
			if q.route == route {
				a, b = append(a, real[i]), append(b, shuffled[i])
				if real[i] != shuffled[i] {
					moved++
				}
			}
		}
		slices.Sort(a)
		slices.Sort(b)
		if !slices.Equal(a, b) || moved < len(a)/2 {
			t.Errorf("route %d: other prices, or %d of %d moved", route, moved, len(a))
		}
	}
	drift, n, same := 0., 0., 0
	for trip := range int32(panel.trips) {
		rows := panel.tripRows(trip)
		for i, row := range rows {
			if i == 0 {
				if walk[row] != real[row] {
					t.Errorf("departure %d begins at %d, not at %d", trip, walk[row], real[row])
				}
				continue
			}
			if walk[row] == walk[rows[i-1]] {
				same++
			}
			drift += math.Log(float64(walk[row]) / float64(walk[rows[i-1]]))
			n++
		}
	}
	if math.Abs(drift/n) > .001 || float64(same)/n < .8 {
		t.Errorf("mean step %v, %v of %v are none", drift/n, same, n)
	}
}

// TestDaysAskedFor checks a refresh every seven days (Cycle), and the options From and To.
func TestDaysAskedFor(t *testing.T) {
	panel := invent(7, 4, 40, 100, 40, reverting)
	all, weekly := run(t, panel, Options{}), run(t, panel, Options{Cycle: 7})
	if weekly.Rows >= all.Rows/5 || weekly.Cycle != 7 || weekly.Questions == 0 {
		t.Errorf("%d of %d rows in a week, %d asked", weekly.Rows, all.Rows, weekly.Questions)
	}
	late := run(t, panel, Options{From: 50, To: 80})
	if late.From != "1970-02-20" || late.To != "1970-03-22" || late.Questions >= all.Questions/2 {
		t.Errorf("from %s to %s: %d of %d", late.From, late.To, late.Questions, all.Questions)
	}
	if _, err := Run(t.Context(), panel, Options{From: 95}); err == nil || !strings.Contains(err.Error(),
		"no departure was seen again") {
		t.Errorf("of the last days: %v", err)
	}
	if _, err := Run(t.Context(), panel, Options{To: -1}); err == nil {
		t.Error("a panel of no days was measured")
	}
}

func TestStopsAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, invent(10, 50, 40, 200, 60, walking), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestThinPanels: a small panel (observed fares) has a report that lists the missing results.
func TestThinPanels(t *testing.T) {
	for name, rows := range map[string]string{
		"one departure, twice": "AAA,BBB,2026-01-01,2026-02-20,100,EUR\nAAA,BBB,2026-01-08,2026-02-20,90,EUR\n",
		"nothing ever falls": strings.Repeat("AAA,BBB,2026-01-01,2026-02-20,100,EUR\n",
			3) + "AAA,BBB,2026-01-05,2026-02-20,100,EUR\nAAA,BBB,2026-01-09,2026-02-20,100,EUR\n",
		"nothing is answered":     "AAA,BBB,2026-01-01,2026-02-20,100,EUR\nAAA,BBB,2026-01-07,2026-02-20,90,EUR\nAAA,BBB,2026-01-07,2026-02-27,90,EUR\nAAA,BBB,2026-01-08,2026-02-28,90,EUR\n",
		"the same day, no others": "AAA,BBB,2026-01-01,2026-01-01,100,EUR\nAAA,BBB,2026-01-01,2026-02-20,100,EUR\nAAA,BBB,2026-01-06,2026-02-20,94,EUR\nAAA,BBB,2026-01-08,2026-02-20,94,EUR\n",
	} {
		t.Run(name, func(t *testing.T) {
			panel := read(t, header+"\n"+rows)
			if r := run(t, panel, Options{}); len(r.Missing) == 0 || r.Questions == 0 {
				t.Errorf("%+v", r)
			}
		})
	}
}
