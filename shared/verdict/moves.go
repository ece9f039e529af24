package verdict

import (
	"cmp"
	"slices"

	"verdetto/shared/fare"
)

// Moves returns the fare of each departure from first to last, on each day on which the departure
// was found. If several fares were found on a day, the cheapest counts. The observations must be in
// order of Found. The summary must be built from them with the same rates. Prices are in the
// currency of the summary.
func (s RouteSummary) Moves(observations []fare.Observation, first, last fare.Day, nonStop bool,
	rates fare.Rates) []Live {
	q := s.DayQuotes(observations, 0, rates)
	all := q.All
	if nonStop {
		all = q.NonStop
	}
	return slices.DeleteFunc(slices.Clone(all), func(l Live) bool { return l.Depart < first || l.Depart > last })
}

// WeeksOf groups fares that were found on earlier days (the parameter moves) by the week in which
// they were found, oldest first. On each day, only the cheapest fare counts.
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
