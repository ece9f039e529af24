package departures

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"verdetto/cmd/verdetto/backtest/stats"
)

// Print writes a report as tables.
func (r Report) Print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(format string, args ...any) { fmt.Fprintf(w, format+"\t\n", args...) }
	title := func(format string, args ...any) {
		w.Flush()
		fmt.Fprintf(out, "\n"+format+"\n", args...)
	}
	fmt.Fprintf(out, "%s: %d fares of %d departures on %d routes, %s to %s, a refresh every %d days; judged from %s\n",
		r.Ask, r.Rows, r.Departures, r.Routes, r.First, r.To, r.Cycle, r.From)
	fmt.Fprintf(out, "asked %d times what is known: was the very departure (or the cheapest of the span) at least 5 %% cheaper within 7 days? %s were\n", r.Asked, percent(r.Fell))
	printLeftOut(out, r.Dropped, r.Notes)
	fmt.Fprintf(out, "[..] holds the number at 95 %%: routes and blocks of %d days drawn anew\n", r.BlockDays)

	title("Each method on the rows that it answers. AUC of the chance, of the percentile or class alone, skill of the chance")
	line("method\tanswered\tAUC\t\tclass alone\tBrier skill\tECE")
	methods := slices.Clone(r.Methods)
	if r.Fortnight != nil {
		methods = append(methods, *r.Fortnight)
	}
	for _, m := range methods {
		line("%s\t%s\t%.3f\t%s\t%.3f\t%.3f\t%.3f", m.Name, percent(m.Answered), m.AUC, plain(m.Interval), m.ScoreAUC, m.BrierSkill, m.ECE)
	}

	if len(r.Recalibrated) > 0 {
		title("The rule's chances, brought to what came of earlier ones as a service does that keeps its score")
		line("days\trows\tECE\trule's\tBrier skill\trule's")
		for _, c := range r.Recalibrated {
			line("%d\t%d\t%.4f\t%.4f\t%.4f\t%.4f", c.Days, c.Count, c.ECE, c.RuleECE, c.BrierSkill, c.RuleBrierSkill)
		}
	}

	title("The rule and each rival on the rows that both answer")
	line("rival\trows\trule AUC\trival's\tdifference\t\tBrier skill\trival's\tECE\trival's")
	for _, c := range r.Against {
		line("%s\t%d\t%.3f\t%.3f\t%+.3f\t%s\t%.3f\t%.3f\t%.3f\t%.3f", c.Rival, c.Count, c.Rule, c.AUC, c.Difference, plain(c.Interval),
			c.RuleBrierSkill, c.RivalBrierSkill, c.RuleECE, c.RivalECE)
	}

	title("The rule on other prices: a walk of the same steps, where nothing can be known, and the route's prices shuffled, where all reverts")
	line("prices\trows\tAUC\tpercentile alone\tfell after ottimo\tbuono\tnormale\tcaro")
	for _, f := range r.References {
		var falls []string
		for _, v := range f.Falls {
			falls = append(falls, percent(v))
		}
		line("%s\t%d\t%.3f\t%.3f\t%s", f.Name, f.Count, f.AUC, f.ScoreAUC, strings.Join(falls, "\t"))
	}

	title("What follows a level within 7 days")
	line("level\trows\tfell 5 %%\t\trose 5 %%\t")
	for _, l := range r.Levels {
		line("%s\t%d\t%s\t%s\t%s\t%s", l.Level, l.Count, percent(l.Fell), percents(l.Falls), percent(l.Rose), percents(l.Rises))
	}

	for _, m := range r.Methods {
		if m.Name != "rule" {
			continue
		}
		title("What the stated chances came to")
		line("said from\trows\tmean said\tfell")
		for _, b := range m.Reliability {
			line("%s\t%d\t%s\t%s", percent(b.From), b.Count, percent(b.Said), percent(b.Fell))
		}
	}

	rival := ""
	for _, m := range r.Methods {
		if m.WorstMiss != nil {
			rival = fmt.Sprintf(" (%s: %.1f)", m.Name, *m.WorstMiss)
		}
	}
	title("Share of answers with a percentile of p or less; the worst is off by %.1f points%s", r.WorstMiss, rival)
	line("p\tshare\t")
	for _, p := range r.Percentiles {
		line("%d\t%s\t%s", p.P, percent(p.Share), percents(p.Interval))
	}
	for _, c := range r.Cover {
		line("inside %s\t%s\t%s", percent(c.Stated), percent(c.Held), percents(c.Interval))
	}

	for _, f := range r.Followed {
		title("What waiting %d days did, more than %[1]d days ahead, by the chance that was stated", f.Days)
		line("chance\trows\tfell 5 %%\trose 5 %%\tagainst at once\t\tmedian\tdearer\tagainst a random day\t")
		for _, b := range f.Bands {
			line("%s to %s\t%d\t%s\t%s\t%+.1f %%\t%s\t%+.1f %%\t%s\t%+.1f %%\t%s", percent(b.From), percent(b.To), b.Count,
				percent(b.Fell), percent(b.Rose), 100*b.AtOnce, percents(b.Once), 100*b.Median, percent(b.Dearer), 100*b.Random, percents(b.Any))
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

// printLeftOut says why rows were left out, in order, and what was done with others.
func printLeftOut(out io.Writer, dropped map[string]int, notes []string) {
	var all []string
	for why, n := range dropped {
		all = append(all, fmt.Sprintf("%d rows: %s", n, why))
	}
	slices.Sort(all)
	for _, why := range all {
		fmt.Fprintf(out, "left out: %s\n", why)
	}
	for _, note := range notes {
		fmt.Fprintf(out, "note: %s\n", note)
	}
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

func percents(r *stats.Range) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("[%.1f, %.1f]", 100*r.Low, 100*r.High)
}

func plain(r *stats.Range) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("[%.3f, %.3f]", r.Low, r.High)
}
