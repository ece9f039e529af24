package backtest

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Print writes a report as tables.
func (r Report) Print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(format string, args ...any) { fmt.Fprintf(w, format+"\t\n", args...) }
	title := func(format string, args ...any) {
		w.Flush()
		fmt.Fprintf(out, "\n"+format+"\n", args...)
	}
	fmt.Fprintf(out, "%d verdicts on %d routes, %s to %s, a refresh every %d days, fares since %s\n", r.Verdicts, r.Routes, r.From, r.To, r.Cycle, r.First)
	fmt.Fprintln(out, "[..] holds the number at 95 %: routes and blocks of 14 days drawn anew 1000 times")

	title("The judged fare: how many days before the verdict it was found, and whether it was met again within 7 days")
	line("age\tshare\tcount\tat most 2 %% dearer")
	for _, a := range r.Ages {
		line("%s\t%s\t%d\t%s\t%s", a.Days, percent(a.Share), a.Count, percent(a.There), a.Interval.percent())
	}

	title("Calibration: share of verdicts with a percentile of p or less")
	line("p\tshare\t\tties spread\tover routes")
	for _, c := range r.Calibration {
		line("%d\t%s\t%s\t%s\t%s", c.P, percent(c.Share), c.Interval.percent(), percent(c.Spread), c.OverRoutes.percent())
	}

	title("What follows a level: the route's cheapest fare, mean and median change")
	line("level\tdays\tshare\tafter\tcount\tmean\t\tmedian")
	for _, l := range r.Levels {
		line("%s\t%d\t%s", l.Level, l.Days, percent(l.Share))
		for _, c := range l.Later {
			line("\t\t\t%d days\t%d\t%s\t%s\t%s", c.Days, c.Count, percent(c.Mean), c.Interval.percent(), percent(c.Median))
		}
	}

	title("The departure that was cheapest falls by 5 %% or more")
	line("level\twithin\tcount\tchance\t\tottimo less this")
	for _, l := range r.Levels {
		for _, f := range l.Fell {
			line("%s\t%d days\t%d\t%s\t%s\t%s", l.Level, f.Within, f.Count, percent(f.Chance), f.Interval.percent(), f.OttimoLess.percent())
		}
	}

	for _, t := range r.Travellers {
		title("Buy or wait: what a given departure cost a traveller %s (%d of them)", t.Who, t.Count)
		line("policy\tmean euro\tsaving of the clairvoyant's")
		for _, p := range t.Policies {
			line("%s\t%.2f\t%s\t%s", p.Name, p.Cost, percent(p.Saving), p.Interval.percent())
		}
	}
	if len(r.Window) > 0 {
		title("Booking window: premium over the departure's own minimum, by days ahead")
		line("days ahead\tcount\tmean\t\tmedian")
		for _, b := range r.Window {
			line("%s\t%d\t%s\t%s\t%s", b.Lead, b.Count, percent(b.Mean), b.Interval.percent(), percent(b.Median))
		}
	}
	if len(r.Intervals) > 0 {
		title("Does the 90 %% interval of the percentile hold")
		line("affidabilita\tcount\thalf width\theld")
		for _, c := range r.Intervals {
			line("%s\t%d\t%.1f\t%s\t%s", c.Level, c.Count, c.HalfWidth, percent(c.Held), c.Interval.percent())
		}
	}
	w.Flush()
	for i, m := range r.Missing {
		if i == 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "not measured: %s\n", m)
	}
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

func (r *Range) percent() string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("[%.1f, %.1f]", 100*r.Low, 100*r.High)
}
