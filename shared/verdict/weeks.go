package verdict

import (
	"fmt"
	"slices"
	"sort"

	"verdetto/shared/fare"
)

// Week summarizes the daily lows of one week, in EUR cents.
type Week struct {
	First   fare.Day
	Minimum fare.Cents
	Median  fare.Cents
	Days    int
}

// Name returns the ISO 8601 name of the week, such as 2016-W09.
func (w Week) Name() string {
	year, week := w.First.Time().ISOWeek()
	return fmt.Sprintf("%d-W%02d", year, week)
}

// Weeks returns the oldest week first, and omits weeks without a low.
func Weeks(s RouteSummary) []Week {
	prices := map[fare.Cycle][]fare.Cents{}
	for _, l := range s.Lows { // sorted by price, so the prices of each week are sorted too
		c := fare.CycleOf(l.Day)
		prices[c] = append(prices[c], s.Euro(l.Price))
	}
	weeks := make([]Week, 0, len(prices))
	for c, p := range prices {
		weeks = append(weeks, Week{First: c.First(), Minimum: p[0], Median: (p[(len(p)-1)/2] + p[len(p)/2]) / 2,
			Days: len(p)})
	}
	slices.SortFunc(weeks, func(a, b Week) int { return int(a.First - b.First) })
	return weeks
}

// Since returns the weeks among the last n calendar weeks, including the current week.
func Since(weeks []Week, today fare.Day, n int) []Week {
	from := (fare.CycleOf(today) - fare.Cycle(n) + 1).First()
	return weeks[sort.Search(len(weeks), func(i int) bool { return weeks[i].First >= from }):]
}
