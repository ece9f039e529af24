package verdict

import (
	"fmt"
	"slices"
	"sort"

	"verdetto/shared/fare"
)

// Week is the as-of lows of one week, Monday to Sunday, in euro.
type Week struct {
	First   fare.Day // its Monday
	Minimum fare.Cents
	Median  fare.Cents
	Days    int // on how many of its days there is a low
}

// Name is the week in the form of ISO 8601, as in 2016-W09.
func (w Week) Name() string {
	year, week := w.First.Time().ISOWeek()
	return fmt.Sprintf("%d-W%02d", year, week)
}

// Weeks gathers the lows of a summary by week, oldest first. Weeks in which nothing was found are left out.
func Weeks(s RouteSummary) []Week {
	prices := map[fare.Cycle][]fare.Cents{}
	for _, l := range s.Lows { // cheapest first, and so are those of each week
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

// Since cuts weeks, oldest first, to the last n up to the one of a day, counted by the calendar.
func Since(weeks []Week, today fare.Day, n int) []Week {
	from := (fare.CycleOf(today) - fare.Cycle(n) + 1).First()
	return weeks[sort.Search(len(weeks), func(i int) bool { return weeks[i].First >= from }):]
}
