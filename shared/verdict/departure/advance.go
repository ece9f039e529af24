package departure

import (
	"math"
	"slices"

	"verdetto/shared/fare"
)

type Learner struct {
	State
	Questions Questions
}

// Advance brings a series to today, and adds to sums what the series contributes to the pooled
// statistics. A repeated call with the same arguments changes nothing. fares must hold one fare per
// departure and day, in order of day found and departure, in the currency of the state. If
// p.MustRenew is true, fares must hold the whole history.
func (s *Learner) Advance(today fare.Day, p *Pooled, fares []Live, sums *Statistics) {
	if p.MustRenew(&s.State) {
		s.renew(p, fares, sums)
	}
	from := s.AsOf
	eachDay(fares, func(day fare.Day, quotes []Live) {
		switch {
		case day >= today:
		case from == 0 || day >= from:
			v := p.View(day)
			s.Learn(v, sums)
			s.Fold(v, quotes, sums)
		case day >= from-LiveDays:
			if quotes = s.late(quotes, from); len(quotes) > 0 {
				s.Fold(p.View(day), quotes, sums)
			}
		}
	})
	if today > from {
		s.Learn(p.View(today), sums)
	}
	s.Stand(today, fares)
}

func eachDay(fares []Live, do func(day fare.Day, quotes []Live)) {
	for len(fares) > 0 {
		day, n := fares[0].FoundDay(), 1
		for n < len(fares) && fares[n].FoundDay() == day {
			n++
		}
		do(day, fares[:n])
		fares = fares[n:]
	}
}

// Stand sets the day and the live fares. Fold must have added the fares of earlier days.
func (s *Learner) Stand(today fare.Day, fares []Live) {
	s.AsOf, s.Live = today, liveOn(fares, today)
	s.departures().forget(today)
}

// late omits departures before asOf, whose history is already removed, and departures that were
// seen on the day of the fare or later.
func (s *Learner) late(quotes []Live, asOf fare.Day) (late []Live) {
	for _, l := range quotes {
		if l.Depart < asOf {
			continue
		}
		past := s.departures()[l.Depart]
		if past == nil {
			past = new(Past)
		}
		if last, _, ok := past.Last(); !ok || last < l.FoundDay() {
			late = append(late, l)
		}
	}
	return late
}

func (s *Learner) Learn(v *View, sums *Statistics) {
	for h := range horizons {
		for _, outcomes := range s.Questions.Due(h, v.day) {
			s.Route.Learn(h, v, outcomes, sums)
		}
	}
}

func (s *Learner) Fold(v *View, fares []Live, sums *Statistics) {
	price := make(map[fare.Day]fare.Cents, len(fares))
	day, quotes := s.routeDay(v, fares)
	for i, l := range fares {
		price[l.Depart] = l.Price
		s.Questions.Ask(v.day, quotes[i], day.Judge(s.departures()[l.Depart], quotes[i]).Cells)
	}
	s.Questions.seeAll(v.day, price)
	s.foldDay(day, quotes, sums)
}

func (s *Learner) fold(v *View, fares []Live, sums *Statistics) {
	day, quotes := s.routeDay(v, fares)
	s.foldDay(day, quotes, sums)
}

func (s *Learner) routeDay(v *View, fares []Live) (day *RouteDay, quotes []Quote) {
	quotes = make([]Quote, len(fares))
	for i, l := range fares {
		quotes[i] = l.quote(v.day)
	}
	return s.Route.Day(v, join(s.departures().quotes(v.day), quotes)), quotes
}

func (s *Learner) foldDay(day *RouteDay, quotes []Quote, sums *Statistics) {
	for _, q := range quotes {
		s.departures().See(day.view.day, q)
	}
	s.departures().forget(day.view.day)
	s.Minima.fold(day.view, day.quotes())
	day.Fold(quotes, sums)
}

func join(older, newer []Quote) []Quote {
	all := make([]Quote, 0, max(len(older), len(newer)))
	for _, q := range newer {
		for len(older) > 0 && older[0].Lead < q.Lead {
			all, older = append(all, older[0]), older[1:]
		}
		if len(older) > 0 && older[0].Lead == q.Lead {
			older = older[1:]
		}
		all = append(all, q)
	}
	return append(all, older...)
}

func (d Departures) forget(day fare.Day) {
	for at, past := range d {
		if last, _, ok := past.Last(); !ok || at < day || last < day-lowDays {
			delete(d, at)
		}
	}
}

func (qs Questions) seeAll(day fare.Day, price map[fare.Day]fare.Cents) {
	for i := range qs {
		if p, ok := price[qs[i].depart]; ok {
			qs[i:i+1].See(day, qs[i].depart, p)
		}
	}
}

func liveOn(fares []Live, today fare.Day) []Live {
	var live []Live
	seen := map[fare.Day]bool{}
	for _, l := range slices.Backward(fares) {
		day := l.FoundDay()
		if day < today-LiveDays {
			break
		}
		if l.Depart >= today && day <= today && !seen[l.Depart] {
			seen[l.Depart] = true
			live = append(live, l)
		}
	}
	slices.SortFunc(live, func(a, b Live) int { return int(a.Depart - b.Depart) })
	return slices.Clip(live)
}

// Convert converts the prices of a state to another currency, of which perEuro units buy one euro.
// If only the rate has changed, the prices stay the same.
func (s *Learner) Convert(currency fare.Currency, perEuro float64) {
	if s.AsOf != 0 && s.Currency != currency && s.PerEuro > 0 && perEuro > 0 {
		factor := perEuro / s.PerEuro
		convert := func(c *fare.Cents) { *c = max(1, fare.Cents(math.Round(float64(*c)*factor))) }
		s.Route.scale(factor)
		for i := range s.Minima {
			s.Minima[i].scale(factor)
		}
		for _, past := range s.departures() {
			past.convert(convert)
		}
		for i := range s.Questions {
			convert(&s.Questions[i].price)
		}
	}
	s.Currency, s.PerEuro = currency, perEuro
}

func (r *Route) scale(factor float64) { r.level.sum += r.level.weight * math.Log(factor) }

// convert keeps the latest of the lows that rounding makes equal.
func (p *Past) convert(convert func(*fare.Cents)) {
	for i := range p.lows {
		convert(&p.lows[i].price)
	}
	n := 0
	for _, low := range p.lows {
		for n > 0 && p.lows[n-1].price >= low.price {
			n--
		}
		p.lows[n] = low
		n++
	}
	p.lows = p.lows[:n]
}

func (s *Learner) Clone() *Learner {
	c := *s
	c.Route, c.Minima = *s.Route.clone(), *s.Minima.clone()
	c.pasts = make(Departures, len(s.departures()))
	for at, past := range s.departures() {
		c.pasts[at] = past.clone()
	}
	c.Live, c.Questions = slices.Clone(s.Live), slices.Clone(s.Questions)
	return &c
}
