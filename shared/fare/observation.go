package fare

import (
	"cmp"
	"slices"
)

// Observation says that somebody was offered a price: at Found, for an economy
// seat departing on Depart. The amount is what was quoted, in the currency in
// which it was quoted: exchange rates move after a fare was observed, and are
// none of its properties.
type Observation struct {
	Found    int64    // Unix seconds, UTC
	Price    Cents    // hundredths of Currency
	Depart   Day      // local day of departure
	Nights   int16    // away, of a return trip; 0: one-way
	Currency Currency // of Price
	Stops    Stops    // the more of both ways, of a return trip
	DayOnly  bool     // the source knows the day alone: Found is its first moment
}

// FoundDay is the UTC day on which the fare was seen.
func (o Observation) FoundDay() Day { return dayOfUnix(o.Found) }

// Return is the day of the way back; 0 where there is none.
func (o Observation) Return() Day {
	if o.Nights == 0 {
		return 0
	}
	return o.Depart + Day(o.Nights)
}

// Compare orders observations by Found, then Depart, Nights, Price and the rest. Two that compare
// equal are the same observation.
func (o Observation) Compare(p Observation) int {
	switch { // written out, since histories are sorted by it
	case o.Found != p.Found:
		return cmp.Compare(o.Found, p.Found)
	case o.Depart != p.Depart:
		return cmp.Compare(o.Depart, p.Depart)
	case o.Nights != p.Nights:
		return cmp.Compare(o.Nights, p.Nights)
	case o.Price != p.Price:
		return cmp.Compare(o.Price, p.Price)
	case o.Currency != p.Currency:
		return o.Currency.Compare(p.Currency)
	case o.Stops != p.Stops:
		return cmp.Compare(o.Stops, p.Stops)
	case o.DayOnly != p.DayOnly:
		if p.DayOnly {
			return -1
		}
		return 1
	}
	return 0
}

// Set puts observations in Compare order and drops what is said twice: repeated
// ones, and those that say no more than another says with more precision. One
// that knows the day alone yields to the same offer found at a moment of that
// day; one that does not know its stops, to the same with its stops. It
// reorders its argument. What is left does not depend on the order.
func Set(observations []Observation) []Observation {
	if !slices.IsSortedFunc(observations, Observation.Compare) {
		slices.SortFunc(observations, Observation.Compare)
	}
	observations = slices.Compact(observations)
	vague := false
	for _, o := range observations {
		vague = vague || o.vague()
	}
	if !vague {
		return observations
	}
	precise := map[offer]bool{}
	for _, o := range observations {
		if !o.DayOnly && o.Stops != StopsUnknown {
			precise[o.offer()] = true
			precise[o.onDay()] = true
		}
	}
	if len(precise) == 0 {
		return observations
	}
	return slices.DeleteFunc(observations, func(o Observation) bool { return o.vague() && precise[o.offer()] })
}

func (o Observation) vague() bool { return o.DayOnly || o.Stops == StopsUnknown }

// offer is what two observations of the same offer have in common. Negative
// times stand for a day: no fare was found before 1970.
type offer struct {
	found    int64
	price    Cents
	depart   Day
	nights   int16
	currency Currency
}

func (o Observation) offer() offer {
	if o.DayOnly {
		return o.onDay()
	}
	return offer{o.Found, o.Price, o.Depart, o.Nights, o.Currency}
}

func (o Observation) onDay() offer {
	return offer{-1 - int64(o.FoundDay()), o.Price, o.Depart, o.Nights, o.Currency}
}

// Fare is an observation on a route.
type Fare struct {
	Route Route
	Observation
}

// Series is the series of observations that the fare belongs to.
func (f Fare) Series() Series { return Series{f.Route, TripOf(int(f.Nights))} }
