package routes

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/cmd/backtest/stats"
	"verdetto/shared/fare"
)

const day0 = fare.Day(16800)

var route = fare.Route{Origin: "MIL", Destination: "BUH"}

func run(t *testing.T, panel Panel, o stats.Days) Report {
	t.Helper()
	r, err := Run(panel, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	var text strings.Builder
	r.Print(&text)
	if strings.Contains(text.String(), "NaN") || strings.Contains(text.String(), "Inf") {
		t.Errorf("a table of nothing:\n%s", &text)
	}
	return r
}

// byHand returns a panel of one departure, seen on 17 days. Verdicts start on the ninth day: ottimo
// at a price of 80, caro six times at 120, ottimo at 76, and buono at 90.
func byHand() Panel {
	var all []fare.Observation
	for day, price := range []fare.Cents{100, 100, 100, 100, 100, 100, 100, 100, 80, 120, 120, 120, 120, 120, 120, 76, 90} {
		all = append(all, fare.Observation{Found: (day0 + fare.Day(day)).Time().Unix(), Depart: day0 + 100, Price: price * 100})
	}
	return Panel{route: all}
}

func TestRun(t *testing.T) {
	r := run(t, byHand(), stats.Days{})
	// The fares of the whole next week are known only for the first two verdicts: the fare of 80 fell
	// to 76, by 5 %, and that of 120 fell to 76 and then rose to 90.
	level := func(name string, days int, later []Change, fell []Fall) Level {
		return Level{name, days, float64(days) / 9, later, fell}
	}
	want := Report{
		First: "2015-12-31", From: "2015-12-31", To: "2016-01-16", Cycle: 1, Routes: 1, Verdicts: 9,
		Quarters: []Quarter{{"2016-Q1", 9, []int{2, 1, 0, 6}}},
		Levels: []Level{
			level("ottimo", 2, []Change{{7, 1, -.05, -.05, nil}}, []Fall{{7, 1, 1, nil}}),
			level("buono", 1, nil, nil),
			level("normale", 0, nil, nil),
			level("caro", 6, []Change{{7, 1, -.25, -.25, nil}}, []Fall{{7, 1, 1, nil}}),
			level("all", 9, []Change{{7, 2, -.15, -.15, nil}}, []Fall{{7, 2, 1, nil}}),
		},
		Missing: []string{"what follows normale: no day was given it",
			"what follows a verdict after 14 days: the panel does not reach that far"},
	}
	if diff := cmp.Diff(want, r, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
}

func TestRun_Days(t *testing.T) {
	r := run(t, byHand(), stats.Days{From: day0 + 9, To: day0 + 15})
	if r.Verdicts != 7 || r.Levels[0].Days != 1 || r.Levels[3].Days != 6 || len(r.Levels[3].Later) > 0 {
		t.Errorf("%+v", r.Levels)
	}
	if r := run(t, byHand(), stats.Days{Cycle: 2}); r.Verdicts != 5 {
		t.Errorf("every second day: %d verdicts", r.Verdicts)
	}
	for want, o := range map[string]stats.Days{
		"no day of the range lies in it":         {From: day0 + 50},
		"2015-12-31 to 2016-01-16, and no day":   {To: day0 - 1},
		"no route has 8 days of fares before":    {To: day0 + 7},
		"one of the days from 2015-12-31 to 201": {To: day0 + 7},
	} {
		if r, err := Run(byHand(), o); err == nil || !strings.Contains(err.Error(), want) || r.Verdicts != 0 {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}

func TestReplay_Days(t *testing.T) {
	observations := byHand()[route]
	dearer := observations[0]
	dearer.Price *= 2
	observations = append(slices.Delete(observations, 1, 9), dearer) // on day 8, the first fare is too old
	days := func(cycle fare.Day) (all []int) {
		for _, j := range replay(observations, span{first: day0 - 2, from: day0 - 2, to: day0 + 16, cycle: cycle}) {
			all = append(all, int(j.day-day0))
		}
		return all
	}
	if diff := cmp.Diff([][]int{{0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16}, {0, 2, 4, 6, 10, 12, 14, 16}}, [][]int{days(1), days(2)}); diff != "" {
		t.Error(diff)
	}
	if all := replay(nil, span{cycle: 1}); all != nil {
		t.Errorf("no fares are judged as %v", all)
	}
}

func market(seed uint64, days, ahead int) Panel {
	panel := Panel{}
	for i, destination := range []fare.City{"BUH", "CPH", "LON"} {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		route := fare.Route{Origin: "MIL", Destination: destination}
		for day := range days {
			for lead := range ahead {
				found := day0 + fare.Day(day)
				price := 5000 + 100*max(53-lead, lead-53) + 500*rng.IntN(5)
				panel[route] = append(panel[route], fare.Observation{Found: found.Time().Unix(), Depart: found + fare.Day(lead), Price: fare.Cents(price)})
			}
		}
	}
	return panel
}

func TestNoVerdictKnowsItsFuture(t *testing.T) {
	verdicts := func(observations []fare.Observation, end int) []judgement {
		all := replay(observations, span{first: day0, from: day0, to: day0 + fare.Day(end), cycle: 1})
		for i := range all {
			all[i].lowest = [2]fare.Cents{}
		}
		return all
	}
	for name, observations := range market(1, 60, 30) {
		whole := verdicts(observations, 59)
		for _, end := range []int{10, 30, 58} {
			cut := verdicts(observations[:(end+1)*30], end)
			if diff := cmp.Diff(whole[:end+1], cut, cmp.AllowUnexported(judgement{})); diff != "" {
				t.Errorf("%s until day %d: %s", name, end, diff)
			}
		}
	}
}
