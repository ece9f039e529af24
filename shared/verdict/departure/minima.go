package departure

import (
	"slices"
	"time"

	"verdetto/shared/fare"
)

// Span is a range of departure dates: some days around a date, or its month. Questions about a Span
// ask for the cheapest departure in it.
type Span uint8

// The spans: 1, 3 or 7 days either side of a date, or its month.
const (
	Within1 Span = iota
	Within3
	Within7
	Month
	spans
)

// Days returns the number of days around the date that the span includes, or 0 for a month.
func (s Span) Days() fare.Day { return [spans]fare.Day{1, 3, 7, 0}[s] }

// Ends returns the first and the last day of the span around a date.
func (s Span) Ends(date fare.Day) (first, last fare.Day) {
	if s != Month {
		return date - s.Days(), date + s.Days()
	}
	at := date.Time()
	return fare.DayOf(time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)),
		fare.DayOf(time.Date(at.Year(), at.Month()+1, 0, 0, 0, 0, 0, time.UTC))
}

// From returns the day to which the lead time of a span counts: the date, or the last day of a
// month. With the last day, the current month has a lead time too.
func (s Span) From(date fare.Day) fare.Day {
	if s == Month {
		_, date = s.Ends(date)
	}
	return date
}

// Minima holds the rule's state for the cheapest fare of a span, such as a month. Such a minimum is
// compared only with minima of the same kind of span; among single departures it would nearly
// always look cheap. So each kind of span has its own mean and residuals, without groups of lead
// times. It shares the lead-time curve and the residuals of all routes with single departures.
type Minima [spans]Route

// fold adds the cheapest fares of all spans on a view's day. live holds the prices of the
// departures seen within LiveDays, in order of departure.
func (m *Minima) fold(v *View, live []Quote) {
	for s := range m {
		m.of(Span(s)).fold(v, Span(s).minima(v.day, live))
	}
}

// of returns the route of a span.
func (m *Minima) of(s Span) *Route {
	m[s].single = true
	return &m[s]
}

// fold adds the cheapest fares of one day. It adds nothing to the pooled statistics.
func (r *Route) fold(v *View, minima []Quote) { r.Day(v, minima).Fold(minima, new(Statistics)) }

// minima returns the cheapest fare of each span: around every departure with a fare, or of every
// month.
func (s Span) minima(day fare.Day, live []Quote) []Quote {
	var all []Quote
	if s == Month {
		for _, q := range live {
			if n := len(all); n > 0 && q.Lead <= all[n-1].Lead {
				all[n-1].Price = min(all[n-1].Price, q.Price)
			} else {
				all = append(all, Quote{int(s.From(day+fare.Day(q.Lead)) - day), q.Price})
			}
		}
		return all
	}
	all = make([]Quote, 0, len(live))
	from, days := 0, int(s.Days())
	for _, q := range live {
		for live[from].Lead < q.Lead-days {
			from++
		}
		least := q
		for _, near := range live[from:] {
			if near.Lead > q.Lead+days {
				break
			}
			least.Price = min(least.Price, near.Price)
		}
		all = append(all, least)
	}
	return all
}

// quotes returns the newest prices, seen within LiveDays, of the departures that have not left.
func (d Departures) quotes(day fare.Day) []Quote {
	var all []Quote
	for at, past := range d {
		if last, price, ok := past.Last(); ok && at >= day && last >= day-LiveDays {
			all = append(all, Quote{int(at - day), price})
		}
	}
	slices.SortFunc(all, func(a, b Quote) int { return a.Lead - b.Lead })
	return all
}

// outside returns the number of departures on sale outside the span around a date.
func (d *StateDay) outside(s Span, date fare.Day) (n int) {
	first, last := s.Ends(date)
	for _, q := range d.asker.sale {
		if at := d.today + fare.Day(q.Lead); at < first || at > last {
			n++
		}
	}
	return n
}

// minimaOf returns the state for a span's cheapest fares, prepared for answers of the day.
func (d *StateDay) minimaOf(s Span) *RouteDay {
	if d.minima[s] == nil {
		of := d.state.Minima.of(s)
		if d.folded != nil {
			of = of.clone()
			of.fold(d.folded, s.minima(d.state.AsOf, d.state.quotes(d.state.AsOf)))
		}
		d.minima[s] = of.Day(d.asker.view, s.minima(d.today, d.state.quotes(d.today)))
	}
	return d.minima[s]
}

// clone returns a deep copy.
func (m *Minima) clone() *Minima {
	c := new(Minima)
	for s := range m {
		c[s] = *m[s].clone()
	}
	return c
}

// Cheapest returns the cheapest live fare in the span around a date.
func (d *StateDay) Cheapest(s Span, date fare.Day) (cheapest Live, ok bool) {
	first, last := s.Ends(date)
	for _, l := range d.Live() {
		if l.Depart >= first && l.Depart <= last && (!ok || l.Price < cheapest.Price) {
			cheapest, ok = l, true
		}
	}
	return cheapest, ok
}

// JudgeSpan ranks a price among the cheapest fares of spans of the same kind. It returns no chances
// of a fall, since these are for a single departure. Answer.OnSale counts the departures outside
// the span. ok is false if the last day of the span is over.
func (d *StateDay) JudgeSpan(s Span, date fare.Day, price fare.Cents) (a Answer, q Quartiles, ok bool) {
	if _, last := s.Ends(date); last < d.today || price <= 0 {
		return a, q, false
	}
	of, minimum := d.minimaOf(s), Quote{max(0, int(s.From(date)-d.today)), price}
	a = of.Judge(nil, minimum)
	a.Chance, a.Cases = [horizons]float64{}, [horizons]float64{}
	a.Count = d.asker.route.count
	if a.OnSale > 0 {
		a.OnSale = d.outside(s, date)
	}
	q, _ = of.Quartiles(minimum)
	return a, q, true
}
