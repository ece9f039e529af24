package departures

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"verdetto/cmd/verdetto/backtest/stats"
)

// Print writes the report as tables.
func (r Report) Print(out io.Writer) {
	t := stats.NewTables(out)
	t.Line("%s: %d fares of %d departures on %d routes, %s to %s, a refresh every %d days; judged from %s",
		r.Ask, r.Rows, r.Departures, r.Routes, r.First, r.To, r.Cycle, r.From)
	t.Line("asked %d times what is known: was the very departure at least 5 %% cheaper within 7 days? %s were", r.Questions, stats.Percent(r.Fell))
	printLeftOut(t, r.Dropped, r.Notes)
	t.Line("[..] holds the number at 95 %%: routes and blocks of %d days drawn anew", r.BlockDays)
	r.printSkill(t)
	r.printCalibration(t)
	r.printWaiting(t)
	t.End(r.Missing)
}

func (r Report) printSkill(t stats.Tables) {
	t.Title("Each method on the rows that it answers. AUC of the chance, of the percentile or class alone, skill of the chance")
	t.Row("method\tanswered\tAUC\t\tclass alone\tBrier skill\tECE")
	methods := slices.Clone(r.Methods)
	if r.Fortnight != nil {
		methods = append(methods, *r.Fortnight)
	}
	for _, m := range methods {
		t.Row("%s\t%s\t%.3f\t%s\t%.3f\t%.3f\t%.3f", m.Name, stats.Percent(m.Answered), m.AUC,
			m.Interval.Plain(), m.ScoreAUC, m.BrierSkill, m.ECE)
	}

	t.Title("The rule and each rival on the rows that both answer")
	t.Row("rival\trows\trule AUC\trival's\tdifference\t\tBrier skill\trival's\tECE\trival's")
	for _, c := range r.Against {
		t.Row("%s\t%d\t%.3f\t%.3f\t%+.3f\t%s\t%.3f\t%.3f\t%.3f\t%.3f", c.Rival, c.Count, c.Rule, c.AUC,
			c.Difference, c.Interval.Plain(),
			c.RuleBrierSkill, c.RivalBrierSkill, c.RuleECE, c.RivalECE)
	}

	t.Title("The rule on other prices: a walk of the same steps, where nothing can be known, and the route's prices shuffled, where all reverts")
	t.Row("prices\trows\tAUC\tpercentile alone\tfell after ottimo\tbuono\tnormale\tcaro")
	for _, f := range r.References {
		var falls []string
		for _, v := range f.Falls {
			falls = append(falls, stats.Percent(v))
		}
		t.Row("%s\t%d\t%.3f\t%.3f\t%s", f.Name, f.Count, f.AUC, f.ScoreAUC, strings.Join(falls, "\t"))
	}
}

func (r Report) printCalibration(t stats.Tables) {
	t.Title("What follows a level within 7 days")
	t.Row("level\trows\tfell 5 %%\t\trose 5 %%\t")
	for _, l := range r.Levels {
		t.Row("%s\t%d\t%s\t%s\t%s\t%s", l.Level, l.Count, stats.Percent(l.Fell), l.Falls.Percent(),
			stats.Percent(l.Rose), l.Rises.Percent())
	}

	for _, m := range r.Methods {
		if m.Name != "rule" {
			continue
		}
		t.Title("What the stated chances came to")
		t.Row("said from\trows\tmean said\tfell")
		for _, b := range m.Reliability {
			t.Row("%s\t%d\t%s\t%s", stats.Percent(b.From), b.Count, stats.Percent(b.Stated), stats.Percent(b.Fell))
		}
	}

	rival := ""
	for _, m := range r.Methods {
		if m.WorstMiss != nil {
			rival = fmt.Sprintf(" (%s: %.1f)", m.Name, *m.WorstMiss)
		}
	}
	t.Title("Share of answers with a percentile of p or less; the worst is off by %.1f points%s", r.WorstMiss, rival)
	t.Row("p\tshare\t")
	for _, p := range r.Percentiles {
		t.Row("%d\t%s\t%s", p.P, stats.Percent(p.Share), p.Interval.Percent())
	}
	for _, c := range r.Cover {
		t.Row("inside %s\t%s\t%s", stats.Percent(c.Stated), stats.Percent(c.Share), c.Interval.Percent())
	}
	t.Misses("The percentile by quarter of the question", r.WorstMiss, r.MissByQuarter)
	t.Misses("The percentile by days before departure", r.WorstMiss, r.MissByLead)
}

func (r Report) printWaiting(t stats.Tables) {
	for _, f := range r.Followed {
		t.Title("What waiting %d days did, more than %[1]d days ahead, by the chance that was stated", f.Days)
		t.Row("chance\trows\tfell 5 %%\trose 5 %%\tagainst at once\t\tmedian\tdearer\tagainst a random day\t")
		for _, b := range f.Bands {
			t.Row("%s to %s\t%d\t%s\t%s\t%+.1f %%\t%s\t%+.1f %%\t%s\t%+.1f %%\t%s", stats.Percent(b.From),
				stats.Percent(b.To), b.Count,
				stats.Percent(b.Fell), stats.Percent(b.Rose), 100*b.AtOnce, b.Once.Percent(), 100*b.Median,
				stats.Percent(b.Dearer), 100*b.Random, b.Any.Percent())
		}
	}
}

// printLeftOut writes the reasons why rows (each a fare on one day) were dropped, in alphabetical
// order, and then the notes.
func printLeftOut(t stats.Tables, dropped map[string]int, notes []string) {
	var all []string
	for why, n := range dropped {
		all = append(all, fmt.Sprintf("%d rows: %s", n, why))
	}
	slices.Sort(all)
	for _, why := range all {
		t.Line("left out: %s", why)
	}
	for _, note := range notes {
		t.Line("note: %s", note)
	}
}
