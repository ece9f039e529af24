package verdict

import (
	"cmp"
	"slices"

	"verdetto/shared/fare"
)

// Moves are the fares that departures had on past days: for each day on which
// something was found and each departure from first to last that was seen on it,
// the cheapest, in order. They are in the currency of the summary, which is one of
// that history; so are the observations, in order of Found, and the newest rates.
func (s RouteSummary) Moves(observations []fare.Observation, first, last fare.Day, nonStop bool,
	rates fare.Rates) []Live {
	q := s.DayQuotes(observations, 0, rates)
	all := q.All
	if nonStop {
		all = q.NonStop
	}
	return slices.DeleteFunc(slices.Clone(all), func(l Live) bool { return l.Depart < first || l.Depart > last })
}

// WeeksOf gathers moves by the week in which they were found, oldest first: of each day the cheapest counts.
func (s RouteSummary) WeeksOf(moves []Live) []Week {
	cheapest := map[fare.Day]fare.Cents{}
	for _, l := range moves {
		day := l.FoundDay()
		if low, ok := cheapest[day]; !ok || l.Price < low {
			cheapest[day] = l.Price
		}
	}
	s.Lows = nil
	for day, price := range cheapest {
		s.Lows = append(s.Lows, Low{Day: day, Price: price})
	}
	slices.SortFunc(s.Lows, func(a, b Low) int {
		return cmp.Or(cmp.Compare(a.Price, b.Price), cmp.Compare(a.Day,
			b.Day))
	})
	return Weeks(s)
}
