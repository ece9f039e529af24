package verdict_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

func day(t *testing.T, s string) fare.Day {
	t.Helper()
	d, err := fare.ParseDay(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func summaryOf(asOf fare.Day, lows ...verdict.Low) verdict.RouteSummary {
	slices.SortFunc(lows, func(a, b verdict.Low) int {
		if a.Price != b.Price {
			return int(a.Price - b.Price)
		}
		return int(a.Day - b.Day)
	})
	return verdict.RouteSummary{AsOf: asOf, View: verdict.View{Lows: lows}}
}

func TestWeeks(t *testing.T) {
	s := summaryOf(day(t, "2016-03-01"),
		verdict.Low{Day: day(t, "2015-12-31"), Price: 500},
		// The week of this Sunday begins in 2015.
		verdict.Low{Day: day(t, "2016-01-03"), Price: 700},
		verdict.Low{Day: day(t, "2016-01-04"), Price: 900},
		verdict.Low{Day: day(t, "2016-02-22"), Price: 300},
		verdict.Low{Day: day(t, "2016-02-24"), Price: 400},
		verdict.Low{Day: day(t, "2016-02-28"), Price: 1000},
		verdict.Low{Day: day(t, "2016-02-29"), Price: 250},
	)
	weeks := verdict.Weeks(s)
	want := []verdict.Week{
		{First: day(t, "2015-12-28"), Minimum: 500, Median: 600, Days: 2},
		{First: day(t, "2016-01-04"), Minimum: 900, Median: 900, Days: 1},
		{First: day(t, "2016-02-22"), Minimum: 300, Median: 400, Days: 3},
		{First: day(t, "2016-02-29"), Minimum: 250, Median: 250, Days: 1},
	}
	if diff := cmp.Diff(want, weeks); diff != "" {
		t.Error(diff)
	}
	var names []string
	for _, w := range weeks {
		names = append(names, w.Name())
	}
	if diff := cmp.Diff([]string{"2015-W53", "2016-W01", "2016-W08", "2016-W09"}, names); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		name  string
		today string
		n     int
		left  int
	}{
		{"this week", "2016-03-01", 1, 1},
		{"this and the last", "2016-03-06", 2, 2},
		{"just not the second one", "2016-03-01", 8, 2},
		{"just the second one", "2016-03-01", 9, 3},
		{"all", "2016-03-01", 200, 4},
		{"long past", "2017-03-01", 26, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := verdict.Since(weeks, day(t, c.today), c.n); len(got) != c.left {
				t.Errorf("%v", got)
			}
		})
	}
	if got := verdict.Weeks(verdict.RouteSummary{}); len(got) != 0 {
		t.Errorf("weeks of nothing: %v", got)
	}
}

func TestUsualOfARoute(t *testing.T) {
	chance := rand.New(rand.NewPCG(3, 5))
	asOf := day(t, "2016-03-01")
	for _, c := range []struct {
		name string
		days int
		next func() fare.Cents
	}{
		{"all different", 90, func() fare.Cents { return 2000 + fare.Cents(chance.IntN(9000)) }},
		{"a floor", 60, func() fare.Cents { return max(1999, fare.Cents(chance.IntN(4000))) }},
		{"few days", 8, func() fare.Cents { return 3000 + fare.Cents(chance.IntN(50)) }},
		{"never moves", 30, func() fare.Cents { return 1999 }},
		{"too few days", 7, func() fare.Cents { return 1999 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var lows []verdict.Low
			for i := range c.days {
				lows = append(lows, verdict.Low{Day: asOf - 1 - fare.Day(i), Price: c.next()})
			}
			s := summaryOf(asOf, lows...)
			s.Live = []verdict.Live{{Depart: asOf + 30, Price: 2500}}
			a, _ := verdict.Judge(s, asOf.Time())
			q := a.Quartiles
			if c.days < verdict.MinSample {
				if q != nil {
					t.Errorf("%+v", q)
				}
				return
			}
			prices := []fare.Cents{q.Minimum, q.Q1, q.Median, q.Q3, q.Maximum}
			if !slices.IsSorted(prices) || q.Median != a.Verdict.Median || q.Minimum != a.Verdict.Minimum {
				t.Errorf("%v, verdict %+v", prices, a.Verdict)
			}
			for i, share := range []float64{0, .25, .5, .75, 1} {
				p, _ := verdict.PercentileAt(s, prices[i])
				if n := share * float64(p.Size); float64(p.Below) > n || float64(p.Below+p.Equal) < n {
					t.Errorf("%d has %v below and %v equal, want a share of %v", prices[i], p.Below, p.Equal, share)
				}
			}
		})
	}
}
