package departure

import (
	"slices"
	"time"

	"verdetto/shared/fare"
)

// Span is a kind of range of dates: days around a date, or a month. A question about a range asks
// for its cheapest departure.
type Span uint8

const (
	Within1 Span = iota
	Within3
	Within7
	Month
	spans
)

func (s Span) Days() fare.Day { return [spans]fare.Day{1, 3, 7, 0}[s] }

func (s Span) Ends(date fare.Day) (first, last fare.Day) {
	if s != Month {
		return date - s.Days(), date + s.Days()
	}
	at := date.Time()
	return fare.DayOf(time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)),
		fare.DayOf(time.Date(at.Year(), at.Month()+1, 0, 0, 0, 0, 0, time.UTC))
}

// From returns the day that determines the lead time of a range: the date itself, or the last day
// of the month.
func (s Span) From(date fare.Day) fare.Day {
	if s == Month {
		_, date = s.Ends(date)
	}
	return date
}

// The cheapest fare of a range is compared only with the cheapest fares of ranges of the same kind,
// because a minimum nearly always looks cheap among single departures.
type Minima [spans]Route

// live must be in order of departure.
func (m *Minima) fold(v *View, live []Quote) {
	var on RouteDay
	for s := range m {
		m.route(Span(s)).fold(&on, v, Span(s).minima(v.day, live))
	}
}

func (m *Minima) route(s Span) *Route {
	m[s].single = true
	return &m[s]
}

func (r *Route) fold(on *RouteDay, v *View, minima []Quote) {
	on.Set(r, v, minima)
	on.Fold(minima, nil)
}

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

func (d *StateDay) outside(s Span, date fare.Day) (n int) {
	first, last := s.Ends(date)
	for _, q := range d.asker.sale {
		if at := d.today + fare.Day(q.Lead); at < first || at > last {
			n++
		}
	}
	return n
}

func (d *StateDay) minimaOf(s Span) *RouteDay {
	if d.minima[s] == nil {
		route := d.state.Minima.route(s)
		if d.folded != nil {
			route = route.clone()
			route.fold(new(RouteDay), d.folded, s.minima(d.state.AsOf, d.state.quotes(d.state.AsOf)))
		}
		d.minima[s] = route.Day(d.asker.view, s.minima(d.today, d.state.quotes(d.today)))
	}
	return d.minima[s]
}

func (m *Minima) clone() *Minima {
	c := new(Minima)
	for s := range m {
		c[s] = *m[s].clone()
	}
	return c
}

// Of two equal fares, Cheapest prefers the better flight.
func (d *StateDay) Cheapest(s Span, date fare.Day) (cheapest Live, ok bool) {
	first, last := s.Ends(date)
	for _, l := range d.Live() {
		if l.Depart >= first && l.Depart <= last &&
			(!ok || l.Price < cheapest.Price || l.Price == cheapest.Price && l.Better(cheapest)) {
			cheapest, ok = l, true
		}
	}
	return cheapest, ok
}

// JudgeSpan returns no chances of a fall, which are for a single departure. ok is false if the
// range is over or price is not positive.
func (d *StateDay) JudgeSpan(s Span, date fare.Day, price fare.Cents) (a Answer, q Quartiles, ok bool) {
	if _, last := s.Ends(date); last < d.today || price <= 0 {
		return a, q, false
	}
	minima, minimum := d.minimaOf(s), Quote{max(0, int(s.From(date)-d.today)), price}
	a = minima.Judge(nil, minimum)
	a.Chance, a.Cases = [horizons]float64{}, [horizons]float64{}
	a.Count = d.asker.route.count
	if a.OnSale > 0 {
		a.OnSale = d.outside(s, date)
	}
	q, _ = minima.Quartiles(minimum)
	return a, q, true
}
