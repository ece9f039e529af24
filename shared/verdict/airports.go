package verdict

import (
	"math"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// Basis states how the fares of a pair of airports are compared with those of both cities, if too
// few fares of the pair are known.
type Basis struct {
	// Ratio is the usual price of the pair divided by the cheapest price of both cities, or 1 if
	// unknown.
	Ratio      float64
	Departures int
}

var unknownBasis = Basis{Ratio: 1}

// Percent is the usual difference, in percent, between the fare of the pair of airports and the
// cheapest fare between both cities.
func (b Basis) Percent() int { return int(math.Round(100 * (b.Ratio - 1))) }

type Pair struct {
	fare.Airports
	Basis *Basis
}

func PairOf(from, to string, percent *int) (p Pair) {
	p.From, _ = fare.ParseAirport(from)
	p.To, _ = fare.ParseAirport(to)
	if percent != nil {
		p.Basis = &Basis{Ratio: 1 + float64(*percent)/100}
	}
	return p
}

// Both lists must be sorted as DayQuotes returns them. For each departure, only the newest day with
// a fare in both lists counts.
func BasisOf(summary RouteSummary, pair []Live, cities RouteSummary, all []Live) Basis {
	type key struct{ found, depart fare.Day }
	cheapest := make(map[key]fare.Cents, len(all))
	for _, l := range all {
		cheapest[key{l.FoundDay(), l.Depart}] = l.Price
	}
	newest := map[fare.Day]float64{}
	for _, l := range pair {
		if price := cheapest[key{l.FoundDay(), l.Depart}]; price > 0 && summary.PerEuro > 0 && cities.PerEuro > 0 {
			newest[l.Depart] = math.Log(float64(l.Price) / summary.PerEuro / (float64(price) / cities.PerEuro))
		}
	}
	if len(newest) == 0 {
		return unknownBasis
	}
	logs := make([]float64, 0, len(newest))
	for _, l := range newest {
		logs = append(logs, l)
	}
	return Basis{math.Exp(median(logs)), len(logs)}
}

// Compared replaces the daily lows of a pair of airports by those of both cities, scaled by b,
// unless the pair has enough for a verdict.
func (s RouteSummary) Compared(cities RouteSummary, b Basis, rates fare.Rates) RouteSummary {
	if len(s.sample()) >= MinSample {
		return s
	}
	scaled := func(lows []Low) []Low {
		lows = slices.Clone(s.convertLows(cities, lows, rates))
		for i := range lows {
			lows[i].Price = max(1, fare.Cents(math.Round(float64(lows[i].Price)*b.Ratio)))
			lows[i].Quoted = fare.Money{}
		}
		slices.SortFunc(lows, Low.compare)
		return lows
	}
	s.Basis, s.Lows = &b, scaled(cities.Lows)
	if s.NonStop != nil && cities.NonStop != nil {
		v := *s.NonStop
		v.Lows = scaled(cities.NonStop.Lows)
		s.NonStop = &v
	}
	return s
}

// ComparedState replaces the statistics of a pair of airports by those of both cities, scaled by b,
// unless the pair has enough fares or the cities have no state.
func ComparedState(state, cities *departure.State, facts RouteSummary, b Basis) *departure.State {
	if state.Route.Count() >= MinSample || len(state.Live) > MinSample || cities.AsOf == 0 {
		return state
	}
	s := cities.Scaled(b.Ratio, state)
	facts.Basis = &b
	s.Facts = facts.Facts()
	return s
}

func HasAirports(live []Live) bool {
	return slices.ContainsFunc(live, func(l Live) bool {
		return l.Flight.From != fare.Airport{} || l.Flight.To != fare.Airport{}
	})
}

// StateBetween builds the departure state of a pair of airports from those live fares of both
// cities that are between these airports; see also ComparedState.
func StateBetween(cities *departure.State, p *departure.Pooled, a fare.Airports) *departure.State {
	var live []Live
	for _, l := range cities.Live {
		if a.Include(l.Flight) {
			live = append(live, l)
		}
	}
	facts := RouteSummary{View: View{Observations: len(live)}}
	for _, l := range live {
		facts.Newest = max(facts.Newest, l.Found)
	}
	state := cities.OnlyLive(p, live)
	state.Facts = facts.Facts()
	return ComparedState(state, cities, facts, unknownBasis)
}

func SummaryBetween(cities RouteSummary, state *departure.State) (RouteSummary, error) {
	facts, err := unpackFacts(state)
	if err != nil {
		return facts, err
	}
	facts.Basis = nil
	facts.Live = cheapestLive(state.Live, facts.Newest-int64(FreshFor/time.Second), state.AsOf)
	return facts.Compared(cities, unknownBasis, fare.Rates{}), nil
}
