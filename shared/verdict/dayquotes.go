package verdict

import (
	"slices"

	"verdetto/shared/fare"
)

// DayQuotes holds one price per departure and day on which the departure was found. An offer is a
// departure, a length of stay and a number of stops. Of each offer, only the newest price of a day
// counts. Of the offers of a departure, the cheapest price is kept. The quotes are in order of day
// found, then of departure, in the currency of the summary.
type DayQuotes struct {
	All        []Live
	NonStop    []Live // for fares without stops
	StopsKnown bool   // the stops of at least one fare are known
	SomeStops  bool   // at least one fare has stops, or unknown stops
}

// DayQuotes computes the quotes of the days up to s.AsOf. The parameter from is the first day. The
// observations must be in order of Found. The summary must be built from the same observations and
// rates.
func (s RouteSummary) DayQuotes(observations []fare.Observation, from fare.Day, rates fare.Rates) DayQuotes {
	as := RouteSummary{AsOf: s.AsOf}
	p := as.rank(within(observations, s.AsOf), s, rates)
	var d DayQuotes
	for _, o := range p.quoted {
		d.StopsKnown = d.StopsKnown || o.Stops != fare.StopsUnknown
		d.SomeStops = d.SomeStops || o.Stops != fare.NonStop
	}
	d.All = p.dayQuotes(from)
	d.NonStop = d.All
	if d.SomeStops {
		d.NonStop = p.withoutStops().dayQuotes(from)
	}
	return d
}

func (p priced) dayQuotes(from fare.Day) []Live {
	i, _ := slices.BinarySearchFunc(p.ranked, from, func(o fare.Observation,
		d fare.Day) int {
		return int(o.FoundDay() - d)
	})
	if i == len(p.ranked) {
		return nil
	}
	var all []Live
	newest := newOffers(p.ranked[i:])
	cheapest := map[fare.Day]Live{}
	for i < len(p.ranked) {
		first, day := i, p.ranked[i].FoundDay()
		for i < len(p.ranked) && p.ranked[i].FoundDay() == day {
			i++
		}
		clear(cheapest)
		for at := range newest.among(p.ranked[first:i]) {
			o := p.ranked[first+at]
			l := p.live(first + at)
			if had, ok := cheapest[o.Depart]; o.Depart >= day && (!ok || l.Before(had) < 0) {
				cheapest[o.Depart] = l
			}
		}
		begin := len(all)
		for _, l := range cheapest {
			all = append(all, l)
		}
		slices.SortFunc(all[begin:], func(a, b Live) int { return int(a.Depart - b.Depart) })
	}
	return slices.Clone(all) // without spare capacity, because a refresh keeps the quotes of many series
}
