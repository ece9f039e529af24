package departures

import (
	"fmt"
	"io"

	"verdetto/cmd/verdetto/backtest/stats"
)

// Print writes the report as tables.
func (r AlertReport) Print(out io.Writer) {
	on, ahead, until := "departures", fmt.Sprintf(", %d days ahead or more", alertLead),
		fmt.Sprintf("%d days ahead", alertDeadline)
	if r.Ask == RouteAlerts {
		on, ahead, until = "routes", "", fmt.Sprintf("%d weeks later", alertWeeks)
	}
	t := stats.NewTables(out)
	t.Line("alerts on %s: %d of each kind on %d %s of %d routes, asked for from %s on, once a week%s; %s to %s, a refresh every %d days",
		on, r.Alerts, r.Departures, on, r.Routes, r.From, ahead, r.First, r.To, r.Cycle)
	t.Line("who follows one buys at the first message, else %s: %.0f days after asking, in the mean", until, r.Days)
	if r.Unjudged > 0 {
		t.Line("left out: %d alerts: too little was known of the route when they were asked for", r.Unjudged)
	}
	if r.Unwatched > 0 {
		t.Line("left out: %d alerts: nothing was seen in the week before the deadline", r.Unwatched)
	}
	printLeftOut(t, r.Dropped, r.Notes)
	t.Line("[..] holds the number at 95 %%: routes and blocks of %d days drawn anew. A change under 0 is money saved", r.BlockDays)
	for _, p := range r.Prices {
		t.Title("prices: %s", p.Name)
		t.Row("alert\ttold\tmessages\tstill there\tagainst at once\t\ta look late\t\tagainst a random day\t\tagainst no alert\t\tagainst the same waits\t")
		for _, k := range p.Kinds {
			t.Row("%s\t%s\t%.2f\t%s\t%s\t%s\t%s\t%s\t%s", k.Name, k.WithMessage.percent(), k.Messages.Mean, k.Still.percent(),
				k.AtOnce.change(), k.Later.change(), k.Random.change(), k.Deadline.change(), k.SameWaits.change())
		}
	}
	t.End(nil)
}

func (e *Estimate) percent() string {
	if e == nil {
		return ""
	}
	return stats.Percent(e.Mean)
}

func (e *Estimate) change() string {
	if e == nil {
		return "\t"
	}
	return fmt.Sprintf("%+.1f %%\t%s", 100*e.Mean, e.Interval.Percent())
}
