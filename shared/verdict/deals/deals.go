// Package deals holds where it is cheap to fly to from a city: of each
// destination the cheapest fare of any time and of each month, judged. Origin is
// stored per origin and kind of trip, made by the refresh, so that an answer costs one read
// however many destinations there are. It is pure.
//
// A fare is judged as what it is. The cheapest fare of a route is compared with
// the route's cheapest of other days, that of a month with the cheapest of months:
// among three hundred departures one nearly always looks cheap by itself, so
// picking the best-judged departure would call every destination cheap.
//
// Of returns the cheapest of any time is kept, by class of nights away, and none of months.
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
	// Since is when what is told of the fare last changed, Unix seconds; of the
	// fares of months it is not kept.
	Since int64
}

// Fares are those of any number of stops, or those without. In each list the
// first of a month, or of the route, that has not departed is the cheapest.
type Fares struct {
	Route  []Deal
	Months []Deal // in order of departure
}

// Entry is one destination.
type Entry struct {
	Destination  fare.City
	AsOf         fare.Day // the refresh that made it
	Observations int      // that it was made of
	Any          Fares
	NonStop      *Fares // nil where it is not known which fares are non-stop
}

// Cheapest is the fare that stands on a day: of the route, or of the month of a day.
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

// Origin is all destinations from a city, by their codes.
type Origin struct{ Entries []Entry }

// To gives the entry of a destination.
func (o Origin) To(destination fare.City) (Entry, bool) {
	i, ok := slices.BinarySearchFunc(o.Entries, destination, func(e Entry,
		d fare.City) int {
		return cmp.Compare(e.Destination, d)
	})
	if !ok {
		return Entry{}, false
	}
	return o.Entries[i], true
}

// Merge puts fresh entries in the place of older ones to the same destinations.
// An older refresh changes nothing. What is told of a fare as before keeps its
// Since. Entries that can be shown no more are left out.
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
			continue // made by another refresh, which knew more
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

// carry says since when each of some deals is told as it is: since before, or
// since it was found, or since the day on which it was judged otherwise.
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

// same tells whether of two deals the same is told: the feeds say nothing else
// than this. When a fare was found again is not part of it.
func (d Deal) same(other Deal) bool {
	told := func(d Deal) any {
		type shown struct {
			depart                fare.Day
			nights                int16
			price, usual          fare.Cents
			quoted                fare.Money
			stops                 fare.Stops
			livello, affidabilita string
		}
		s := shown{depart: d.Fare.Depart, nights: d.Fare.Nights, price: d.Fare.Price, quoted: d.Fare.Quoted,
			stops: d.Fare.Stops, livello: d.Verdict.Livello, affidabilita: d.Verdict.Affidabilita}
		s.usual, _ = d.Usual()
		return s
	}
	return told(d) == told(other)
}

// Usual is what is usual for a deal, in whole euro, so that it does not change
// with every fare that is seen; false where that is not known.
func (d Deal) Usual() (fare.Cents, bool) {
	if d.Verdict.MedianaCent == nil {
		return 0, false
	}
	return (*d.Verdict.MedianaCent + 50) / 100 * 100, true
}
