// Package deals holds the cheapest fares from a city, with verdicts. Each destination has its
// cheapest fare of any date and of each month. A refresh stores one Origin per city and kind of
// trip, so an answer costs one read, whatever the number of destinations. The package does no I/O.
//
// A fare is judged among fares of its own kind: the cheapest fare of a route among the route's
// cheapest fares on other days, the cheapest fare of a month among the cheapest fares of months.
// The service does not choose the best-judged departure: of 300 departures, nearly always one looks
// cheap by chance, so every destination would look cheap.
//
// For returns only the cheapest fare of any date is stored, by range of nights, and none of months.
package deals

import (
	"cmp"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// Deal is a judged fare.
type Deal struct {
	verdict.Judged
	// Since is when the published facts about the fare last changed, Unix seconds. It is not stored
	// for the fares of months.
	Since int64
}

// Fares holds the fares with any number of stops, or those without stops. In each list, the first
// fare of a month or of the route that has not departed is the cheapest.
type Fares struct {
	Route  []Deal
	Months []Deal // in order of departure
}

// Entry holds the fares to one destination.
type Entry struct {
	Destination  fare.City
	AsOf         fare.Day // the day of the refresh that built it
	Observations int      // number of observations it was built from
	Any          Fares
	NonStop      *Fares // nil if it is not known which fares are non-stop
}

// Cheapest returns the cheapest fare on a day, of the route or of the given month.
func (e Entry) Cheapest(today fare.Day, month *fare.Day, nonStop bool) (Deal, bool) {
	of := &e.Any
	if nonStop {
		of = e.NonStop
	}
	if of == nil || today < e.AsOf || today > e.AsOf+verdict.LiveDays {
		return Deal{}, false
	}
	list := of.Route
	if month != nil {
		list = of.Months
	}
	for _, d := range list {
		if d.Fare.Depart >= today && (month == nil || sameMonth(d.Fare.Depart, *month)) {
			return d, true
		}
	}
	return Deal{}, false
}

func sameMonth(a, b fare.Day) bool {
	return a.Time().Year() == b.Time().Year() && a.Time().Month() == b.Time().Month()
}

// Origin holds all destinations from a city, sorted by code.
type Origin struct{ Entries []Entry }

// Entry returns the entry of a destination.
func (o Origin) Entry(destination fare.City) (Entry, bool) {
	i, ok := slices.BinarySearchFunc(o.Entries, destination, func(e Entry,
		d fare.City) int {
		return cmp.Compare(e.Destination, d)
	})
	if !ok {
		return Entry{}, false
	}
	return o.Entries[i], true
}

// Merge replaces entries by fresh ones to the same destinations. An older refresh changes nothing.
// A fare whose published facts are unchanged keeps its Since. Expired entries are dropped.
func (o Origin) Merge(fresh []Entry) Origin {
	byCity := map[fare.City]Entry{}
	var newest fare.Day
	for _, e := range o.Entries {
		byCity[e.Destination] = e
	}
	for _, e := range fresh {
		newest = max(newest, e.AsOf)
		had, ok := byCity[e.Destination]
		if ok && (had.AsOf > e.AsOf || had.AsOf == e.AsOf && had.Observations > e.Observations) {
			continue // another refresh, with more data, is already stored
		}
		e.Any.Route = carry(had.Any.Route, e.Any.Route, e.AsOf)
		if e.NonStop != nil {
			var before []Deal
			if had.NonStop != nil {
				before = had.NonStop.Route
			}
			e.NonStop = &Fares{carry(before, e.NonStop.Route, e.AsOf), e.NonStop.Months}
		}
		byCity[e.Destination] = e
	}
	var merged Origin
	for _, e := range byCity {
		if e.AsOf+verdict.LiveDays >= newest {
			merged.Entries = append(merged.Entries, e)
		}
	}
	slices.SortFunc(merged.Entries, func(a, b Entry) int { return cmp.Compare(a.Destination, b.Destination) })
	return merged
}

// carry sets Since of the deals. If the published facts are unchanged, Since is unchanged.
// Otherwise it is the time when the fare was found, but not before asOf.
func carry(before, now []Deal, asOf fare.Day) []Deal {
	now = slices.Clone(now)
	for i := range now {
		d := &now[i]
		d.Since = max(d.Fare.Found, asOf.Time().Unix())
		for _, had := range before {
			if had.same(*d) {
				d.Since = had.Since
			}
		}
	}
	return now
}

// same reports whether the published facts of two deals are equal. Feeds contain no other facts.
// The time when the fare was found is not among them.
func (d Deal) same(other Deal) bool {
	told := func(d Deal) any {
		type shown struct {
			depart                fare.Day
			nights                int16
			price, usual          fare.Cents
			quoted                fare.Money
			stops                 fare.Stops
			flight                fare.Flight
			livello, affidabilita string
		}
		s := shown{depart: d.Fare.Depart, nights: d.Fare.Nights, price: d.Fare.Price, quoted: d.Fare.Quoted,
			stops: d.Fare.Stops, flight: d.Fare.Flight, livello: d.Verdict.Livello, affidabilita: d.Verdict.Affidabilita}
		s.usual, _ = d.Usual()
		return s
	}
	return told(d) == told(other)
}

// Usual returns the usual price for a deal, in whole euro, so that it does not change with every
// new fare. It returns false if the usual price is not known.
func (d Deal) Usual() (fare.Cents, bool) {
	if d.Verdict.MedianaCent == nil {
		return 0, false
	}
	return (*d.Verdict.MedianaCent + 50) / 100 * 100, true
}
