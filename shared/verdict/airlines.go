package verdict

import (
	"math"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// A departure state has one live fare for each departure, so an answer about some airlines covers
// only the departures whose live fare is from these airlines.

// OfAirlines limits the live fares of s to those of some airlines, and takes them from state unless
// state is nil.
func (s RouteSummary) OfAirlines(a fare.Airlines, state *departure.State) RouteSummary {
	all, ratio := s.Live, 1.
	if state != nil {
		all = state.Live
		if s.Currency != state.Currency && state.PerEuro > 0 {
			ratio = s.PerEuro / state.PerEuro
		}
	}
	var live []Live
	var newest int64
	for _, l := range all {
		if a.Include(l.Flight.Airline) {
			if ratio != 1 {
				if l.Quoted == (fare.Money{}) {
					l.Quoted = fare.Money{Amount: l.Price, Currency: state.Currency}
				}
				l.Price = max(1, fare.Cents(math.Round(float64(l.Price)*ratio)))
			}
			live, newest = append(live, l), max(newest, l.Found)
		}
	}
	s.Live = cheapestLive(live, newest-int64(FreshFor/time.Second), s.AsOf)
	return s
}

func AirlinesOf(live []Live) (all []fare.Airline) {
	count := map[fare.Airline]int{}
	for _, l := range live {
		if count[l.Flight.Airline]++; count[l.Flight.Airline] == 1 && l.Flight.Airline != (fare.Airline{}) {
			all = append(all, l.Flight.Airline)
		}
	}
	slices.SortStableFunc(all, func(a, b fare.Airline) int { return count[b] - count[a] })
	return all
}
