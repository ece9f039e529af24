// Package deals holds the cheapest fares from a city, with verdicts. For each destination it holds
// the cheapest fare of any date, and the cheapest fare of each month. A refresh stores one Origin
// per city and kind of trip, so an answer reads one item from the store, whatever the number of
// destinations. The package does no I/O.
//
// The verdict that orders deals compares a fare only with fares of the same kind: the cheapest fare
// of a route with the route's cheapest fares on other days, the cheapest fare of a month with the
// cheapest fares of other months. The service does not choose the departure with the best verdict:
// of 300 departures, one nearly always looks cheap by chance, so every destination would look
// cheap. For return trips, only the cheapest fare of any date is stored, one per range of nights.
package deals

import (
	"cmp"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

type Deal struct {
	verdict.Judged
	// OwnDay is the verdict on the fare for its own day, as of the refresh; zero: unknown. Only
	// Level, Reliability and Median are stored.
	OwnDay verdict.Verdict
	// Since is when the published facts about the fare last changed, in Unix seconds. It is set only
	// in Fares.Route.
	Since int64
}

// Fares holds the fares with any number of stops, or only the non-stop fares. In Route, and for
// each month in Months, the first fare that has not departed is the cheapest.
type Fares struct {
	Route  []Deal
	Months []Deal // in order of departure
	// Airlines lists the cheapest one-way fares, of any date, of each known airline.
	Airlines []Deal
}

type Entry struct {
	Destination  fare.City
	AsOf         fare.Day // the day of the refresh
	Observations int      // the number of stored observations at the refresh
	// Collected is the first past day with a low while the route has too few of them for a verdict,
	// otherwise 0.
	Collected fare.Day
	Any       Fares
	NonStop   *Fares // nil if unknown
}

// Filter selects fares. The zero value selects the cheapest fare of any date.
type Filter struct {
	Month    *fare.Day // any day in the departure month; nil: any date
	NonStop  bool
	Airlines fare.Airlines
}

// Cheapest returns the cheapest fare that departs today or later. If the filter names airlines
// together with a month, or for return trips, only the cheapest fare of all airlines is known; it
// is returned if it is from these airlines.
func (e Entry) Cheapest(today fare.Day, f Filter) (cheapest Deal, ok bool) {
	fares := &e.Any
	if f.NonStop {
		fares = e.NonStop
	}
	if fares == nil || today < e.AsOf || today > e.AsOf+verdict.LiveDays {
		return Deal{}, false
	}
	list := fares.Route
	switch {
	case f.Month != nil:
		list = fares.Months
	case f.Airlines != "" && len(fares.Airlines) > 0:
		return cheapestOf(fares.Airlines, today, f.Airlines)
	}
	for _, d := range list {
		if d.Fare.Depart >= today && (f.Month == nil || sameMonth(d.Fare.Depart, *f.Month)) {
			return d, f.Airlines.Include(d.Fare.Flight.Airline)
		}
	}
	return Deal{}, false
}

// cheapestOf returns the cheapest fare of some airlines, among those found within verdict.FreshFor
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

// Lower returns the lowest known fare that departs today or later, if it is below d. The fare of a
// route is the lowest of the fresh fares, so an older fare can be lower. Lower finds none for return
// trips, whose Months are empty.
func (e Entry) Lower(d Deal, today fare.Day, f Filter) (lower verdict.Judged, ok bool) {
	fares := &e.Any
	if f.NonStop {
		fares = e.NonStop
	}
	lower = d.Judged
	for _, one := range fares.Months {
		if one.Fare.Depart >= today && one.Fare.Price < lower.Fare.Price && f.Airlines.Include(one.Fare.Flight.Airline) {
			lower, ok = one.Judged, true
		}
	}
	return lower, ok
}

func sameMonth(a, b fare.Day) bool {
	return a.Time().Year() == b.Time().Year() && a.Time().Month() == b.Time().Month()
}

type Origin struct{ Entries []Entry }

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

// Merge replaces entries by the fresh ones to the same destinations, unless the fresh one is older,
// or as old and built from fewer observations. A fare in Route whose published facts are unchanged
// keeps its Since. Entries more than LiveDays older than the newest fresh entry are dropped.
func (o Origin) Merge(fresh []Entry) Origin {
	byCity := map[fare.City]Entry{}
	var newest fare.Day
	for _, e := range o.Entries {
		byCity[e.Destination] = e
	}
	for _, e := range fresh {
		newest = max(newest, e.AsOf)
		previous, ok := byCity[e.Destination]
		if ok && (previous.AsOf > e.AsOf || previous.AsOf == e.AsOf && previous.Observations > e.Observations) {
			continue
		}
		e.Any.Route = carry(previous.Any.Route, e.Any.Route, e.AsOf)
		if e.NonStop != nil {
			var before []Deal
			if previous.NonStop != nil {
				before = previous.NonStop.Route
			}
			fares := *e.NonStop
			fares.Route = carry(before, fares.Route, e.AsOf)
			e.NonStop = &fares
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

// carry sets Since of the new deals: to that of an earlier deal with the same published facts, or
// else to the time when the fare was found or the day of the refresh, whichever is later.
func carry(before, now []Deal, asOf fare.Day) []Deal {
	now = slices.Clone(now)
	for i := range now {
		d := &now[i]
		d.Since = max(d.Fare.Found, asOf.Time().Unix())
		for _, previous := range before {
			if previous.same(*d) {
				d.Since = previous.Since
			}
		}
	}
	return now
}

// same reports whether two deals have the same published facts, which the feeds show. The time when
// the fare was found is not one of them.
func (d Deal) same(other Deal) bool {
	type shown struct {
		fare        verdict.Live
		level       verdict.Level
		reliability verdict.Reliability
	}
	published := func(d Deal) shown {
		s := shown{fare: d.Fare, level: d.OwnDay.Level, reliability: d.OwnDay.Reliability}
		s.fare.Found, s.fare.DayOnly = 0, false
		return s
	}
	return published(d) == published(other)
}

// ForDay returns the fare with the verdict for its own day, at the time now. The verdict is zero if
// it is unknown.
func (d Deal) ForDay(now time.Time) verdict.Judged {
	return verdict.Judged{Fare: d.Fare, Verdict: d.OwnDay}.Aged(now)
}
