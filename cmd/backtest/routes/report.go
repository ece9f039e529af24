package routes

import (
	"fmt"
	"io"
	"strings"

	"verdetto/cmd/backtest/stats"
)

// Shares and changes are fractions: 0.05 is 5 %. Missing gives the reasons why a result is absent.
type Report struct {
	First    string    `json:"first"`
	From     string    `json:"from"` // the first day that is judged
	To       string    `json:"to"`   // fares found after this day are not used
	Cycle    int       `json:"cycleDays"`
	Routes   int       `json:"routes"`
	Verdicts int       `json:"verdicts"`
	Quarters []Quarter `json:"quarters"`
	Levels   []Level   `json:"levels"`
	Missing  []string  `json:"missing,omitempty"`
}

// The numbers in Levels are in order from ottimo to caro.
type Quarter struct {
	Quarter  string `json:"quarter"`
	Verdicts int    `json:"verdicts"`
	Levels   []int  `json:"levels"`
}

// Level is "all" for all verdicts together.
type Level struct {
	Level string   `json:"livello"`
	Days  int      `json:"days"`
	Share float64  `json:"share"`
	Later []Change `json:"later,omitempty"`
	Fell  []Fall   `json:"fell,omitempty"`
}

// Change is the change of the route's cheapest fare after a verdict, even if another departure is then
// cheapest.
type Change struct {
	Days     int          `json:"afterDays"`
	Count    int          `json:"count"`
	Mean     float64      `json:"mean"`
	Median   float64      `json:"median"`
	Interval *stats.Range `json:"interval,omitempty"`
}

// Verdicts whose departure was not seen again do not count in Fall.
type Fall struct {
	Within   int          `json:"withinDays"`
	Count    int          `json:"count"`
	Chance   float64      `json:"chance"`
	Interval *stats.Range `json:"interval,omitempty"`
}

func (r Report) Print(out io.Writer) {
	t := stats.NewTables(out)
	t.Line("%d verdicts on %d routes, %s to %s, a refresh every %d days, fares since %s", r.Verdicts, r.Routes, r.From,
		r.To, r.Cycle, r.First)
	t.Line("[..] holds the number at 95 %%: routes and blocks of %d days drawn anew %d times", stats.BlockDays, draws)

	t.Title("Levels by quarter of the verdict")
	t.Row("\tverdicts\t%s", strings.Join(levels[:all], "\t"))
	for _, q := range r.Quarters {
		t.Row("%s\t%d\t%s", q.Quarter, q.Verdicts, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(q.Levels)), "\t"), "[]"))
	}

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
	t.Row("level\twithin\tcount\tchance\t")
	for _, l := range r.Levels {
		for _, f := range l.Fell {
			t.Row("%s\t%d days\t%d\t%s\t%s", l.Level, f.Within, f.Count, stats.Percent(f.Chance), f.Interval.Percent())
		}
	}
	t.End(r.Missing)
}
