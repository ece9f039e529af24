package departures

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Print writes a report as tables.
func (r AlertReport) Print(out io.Writer) {
	on, ahead, until := "departures", fmt.Sprintf(", %d days ahead or more", alertLead), fmt.Sprintf("%d days ahead", alertDeadline)
	if r.Ask == RouteAlerts {
		on, ahead, until = "routes", "", fmt.Sprintf("%d weeks later", alertWeeks)
	}
	fmt.Fprintf(out, "alerts on %s: %d of each kind on %d %s of %d routes, asked for from %s on, once a week%s; %s to %s, a refresh every %d days\n",
		on, r.Alerts, r.Departures, on, r.Routes, r.From, ahead, r.First, r.To, r.Cycle)
	fmt.Fprintf(out, "who follows one buys at the first message, else %s: %.0f days after asking, in the mean\n", until, r.Days)
	for _, left := range []struct {
		count int
		why   string
	}{{r.Unjudged, "too little was known of the route when they were asked for"}, {r.Unwatched, "nothing was seen in the week before the deadline"}} {
		if left.count > 0 {
			fmt.Fprintf(out, "left out: %d alerts: %s\n", left.count, left.why)
		}
	}
	printLeftOut(out, r.Dropped, r.Notes)
	fmt.Fprintf(out, "[..] holds the number at 95 %%: routes and blocks of %d days drawn anew. A change under 0 is money saved\n", r.BlockDays)
	for _, p := range r.Prices {
		fmt.Fprintf(out, "\nprices: %s\n", p.Name)
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprint(w, "alert\ttold\tmessages\tstill there\tagainst at once\t\ta look late\t\tagainst a random day\t\tagainst no alert\t\tagainst the same waits\t\t\n")
		for _, k := range p.Kinds {
			fmt.Fprintf(w, "%s\t%s\t%.2f\t%s\t%s\t%s\t%s\t%s\t%s\t\n", k.Name, k.Told.percent(), k.Messages.Mean, k.Still.percent(),
				k.AtOnce.change(), k.Later.change(), k.Random.change(), k.Deadline.change(), k.Dealt.change())
		}
		w.Flush()
	}
}

func (e *Estimate) percent() string {
	if e == nil {
		return ""
	}
	return percent(e.Mean)
}

func (e *Estimate) change() string {
	if e == nil {
		return "\t"
	}
	return fmt.Sprintf("%+.1f %%\t%s", 100*e.Mean, percents(e.Interval))
}
