package fare

import (
	"cmp"
	"slices"
)

// Observation is a price that was offered at Found for an economy seat departing on Depart. The
// amount stays in the quoted currency: exchange rates move after a fare is observed.
type Observation struct {
	Found    int64    // Unix seconds, UTC
	Price    Cents    // hundredths of Currency
	Depart   Day      // local day of departure
	Nights   int16    // length of stay of a return trip; 0: one-way
	Currency Currency // currency of Price
	Stops    Stops    // of a return trip: the larger number of both ways
	DayOnly  bool     // only the day is known: Found is its first moment
	Flight   Flight   // no part of what makes an observation: see SameFare
}

// FoundDay returns the UTC day on which the fare was observed.
func (o Observation) FoundDay() Day { return dayOfUnix(o.Found) }

// Return returns the day of the return flight, or 0 for a one-way fare.
func (o Observation) Return() Day {
	if o.Nights == 0 {
		return 0
	}
	return o.Depart + Day(o.Nights)
}

// Compare orders observations by Found, Depart, Nights, Price and then the other fields. It returns
// 0 only for identical observations.
func (o Observation) Compare(p Observation) int {
	switch { // written out for speed: histories are sorted with it
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
	return o.Flight.Compare(p.Flight)
}

// SameFare reports whether two observations differ at most in what is known about the flight.
func (o Observation) SameFare(p Observation) bool {
	o.Flight, p.Flight = Flight{}, Flight{}
	return o == p
}

// Set sorts observations in Compare order and removes duplicates. It also removes an observation if
// a more precise one describes the same offer. A known time of day is more precise than a day only,
// and known stops are more precise than unknown stops. The observation that stays keeps what any of
// them knew about the flight. Set reorders its argument; the result does not depend on the order.
func Set(observations []Observation) []Observation {
	if !slices.IsSortedFunc(observations, Observation.Compare) {
		slices.SortFunc(observations, Observation.Compare)
	}
	observations = slices.CompactFunc(observations, Observation.SameFare) // the first knows most
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
	flights := map[offer]Flight{} // of the observations that go
	observations = slices.DeleteFunc(observations, func(o Observation) bool {
		if !o.vague() || !precise[o.offer()] {
			return false
		}
		if _, ok := flights[o.offer()]; !ok && o.Flight.Known() {
			flights[o.offer()] = o.Flight
		}
		return true
	})
	for i, o := range observations {
		if len(flights) > 0 && !o.vague() && !o.Flight.Known() {
			if observations[i].Flight = flights[o.offer()]; !observations[i].Flight.Known() {
				observations[i].Flight = flights[o.onDay()]
			}
		}
	}
	return observations
}

func (o Observation) vague() bool { return o.DayOnly || o.Stops == StopsUnknown }

// offer identifies an offer, to find duplicates of different precision. A negative found means a
// day instead of a time, since no fare was found before 1970.
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

// Series returns the series that the fare belongs to.
func (f Fare) Series() Series { return Series{f.Route, TripOf(int(f.Nights))} }
