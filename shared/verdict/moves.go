package verdict

import (
	"slices"

	"verdetto/shared/fare"
)

// Moves returns the DayQuotes of the departures from first to last. observations must be in order
// of Found.
func (s RouteSummary) Moves(observations []fare.Observation, first, last fare.Day, nonStop bool,
	rates fare.Rates) []Live {
	q := s.DayQuotes(observations, 0, rates)
	all := q.All
	if nonStop {
		all = q.NonStop
	}
	return slices.DeleteFunc(slices.Clone(all), func(l Live) bool { return l.Depart < first || l.Depart > last })
}

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
	slices.SortFunc(s.Lows, Low.compare)
	return Weeks(s)
}
