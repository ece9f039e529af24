// Package deals holds the cheapest fares from a city, with verdicts. For each destination it holds
// the cheapest fare of any date, and the cheapest fare of each month. A refresh stores one Origin
// per city and kind of trip. So an answer reads one item from the store, whatever the number of
// destinations. The package does no I/O.
//
// A fare is compared only with fares of the same kind. The cheapest fare of a route is compared
// with the route's cheapest fares on other days. The cheapest fare of a month is compared with the
// cheapest fares of other months. The service does not choose the departure with the best verdict:
// of 300 departures, nearly always one looks cheap by chance. So every destination would look
// cheap.
//
// For return trips, only the cheapest fare of any date is stored, one per range of nights.
package deals

import (
	"cmp"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// Deal is a live fare (found in the last 7 days) with its verdict.
type Deal struct {
	verdict.Judged
	// Since is when the published facts about the fare last changed, in Unix seconds. For the
	// cheapest fare of a month, Since is 0.
	Since int64
}

// Fares holds either the fares with any number of stops, or only the non-stop fares. Route lists
// the cheapest fares of any date, Months the cheapest fares of each month. In Route, and in Months
// for each month, the first fare that has not departed is the cheapest.
type Fares struct {
	Route  []Deal
	Months []Deal // in order of departure
	// Airlines lists the cheapest one-way fares of any date of each known airline.
	Airlines []Deal
}

// Entry holds the cheapest fares to one destination.
type Entry struct {
	Destination  fare.City
	AsOf         fare.Day // the day of the refresh that built it
	Observations int      // number of observations it was built from
	// Collected is the first past day with a known cheapest fare while the route has too few such
	// days for a verdict. Otherwise it is 0.
	Collected fare.Day
	Any       Fares
	NonStop   *Fares // nil if it is not known which fares are non-stop
}

// Filter selects fares. The zero value selects the cheapest fare of any date.
type Filter struct {
	Month    *fare.Day // a day of the month of departure; nil: any date
	NonStop  bool
	Airlines fare.Airlines
}

// Cheapest returns the cheapest fare that departs today or later. It returns false if there is no
// such fare. With airlines and a month, it returns the cheapest fare of the month if that fare is of
// these airlines. For return trips, the same holds for any date.
func (e Entry) Cheapest(today fare.Day, f Filter) (cheapest Deal, ok bool) {
	of := &e.Any
	if f.NonStop {
		of = e.NonStop
	}
	if of == nil || today < e.AsOf || today > e.AsOf+verdict.LiveDays {
		return Deal{}, false
	}
	list := of.Route
	switch {
	case f.Month != nil:
		list = of.Months
	case f.Airlines != "" && len(of.Airlines) > 0:
		return cheapestOf(of.Airlines, today, f.Airlines)
	}
	for _, d := range list {
		if d.Fare.Depart >= today && (f.Month == nil || sameMonth(d.Fare.Depart, *f.Month)) {
			return d, f.Airlines.Include(d.Fare.Flight.Airline)
		}
	}
	return Deal{}, false
}

// cheapestOf returns the cheapest fare of some airlines among those found within verdict.FreshFor
// before the newest of them.
func cheapestOf(list []Deal, today fare.Day, a fare.Airlines) (cheapest Deal, ok bool) {
	list = slices.DeleteFunc(slices.Clone(list), func(d Deal) bool {
		return d.Fare.Depart < today || !a.Include(d.Fare.Flight.Airline)
	})
	var newest int64
	for _, d := range list {
		newest = max(newest, d.Fare.Found)
	}
	for _, d := range list {
		if d.Fare.Found > newest-int64(verdict.FreshFor.Seconds()) &&
			(!ok || d.Fare.Price < cheapest.Fare.Price || d.Fare.Price == cheapest.Fare.Price &&
				d.Fare.Better(cheapest.Fare)) {
			cheapest, ok = d, true
		}
	}
	return cheapest, ok
}

// Lower returns the lowest known fare that departs today or later, if it is below the fare of deal
// d. The fare of a route is the lowest of the newest fares, so an older fare can be lower. For
// return trips, only the newest fares are stored.
func (e Entry) Lower(d Deal, today fare.Day, f Filter) (lower verdict.Judged, ok bool) {
	of := &e.Any
	if f.NonStop {
		of = e.NonStop
	}
	lower = d.Judged
	for _, one := range of.Months {
		if one.Fare.Depart >= today && one.Fare.Price < lower.Fare.Price && f.Airlines.Include(one.Fare.Flight.Airline) {
			lower, ok = one.Judged, true
		}
	}
	return lower, ok
}

func sameMonth(a, b fare.Day) bool {
	return a.Time().Year() == b.Time().Year() && a.Time().Month() == b.Time().Month()
}

// Origin holds the entries of all destinations from one city, sorted by IATA code.
type Origin struct{ Entries []Entry }

// Entry returns the entry of a destination. It returns false if there is none.
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

// Merge replaces entries by the fresh entries to the same destinations. A fresh entry from an older
// refresh changes nothing. A fare whose published facts are unchanged keeps its Since. Merge drops
// entries that are more than LiveDays days older than the newest fresh entry.
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
			of := *e.NonStop
			of.Route = carry(before, of.Route, e.AsOf)
			e.NonStop = &of
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

// carry returns the new deals (the parameter now) with their Since set. If an earlier deal (the
// parameter before) has the same published facts, its Since is kept. Otherwise Since is the time
// when the fare was found, but not before the day of the refresh.
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

// same reports whether two deals have the same published facts. These are the facts that the feeds
// show; the time when the fare was found is not one of them.
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

// Usual returns the median price for a deal, rounded to whole euro. Without rounding, the price
// would change with every new fare. Usual returns false if the median is not known.
func (d Deal) Usual() (fare.Cents, bool) {
	if d.Verdict.MedianaCent == nil {
		return 0, false
	}
	return (*d.Verdict.MedianaCent + 50) / 100 * 100, true
}
