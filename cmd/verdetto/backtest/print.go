package backtest

import (
	"io"

	"verdetto/cmd/verdetto/backtest/stats"
)

// Print writes the report as tables.
func (r Report) Print(out io.Writer) {
	t := stats.NewTables(out)
	t.Line("%d verdicts on %d routes, %s to %s, a refresh every %d days, fares since %s", r.Verdicts, r.Routes,
		r.From, r.To, r.Cycle, r.First)
	t.Line("[..] holds the number at 95 %%: routes and blocks of 14 days drawn anew 1000 times")

	t.Title("The judged fare: how many days before the verdict it was found, and whether it was met again within 7 days")
	t.Row("age\tshare\tcount\tat most 2 %% dearer")
	for _, a := range r.Ages {
		t.Row("%s\t%s\t%d\t%s\t%s", a.Days, stats.Percent(a.Share), a.Count, stats.Percent(a.Available),
			a.Interval.Percent())
	}

	t.Title("Calibration: share of verdicts with a percentile of p or less")
	t.Row("p\tshare\t\tties spread\tover routes")
	for _, c := range r.Calibration {
		t.Row("%d\t%s\t%s\t%s\t%s", c.P, stats.Percent(c.Share), c.Interval.Percent(), stats.Percent(c.Spread),
			c.OverRoutes.Percent())
	}
	t.Misses("The percentile by quarter of the verdict, ties spread", r.WorstMiss, r.MissByQuarter)
	t.Misses("The percentile by days before departure of the judged fare, ties spread", r.WorstMiss, r.MissByLead)

	t.Title("What follows a level: the route's cheapest fare, mean and median change")
	t.Row("level\tdays\tshare\tafter\tcount\tmean\t\tmedian")
	for _, l := range r.Levels {
		t.Row("%s\t%d\t%s", l.Level, l.Days, stats.Percent(l.Share))
		for _, c := range l.Later {
			t.Row("\t\t\t%d days\t%d\t%s\t%s\t%s", c.Days, c.Count, stats.Percent(c.Mean), c.Interval.Percent(),
				stats.Percent(c.Median))
		}
	}

	t.Title("The departure that was cheapest falls by 5 %% or more")
	t.Row("level\twithin\tcount\tchance\t\tottimo less this")
	for _, l := range r.Levels {
		for _, f := range l.Fell {
			t.Row("%s\t%d days\t%d\t%s\t%s\t%s", l.Level, f.Within, f.Count, stats.Percent(f.Chance),
				f.Interval.Percent(), f.OttimoLess.Percent())
		}
	}

	r.printTravel(t)
	t.End(r.Missing)
}

// printTravel writes the cost of waiting, the booking window and the intervals.
func (r Report) printTravel(t stats.Tables) {
	for _, g := range r.Travellers {
		t.Title("Buy or wait: what a given departure cost a traveller %s (%d of them)", g.Who, g.Count)
		t.Row("policy\tmean euro\tsaving of the clairvoyant's")
		for _, p := range g.Policies {
			t.Row("%s\t%.2f\t%s\t%s", p.Name, p.Cost, stats.Percent(p.Saving), p.Interval.Percent())
		}
	}
	if len(r.Window) > 0 {
		t.Title("Booking window: premium over the departure's own minimum, by days ahead")
		t.Row("days ahead\tcount\tmean\t\tmedian")
		for _, b := range r.Window {
			t.Row("%s\t%d\t%s\t%s\t%s", b.Lead, b.Count, stats.Percent(b.Mean), b.Interval.Percent(),
				stats.Percent(b.Median))
		}
	}
	if len(r.Intervals) > 0 {
		t.Title("Does the 90 %% interval of the percentile hold")
		t.Row("affidabilita\tcount\thalf width\theld")
		for _, c := range r.Intervals {
			t.Row("%s\t%d\t%.1f\t%s\t%s", c.Level, c.Count, c.HalfWidth, stats.Percent(c.Share), c.Interval.Percent())
		}
	}
}
