package backtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/shared/fare"
)

const day0 = fare.Day(16800)

var route = fare.Route{Origin: "MIL", Destination: "BUH"}

func seen(found, depart fare.Day, price fare.Cents) fare.Observation {
	return fare.Observation{Found: found.Time().Unix(), Depart: depart, Price: price}
}

// run replays a panel (observed fares). It checks that the report can be written as text and as
// JSON, which fails for NaN.
func run(t *testing.T, panel Panel, o Options) Report {
	t.Helper()
	r, err := Run(t.Context(), panel, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(io.Discard).Encode(r); err != nil {
		t.Error(err)
	}
	var text strings.Builder
	r.Print(&text)
	if strings.Contains(text.String(), "NaN") || strings.Contains(text.String(), "Inf") {
		t.Errorf("a table of nothing:\n%s", &text)
	}
	return r
}

// byHand returns a panel (observed fares) of one departure, seen on 17 days. Verdicts start on the
// ninth day: ottimo at a price of 80, caro six times at 120, ottimo at 76, and buono at 90. The
// percentiles are 0 for ottimo; 100, 90, 82, 75, 69 and 64 for caro; and 13 for buono, since two of
// 16 fares are lower.
func byHand() Panel {
	var all []fare.Observation
	for day, price := range []fare.Cents{100, 100, 100, 100, 100, 100, 100, 100, 80, 120, 120, 120, 120, 120,
		120, 76, 90} {
		all = append(all, seen(day0+fare.Day(day), day0+100, price*100))
	}
	return Panel{route: all}
}

func TestByHand(t *testing.T) {
	r := run(t, byHand(), Options{})
	near := cmpopts.EquateApprox(0, 1e-12)
	if r.Verdicts != 9 || r.Routes != 1 || r.From != "2015-12-31" || r.To != "2016-01-16" {
		t.Errorf("%d verdicts on %d routes, %s to %s", r.Verdicts, r.Routes, r.From, r.To)
	}
	var shares []float64
	for _, c := range r.Calibration {
		shares = append(shares, c.Share*9)
	}
	if diff := cmp.Diff([]float64{2, 2, 3, 3, 6, 8, 8}, shares, near); diff != "" {
		t.Errorf("verdicts at or below 5, 10, 25, 50, 75, 90, 95: %s", diff)
	}
	parts := map[string]int{}
	for _, m := range slices.Concat(r.MissByQuarter, r.MissByLead) {
		parts[m.Part] = m.Count
	}
	if diff := cmp.Diff(map[string]int{"2016-Q1": 9, "45-89": 6, "90+": 3}, parts); diff != "" {
		t.Errorf("verdicts by quarter and by days before departure: %s", diff)
	}
	type row struct {
		level  string
		days   int
		later  []float64 // change of the cheapest fare a week after the verdict
		chance []float64 // share of verdicts whose departure fell within a week
	}
	var got []row
	for _, l := range r.Levels {
		one := row{level: l.Level, days: l.Days}
		for _, c := range l.Later {
			one.later = append(one.later, float64(c.Days), float64(c.Count), c.Mean, c.Median)
		}
		for _, f := range l.Fell {
			one.chance = append(one.chance, float64(f.Within), float64(f.Count), f.Chance)
		}
		got = append(got, one)
	}
	// Only for the first two verdicts, the fares of the whole next week are known. The fare of 80
	// fell to 76, by 5 %. The fare of 120 fell to 76 and then rose to 90.
	want := []row{
		{"ottimo", 2, []float64{7, 1, -0.05, -0.05}, []float64{7, 1, 1}},
		{"buono", 1, nil, nil},
		{"normale", 0, nil, nil},
		{"caro", 6, []float64{7, 1, -0.25, -0.25}, []float64{7, 1, 1}},
		{"all", 9, []float64{7, 2, -0.15, -0.15}, []float64{7, 2, 1}},
	}
	if diff := cmp.Diff(want, got, near, cmp.AllowUnexported(row{})); diff != "" {
		t.Error(diff)
	}
	if r.Travellers != nil || r.Window != nil || len(r.Missing) < 3 {
		t.Errorf("travellers %v, window %v, missing %q", r.Travellers, r.Window, r.Missing)
	}
}

func TestOnlyTheDaysAskedFor(t *testing.T) {
	r := run(t, byHand(), Options{From: day0 + 9, To: day0 + 15})
	if r.Verdicts != 7 || r.Levels[0].Days != 1 || r.Levels[3].Days != 6 || len(r.Levels[3].Later) > 0 {
		t.Errorf("%+v", r.Levels)
	}
	// With a refresh every second day, there are half as many verdicts. They compare the fare with
	// 8, 10, 12, 14 and 16 earlier days.
	if r := run(t, byHand(), Options{Cycle: 2}); r.Verdicts != 5 {
		t.Errorf("every second day: %d verdicts", r.Verdicts)
	}
}

func TestRefuses(t *testing.T) {
	short := Panel{route: byHand()[route][:8]}
	for _, c := range []struct {
		name    string
		panel   Panel
		options Options
		want    string
	}{
		{"nothing", Panel{}, Options{}, "no comparable one-way fares"},
		{"a route of eight days", short, Options{}, "no route was observed on more than 8 days (the longest on 8)"},
		{"after the end", byHand(), Options{From: day0 + 50}, "no day of the range lies in it"},
		{"before the beginning", byHand(), Options{To: day0 - 1}, "no day of the range lies in it"},
		{"before the first verdict", byHand(), Options{To: day0 + 7}, "no route has 8 days of fares before"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Run(t.Context(), c.panel, c.options)
			var refused PanelError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if r.Verdicts != 0 || r.Calibration != nil {
				t.Errorf("a report was made: %+v", r)
			}
		})
	}
}

// market returns routes whose fares fall until 53 days before departure and rise afterwards, with
// noise.
func market(seed uint64, routes, days, ahead int) Panel {
	panel := Panel{}
	for r := range routes {
		rng := rand.New(rand.NewPCG(seed, uint64(r)))
		name := fare.Route{Origin: "MIL", Destination: fare.City(fmt.Sprintf("%c%c%c", 'A'+r/676%26,
			'A'+r/26%26, 'A'+r%26))}
		var all []fare.Observation
		for day := range days {
			for lead := range ahead {
				price := 5000 + 100*max(53-lead, lead-53) + 500*rng.IntN(5)
				all = append(all, seen(day0+fare.Day(day), day0+fare.Day(day+lead), fare.Cents(price)))
			}
		}
		panel[name] = all
	}
	return panel
}

// TestNoVerdictKnowsItsFuture: if later fares are removed from the panel (observed fares), earlier
// verdicts stay the same.
func TestNoVerdictKnowsItsFuture(t *testing.T) {
	for name, observations := range market(1, 2, 60, 30) {
		whole := replay(t.Context(), observations, span{first: day0, from: day0, to: day0 + 59, cycle: 1})
		for _, end := range []int{10, 30, 58} {
			cut := replay(t.Context(), observations[:(end+1)*30], span{first: day0, from: day0,
				to: day0 + fare.Day(end), cycle: 1})
			if diff := cmp.Diff(whole.judgements[:end+1], cut.judgements,
				cmp.AllowUnexported(judgement{})); diff != "" {
				t.Errorf("%s until day %d: %s", name, end, diff)
			}
		}
	}
}

// TestOrderAndRepetitionAreIrrelevant: the report depends only on the set of observations.
func TestOrderAndRepetitionAreIrrelevant(t *testing.T) {
	panel := market(2, 3, 40, 10)
	want := run(t, panel, Options{})
	rng := rand.New(rand.NewPCG(3, 3))
	for _, all := range panel {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	panel[fare.Route{Origin: "MIL", Destination: "AAA"}] = append(panel[fare.Route{Origin: "MIL",
		Destination: "AAA"}], panel[fare.Route{Origin: "MIL", Destination: "AAA"}][:50]...)
	if diff := cmp.Diff(want, run(t, panel, Options{})); diff != "" {
		t.Error(diff)
	}
}
