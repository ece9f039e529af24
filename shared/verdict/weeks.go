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
		weeks = append(weeks, Week{First: c.First(), Minimum: p[0], Median: (p[(len(p)-1)/2] + p[len(p)/2]) / 2, Days: len(p)})
	}
	slices.SortFunc(weeks, func(a, b Week) int { return int(a.First - b.First) })
	return weeks
}

// Since cuts weeks, oldest first, to the last n up to the one of a day, counted by the calendar.
func Since(weeks []Week, today fare.Day, n int) []Week {
	from := (fare.CycleOf(today) - fare.Cycle(n) + 1).First()
	return weeks[sort.Search(len(weeks), func(i int) bool { return weeks[i].First >= from }):]
}

// Scale is a route's sample of lows laid out by price, in euro, for showing where a fare stands.
type Scale struct {
	Prices []fare.Cents // the sample, cheapest first
	// The highest price that is judged ottimo, buono and normale. Where no price
	// is, because the fare hardly ever moves, a bound lies below the cheapest.
	Ottimo, Buono, Normale fare.Cents
}

// ScaleOf is the scale that the verdict of a summary is read from; false where the sample is too small for one.
func ScaleOf(s RouteSummary) (Scale, bool) {
	in, size, _ := sample(s.Lows, s.AsOf)
	if size < MinSample {
		return Scale{}, false
	}
	prices := make([]fare.Cents, 0, size)
	for _, l := range s.Lows {
		if in(l) {
			prices = append(prices, l.Price)
		}
	}
	median := (prices[(size-1)/2] + prices[size/2]) / 2
	// A higher price never has a better level, so the bounds can be searched for.
	highest := func(worst int) fare.Cents {
		return s.Euro(fare.Cents(sort.Search(int(prices[size-1])+1, func(price int) bool {
			below, _ := slices.BinarySearch(prices, fare.Cents(price))
			upTo, _ := slices.BinarySearch(prices, fare.Cents(price)+1)
			t := Standing{Below: below, Equal: upTo - below, Size: size, Cheap: isCheap(fare.Cents(price), median)}
			return slices.Index(levels, t.Level()) > worst
		}) - 1))
	}
	c := Scale{Ottimo: highest(0), Buono: highest(1), Normale: highest(2)}
	for _, p := range prices {
		c.Prices = append(c.Prices, s.Euro(p))
	}
	return c, true
}
