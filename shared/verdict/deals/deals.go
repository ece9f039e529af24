// Package deals holds the cheapest fares from a city, with verdicts. A refresh stores one Origin
// per city and kind of trip. The package does no I/O. Deals are not the departures with the best
// verdicts: of many departures, one nearly always looks cheap by chance.
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
	// OwnDay is the verdict on the fare for its own day, or zero if unknown. Only Level,
	// Reliability and Median are stored.
	OwnDay verdict.Verdict
	// Since is when the published facts about the fare last changed, in Unix seconds. It is stored
	// only in Fares.Route.
	Since int64
}

// For all airlines, the deal is the first fare in Route that has not departed or, for a month, the
// first fare of the month in Months that has not departed.
type Fares struct {
	Route    []Deal
	Months   []Deal
	Airlines []Deal
}

type Entry struct {
	Destination  fare.City
	AsOf         fare.Day
	Observations int
	// Collected is the result of RouteSummary.CollectedSince.
	Collected fare.Day
	Any       Fares
	NonStop   *Fares
}

type Filter struct {
	Month    *fare.Day // a day in the month of departure; nil for any date
	NonStop  bool
	Airlines fare.Airlines
}

// For a month, Cheapest knows only the cheapest fare of all airlines, and returns true if that fare
// is from f.Airlines.
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

// cheapestOf ignores fares found FreshFor or more before the newest fare of the airlines in a.
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

// Lower returns a fare in Months that is lower than d, if there is one. If f.NonStop is set,
// e.NonStop must not be nil.
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

// Merge replaces entries by fresh ones, unless the fresh one is older, or of the same day and has
// fewer observations. It drops entries more than LiveDays older than the newest fresh entry.
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

// same ignores when the fare was found, so that Since stays when the fare is found again.
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

func (d Deal) ForDay(now time.Time) verdict.Judged {
	return verdict.Judged{Fare: d.Fare, Verdict: d.OwnDay}.Aged(now)
}
