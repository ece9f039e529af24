package departure

import (
	"slices"
	"time"

	"verdetto/shared/fare"
)

// Span is a question about the cheapest of several departures: those so many
// days either side of a date, or those of its month.
type Span uint8

const (
	Within1 Span = iota
	Within3
	Within7
	Month
	spans
)

// Days is how many days either side of its date a span reaches; 0 for a month.
func (s Span) Days() fare.Day { return [spans]fare.Day{1, 3, 7, 0}[s] }

// Ends are the first and the last day of the span of a date.
func (s Span) Ends(date fare.Day) (first, last fare.Day) {
	if s != Month {
		return date - s.Days(), date + s.Days()
	}
	at := date.Time()
	return fare.DayOf(time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)),
		fare.DayOf(time.Date(at.Year(), at.Month()+1, 0, 0, 0, 0, 0, time.UTC))
}

// From is the day from which the lead time of a span counts: its date, and of a
// month its last day, so that the month one is in has one too.
func (s Span) From(date fare.Day) fare.Day {
	if s == Month {
		_, date = s.Ends(date)
	}
	return date
}

// Minima are what the rule keeps of the cheapest fares of spans. A minimum may
// only be compared with minima: against single departures it would nearly always
// look low. So they have means and residuals of their own, which are not told
// apart by lead time; the curve over lead times and the residuals of all routes
// are those of departures.
type Minima [spans]Route

// fold takes in what the spans cost on a view's day: the cheapest of the fares
// that departures had within LiveDays. Fares are in order of departure.
func (m *Minima) fold(v *View, live []Quote) {
	var unused Statistics
	for s := range m {
		m[s].single = true
		m[s].Fold(v, Span(s).minima(v.day, live), &unused)
	}
}

// minima are the cheapest fares of each span: of those around every departure that has a fare, or of every month.
func (s Span) minima(day fare.Day, live []Quote) []Quote {
	var all []Quote
	if s == Month {
		for _, q := range live {
			lead := int(s.From(day+fare.Day(q.Lead)) - day)
			if n := len(all); n == 0 || all[n-1].Lead != lead {
				all = append(all, Quote{lead, q.Price})
			} else {
				all[n-1].Price = min(all[n-1].Price, q.Price)
			}
		}
		return all
	}
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

// quotesOn are the newest prices, seen within LiveDays, of the departures that have not left on a day.
func (d Departures) quotesOn(day fare.Day) []Quote {
	var all []Quote
	for at, past := range d {
		if last, price, ok := past.Last(); ok && at >= day && last >= day-LiveDays {
			all = append(all, Quote{int(at - day), price})
		}
	}
	slices.SortFunc(all, func(a, b Quote) int { return a.Lead - b.Lead })
	return all
}

// clone is a copy that can be folded apart.
func (m *Minima) clone() *Minima {
	c := new(Minima)
	for s := range m {
		c[s] = *m[s].clone()
	}
	return c
}

// Cheapest is the cheapest fare that can be shown of the span of a date.
func (d *StateDay) Cheapest(s Span, date fare.Day) (cheapest Live, ok bool) {
	first, last := s.Ends(date)
	for _, l := range d.Live() {
		if l.Depart >= first && l.Depart <= last && (!ok || l.Price < cheapest.Price) {
			cheapest, ok = l, true
		}
	}
	return cheapest, ok
}

// JudgeSpan says how a price stands among the cheapest fares of such spans. It
// tells no chances: those are of one departure. ok is false for a span that has left.
func (d *StateDay) JudgeSpan(s Span, date fare.Day, price fare.Cents) (a Answer, q Quartiles, ok bool) {
	if _, last := s.Ends(date); last < d.today || price <= 0 {
		return a, q, false
	}
	if d.minima[s] == nil {
		d.minima[s] = d.spans[s].On(d.asker.view)
	}
	of, lead := d.minima[s], max(0, int(s.From(date)-d.today))
	a = of.Judge(nil, Quote{lead, price})
	a.Chance, a.Cases = [horizons]float64{}, [horizons]float64{}
	a.Count = d.asker.route.count
	q, _ = of.Quartiles(lead)
	return a, q, true
}
