package departures

import (
	"cmp"
	"slices"
	"time"

	"verdetto/shared/fare"
)

// A question about a month, or about some days either side of a date, is about
// the cheapest of many departures, and a minimum may only be compared with
// minima: against single departures it would nearly always look low. So the rule
// is asked about panels of minima. Each row is the cheapest fare of such a span of
// departures on a day; the span is the departure, and the same span on other
// days and other spans of the route are its comparables. Nothing else changes.

// Months is the panel of the cheapest departure of each month. The lead time is
// that of the month's last day, so that the month one is in has one too.
func (t *Trips) Months() *Trips {
	return t.minima(func(departs fare.Day) []fare.Day {
		at := departs.Time()
		return []fare.Day{fare.DayOf(time.Date(at.Year(), at.Month()+1, 0, 0, 0, 0, 0, time.UTC))}
	}, false)
}

// Within is the panel of the cheapest departure of so many days either side of
// each departure that was seen that day.
func (t *Trips) Within(days int) *Trips {
	return t.minima(func(departs fare.Day) (spans []fare.Day) {
		for d := -days; d <= days; d++ {
			spans = append(spans, departs+fare.Day(d))
		}
		return spans
	}, true)
}

// minima makes a panel of the cheapest fares of spans, which are named by a day.
// With seen, a span only counts on days on which the departure of its name was seen.
func (t *Trips) minima(spansOf func(departs fare.Day) []fare.Day, seen bool) *Trips {
	type key struct {
		route int32
		span  fare.Day
	}
	m := &Trips{Routes: t.Routes, Dropped: t.Dropped, Read: t.Read, Notes: slices.Clone(t.Notes)}
	trips := map[key]int32{}
	best := map[key]fare.Cents{}
	named := map[key]bool{}
	for from := 0; from < len(t.rows); {
		day, to := t.rows[from].day, from
		clear(best)
		clear(named)
		for ; to < len(t.rows) && t.rows[to].day == day; to++ {
			q := t.rows[to]
			named[key{q.route, q.departs()}] = true
			for _, span := range spansOf(q.departs()) {
				k := key{q.route, span}
				if price, ok := best[k]; !ok || q.price < price {
					best[k] = q.price
				}
			}
		}
		begin := len(m.rows)
		for k, price := range best {
			if k.span >= day && (named[k] || !seen) {
				m.rows = append(m.rows, quote{route: k.route, day: day, lead: int32(k.span - day), price: price})
			}
		}
		today := m.rows[begin:]
		slices.SortFunc(today, func(a, b quote) int {
			return cmp.Or(cmp.Compare(a.route, b.route), cmp.Compare(a.lead, b.lead))
		})
		for i, q := range today {
			k := key{q.route, q.departs()}
			if _, ok := trips[k]; !ok {
				trips[k] = int32(len(trips))
			}
			today[i].trip = trips[k]
		}
		from = to
	}
	m.index(len(trips))
	return m
}
