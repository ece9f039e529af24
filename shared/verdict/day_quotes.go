package verdict

import (
	"slices"

	"verdetto/shared/fare"
)

// DayQuotes holds one fare for each departure and day on which fares of the departure were found: the
// cheapest offer, at the offer's newest price of the day. The fares are sorted by day found, then by
// departure.
type DayQuotes struct {
	All        []Live
	NonStop    []Live
	StopsKnown bool
	SomeStops  bool
}

// DayQuotes returns fares found on the given day or later. observations must be in order of Found. The
// prices are in the currency of s if s was built from the same observations and rates.
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
	i := foundFrom(p.ranked, from)
	if i == len(p.ranked) {
		return nil
	}
	newest := newOffers(p.ranked[i:])
	var kept []int
	for i < len(p.ranked) {
		first, day, begin := i, p.ranked[i].FoundDay(), len(kept)
		for i < len(p.ranked) && p.ranked[i].FoundDay() == day {
			i++
		}
		for at := range newest.among(p.ranked[first:i]) {
			if p.ranked[first+at].Depart >= day {
				kept = append(kept, first+at)
			}
		}
		slices.SortFunc(kept[begin:], func(a, b int) int {
			if byDepart := int(p.ranked[a].Depart - p.ranked[b].Depart); byDepart != 0 {
				return byDepart
			}
			return p.live(a).Before(p.live(b))
		})
		cheapest := slices.CompactFunc(kept[begin:],
			func(a, b int) bool { return p.ranked[a].Depart == p.ranked[b].Depart })
		kept = kept[:begin+len(cheapest)]
	}
	all := make([]Live, len(kept)) // without spare capacity: a refresh keeps the quotes of many series
	for n, at := range kept {
		all[n] = p.live(at)
	}
	return all
}
