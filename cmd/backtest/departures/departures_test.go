package departures

import (
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/cmd/backtest/stats"
	"verdetto/shared/fare"
)

// The parameter ahead is the lead time at which a departure is first seen. The function next returns
// the departure's next log price.
func invent(seed uint64, routes, perRoute, days, ahead int, next func(rng *rand.Rand, lead int, first,
	now float64) float64) *Panel {
	t := &Panel{Dropped: map[string]int{}}
	for route := range routes {
		rng := rand.New(rand.NewPCG(seed, uint64(route)))
		t.Routes = append(t.Routes, string([]byte{'A' + byte(route/26/26%26), 'A' + byte(route/26%26),
			'A' + byte(route%26)})+"-BUH")
		t.perCent = append(t.perCent, 1)
		for range perRoute {
			departs := fare.Day(1 + rng.IntN(days+ahead-1))
			first := 4 + .3*float64(route%5) + .2*rng.NormFloat64()
			now := first
			for lead := ahead; lead >= 0; lead-- {
				now = next(rng, lead, first, now)
				if day := departs - fare.Day(lead); day >= 0 && int(day) < days {
					t.Rows = append(t.Rows, Row{int32(route), int32(t.Departures), day, int32(lead),
						fare.Cents(math.Round(100 * math.Exp(now)))})
				}
			}
			t.Departures++
		}
	}
	t.Read = len(t.Rows)
	slices.SortFunc(t.Rows, func(a, b Row) int { return int(a.Day-b.Day)<<20 + int(a.Departure-b.Departure) })
	t.index()
	return t
}

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

func run(t *testing.T, panel *Panel, o stats.Days) Report {
	t.Helper()
	r, err := Run(panel, o)
	if err != nil {
		t.Fatal(err)
	}
	written(t, r)
	return r
}

func written(t *testing.T, r interface{ Print(io.Writer) }) {
	t.Helper()
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	var text strings.Builder
	r.Print(&text)
	if strings.Contains(text.String(), "NaN") || strings.Contains(text.String(), "Inf") {
		t.Errorf("a table of nothing:\n%s", text.String())
	}
}

func panelOf(t *testing.T, text string) *Panel {
	t.Helper()
	panel, err := read(strings.NewReader(text), "", perEuro)
	if err != nil {
		t.Fatal(err)
	}
	return panel
}

func TestSkillLiesBetweenItsReferences(t *testing.T) {
	r := run(t, invent(1, 12, 40, 120, 50, reverting), stats.Days{})
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
	if len(r.Against) != 1 || len(r.Levels) != 5 || len(r.Published) != 5 || r.Fortnight == nil || r.WorstMiss > 8 ||
		r.Published[4].Count != r.Levels[4].Count || r.Published[2].Count <= r.Levels[2].Count {
		t.Errorf("missing of the report, or worst miss over 8: %+v", r)
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
		t.Errorf("%d answers by quarter, %d by days before departure: %+v %+v", quarters, leads, r.MissByQuarter, r.MissByLead)
	}
}

func TestNoAnswerKnowsItsFuture(t *testing.T) {
	whole := invent(3, 4, 30, 60, 40, reverting)
	asked := ask(whole)
	all, rival := asked.answers, asked.sameLead()
	for _, end := range []fare.Day{5, 20, 40, 58} {
		cut := whole.thinned(1, end)
		n := len(cut.Rows)
		if n == 0 || n == len(whole.Rows) {
			t.Fatalf("%d rows until day %d", n, end)
		}
		known := ask(cut)
		got := known.answers
		same := func(what string, a, b []float64) {
			for i := range b {
				if a[i] != b[i] && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
					t.Fatalf("until day %d, row %d: %s %v, in the whole panel %v", end, i, what, b[i], a[i])
				}
			}
		}
		same("percentile", all.Percentile[:n], got.Percentile)
		same("chance", all.Chance[0][:n], got.Chance[0])
		same("chance of 14 days", all.Chance[1][:n], got.Chance[1])
		cutRival := known.sameLead()
		same("rival's score", rival.score[:n], cutRival.score)
		same("rival's chance", rival.chance[:n], cutRival.chance)
	}
}

func TestOutcomes(t *testing.T) {
	panel := panelOf(t, header+`
AAA,BBB,2026-01-01,2026-02-20,100,EUR
AAA,BBB,2026-01-04,2026-02-20,95,EUR
AAA,BBB,2026-01-09,2026-02-20,120,EUR
AAA,BBB,2026-01-15,2026-02-20,60,EUR
AAA,BBB,2026-01-20,2026-02-21,60,EUR
`)
	got := outcomes(panel)
	yes, no := true, false
	want := []outcome{
		// The price of 60 counts, because it was seen exactly 14 days later.
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

func TestReferencesKeepWhatTheyShould(t *testing.T) {
	rising := func(rng *rand.Rand, lead int, first, now float64) float64 {
		return max(now, walking(rng, lead, first, now))
	}
	panel := invent(6, 3, 60, 100, 30, rising)
	prices := func(t *Panel) (all []fare.Cents) {
		for _, q := range t.Rows {
			all = append(all, q.Price)
		}
		return all
	}
	real, shuffled, walk := prices(panel), prices(panel.shuffled()), prices(panel.randomWalk())
	for route := range int32(3) {
		var a, b []fare.Cents
		moved := 0
		for i, q := range panel.Rows {
			if q.Route == route {
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
	for departure, rows := range panel.byDeparture {
		for i, row := range rows {
			if i == 0 && walk[row] != real[row] {
				t.Errorf("departure %d begins at %d, not at %d", departure, walk[row], real[row])
			} else if i > 0 {
				same += int(stats.Share(walk[row] == walk[rows[i-1]]))
				drift += math.Log(float64(walk[row]) / float64(walk[rows[i-1]]))
				n++
			}
		}
	}
	if math.Abs(drift/n) > .001 || float64(same)/n < .8 {
		t.Errorf("mean step %v, %v of %v are none", drift/n, same, n)
	}
}

func TestDaysAskedFor(t *testing.T) {
	panel := invent(7, 4, 40, 100, 40, reverting)
	all, weekly := run(t, panel, stats.Days{}), run(t, panel, stats.Days{Cycle: 7})
	if weekly.Rows >= all.Rows/5 || weekly.Cycle != 7 || weekly.Questions == 0 {
		t.Errorf("%d of %d rows in a week, %d asked", weekly.Rows, all.Rows, weekly.Questions)
	}
	late := run(t, panel, stats.Days{From: 50, To: 80})
	if late.From != "1970-02-20" || late.To != "1970-03-22" || late.Questions >= all.Questions/2 {
		t.Errorf("from %s to %s: %d of %d", late.From, late.To, late.Questions, all.Questions)
	}
	if _, err := Run(panel, stats.Days{From: 95}); err == nil || !strings.Contains(err.Error(), "no departure was seen again") {
		t.Errorf("of the last days: %v", err)
	}
	if _, err := Run(panel, stats.Days{To: -1}); err == nil {
		t.Error("a panel of no days was measured")
	}
}

func TestThinPanels(t *testing.T) {
	for name, rows := range map[string]string{
		"one departure, twice": "AAA,BBB,2026-01-01,2026-02-20,100,EUR\nAAA,BBB,2026-01-08,2026-02-20,90,EUR\n",
		"nothing ever falls": strings.Repeat("AAA,BBB,2026-01-01,2026-02-20,100,EUR\n",
			3) + "AAA,BBB,2026-01-05,2026-02-20,100,EUR\nAAA,BBB,2026-01-09,2026-02-20,100,EUR\n",
		"nothing is answered":     "AAA,BBB,2026-01-01,2026-02-20,100,EUR\nAAA,BBB,2026-01-07,2026-02-20,90,EUR\nAAA,BBB,2026-01-07,2026-02-27,90,EUR\nAAA,BBB,2026-01-08,2026-02-28,90,EUR\n",
		"the same day, no others": "AAA,BBB,2026-01-01,2026-01-01,100,EUR\nAAA,BBB,2026-01-01,2026-02-20,100,EUR\nAAA,BBB,2026-01-06,2026-02-20,94,EUR\nAAA,BBB,2026-01-08,2026-02-20,94,EUR\n",
	} {
		t.Run(name, func(t *testing.T) {
			panel := panelOf(t, header+"\n"+rows)
			if r := run(t, panel, stats.Days{}); len(r.Missing) == 0 || r.Questions == 0 {
				t.Errorf("%+v", r)
			}
		})
	}
}
