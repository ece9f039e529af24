package fare

import (
	"cmp"
	"slices"
)

// An Observation keeps the quoted currency, because exchange rates move afterwards.
type Observation struct {
	Found    int64 // Unix seconds, UTC
	Price    Cents
	Depart   Day   // local day
	Nights   int16 // 0 for a one-way fare
	Currency Currency
	Stops    Stops // for a return trip, the stops of the direction with more stops
	DayOnly  bool  // Found is the start of a day, because the time is unknown
	Flight   Flight
}

func (o Observation) FoundDay() Day { return dayOfUnix(o.Found) }

func (o Observation) Return() Day {
	if o.Nights == 0 {
		return 0
	}
	return o.Depart + Day(o.Nights)
}

// Compare orders observations by Found first. It returns 0 only for identical observations.
func (o Observation) Compare(p Observation) int {
	switch { // cmp.Or would make all comparisons each time
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

func (o Observation) SameFare(p Observation) bool {
	o.Flight, p.Flight = Flight{}, Flight{}
	return o == p
}

// Set sorts observations in place. It removes duplicates, and vague observations of an offer that
// has a precise one. The result does not depend on the order of observations.
func Set(observations []Observation) []Observation {
	if !slices.IsSortedFunc(observations, Observation.Compare) {
		slices.SortFunc(observations, Observation.Compare)
	}
	observations = slices.CompactFunc(observations, Observation.SameFare) // the first of equal fares has the most complete flight
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
	flights := map[offer]Flight{}
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

// If the field found is negative, it encodes a day without a time.
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

type Fare struct {
	Route Route
	Observation
}

func (f Fare) Series() Series { return Series{Route: f.Route, Trip: TripOf(int(f.Nights))} }
