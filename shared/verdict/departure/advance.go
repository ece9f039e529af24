package departure

import (
	"math"
	"slices"

	"verdetto/shared/fare"
)

// Learner is the data that a refresh stores for a series (route and kind of trip). It holds the
// departure state, and the questions: earlier answers whose outcome (did the fare fall?) is not
// known yet.
type Learner struct {
	State
	Questions Questions
}

// Advance brings the state of a series (route and kind of trip) to the day of a refresh. It folds
// (adds to the statistics) the fares of all days before today that are not folded yet. It replaces
// the live fares by those of today. It adds the contribution of this series to the pooled
// statistics (sums over all routes) to the parameter sums. p holds the pooled statistics after the
// last complete cycle. If p.MustRenew is true, the state is rebuilt first; then fares must contain
// the whole history.
//
// fares holds one fare per departure and day, in order of day found and departure. Prices are in
// the currency of the state (see Convert). A source may report a fare late. A late fare is folded
// only if two conditions hold: it is at most LiveDays days older than the state, and no newer fare
// of its departure is known. So every fare is folded once, and a repeated Advance changes nothing.
func (s *Learner) Advance(today fare.Day, p *Pooled, fares []Live, sums *Statistics) {
	if p.MustRenew(&s.State) {
		s.renew(p, fares, sums)
	}
	from := s.AsOf
	eachDay(fares, func(day fare.Day, of []Live) {
		switch {
		case day >= today:
		case from == 0 || day >= from:
			v := p.View(day)
			s.Learn(v, sums)
			s.Fold(v, of, sums)
		case day >= from-LiveDays:
			if of = s.late(of, from); len(of) > 0 {
				s.Fold(p.View(day), of, sums)
			}
		}
	})
	if today > from {
		s.Learn(p.View(today), sums)
	}
	s.Stand(today, fares)
}

// eachDay calls do once for each day on which fares were found, oldest first. do receives the day
// and the fares of that day.
func eachDay(fares []Live, do func(day fare.Day, of []Live)) {
	for len(fares) > 0 {
		day, n := fares[0].FoundDay(), 1
		for n < len(fares) && fares[n].FoundDay() == day {
			n++
		}
		do(day, fares[:n])
		fares = fares[n:]
	}
}

// Stand sets the day and the live fares (found in the last 7 days) of a state. Before, the fares of
// all earlier days must be added with Fold.
func (s *Learner) Stand(today fare.Day, fares []Live) {
	s.AsOf, s.Live = today, liveOn(fares, today)
	s.Pasts.forget(today)
}

// late selects, from the fares found on one day, those whose departure was not seen on that day or
// later. It omits departures before asOf, since their history is already removed.
func (s *Learner) late(of []Live, asOf fare.Day) (late []Live) {
	for _, l := range of {
		if l.Depart < asOf {
			continue
		}
		past := s.Pasts[l.Depart]
		if past == nil {
			past = new(Past)
		}
		if last, _, ok := past.Last(); !ok || last < l.FoundDay() {
			late = append(late, l)
		}
	}
	return late
}

// Learn updates the formula for the chance of a fall. It uses the questions whose 7 or 14 days
// ended before the day of the view v.
func (s *Learner) Learn(v *View, sums *Statistics) {
	for h := range horizons {
		for _, outcomes := range s.Questions.Due(h, v.day) {
			s.Route.Learn(h, v, outcomes, sums)
		}
	}
}

// Fold judges the fares of the day of the view (the pooled statistics of one day) and stores the
// answers as questions, to learn from their outcomes (did the fare fall?) later. It then adds the
// fares to the state.
func (s *Learner) Fold(v *View, fares []Live, sums *Statistics) {
	price := make(map[fare.Day]fare.Cents, len(fares))
	day, quotes := s.routeDay(v, fares)
	for i, l := range fares {
		price[l.Depart] = l.Price
		s.Questions.Ask(v.day, quotes[i], day.Judge(s.Pasts[l.Depart], quotes[i]).Cells)
	}
	s.Questions.seeAll(v.day, price)
	s.foldDay(day, quotes, sums)
}

// fold adds fares to the state like the method Fold, but does not store questions.
func (s *Learner) fold(v *View, fares []Live, sums *Statistics) {
	day, quotes := s.routeDay(v, fares)
	s.foldDay(day, quotes, sums)
}

// routeDay returns the route on the day of the view v (the pooled statistics of one day), before the
// fares of that day are added to the state. quotes holds the same fares by lead time. A departure
// counts as on sale if it has a fare found on that day or at most LiveDays days before.
func (s *Learner) routeDay(v *View, fares []Live) (day *RouteDay, quotes []Quote) {
	quotes = make([]Quote, len(fares))
	for i, l := range fares {
		quotes[i] = l.quote(v.day)
	}
	return s.Route.Day(v, join(s.Pasts.quotes(v.day), quotes)), quotes
}

func (s *Learner) foldDay(day *RouteDay, quotes []Quote, sums *Statistics) {
	if s.Pasts == nil {
		s.Pasts = Departures{}
	}
	for _, q := range quotes {
		s.Pasts.See(day.view.day, q)
	}
	s.Pasts.forget(day.view.day)
	s.Minima.fold(day.view, day.quotes())
	day.Fold(quotes, sums)
}

// join merges two lists of quotes in order of lead time (days before departure). If a departure is
// in both lists, the result has its newer quote. Both lists must be in order of lead time.
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

// forget removes departures that have left before day, and departures not seen for 60 days.
func (d Departures) forget(day fare.Day) {
	for at, past := range d {
		if last, _, ok := past.Last(); !ok || at < day || last < day-lowDays {
			delete(d, at)
		}
	}
}

// seeAll records prices found on a day in the open questions. price maps a departure to its price.
func (qs Questions) seeAll(day fare.Day, price map[fare.Day]fare.Cents) {
	for i := range qs {
		if p, ok := price[qs[i].depart]; ok {
			qs[i:i+1].See(day, qs[i].depart, p)
		}
	}
}

// liveOn returns the newest fare of each departure that leaves today or later. Fares older than
// LiveDays days do not count.
func liveOn(fares []Live, today fare.Day) []Live {
	newest := map[fare.Day]Live{}
	for _, l := range fares {
		if day := l.FoundDay(); l.Depart >= today && day <= today && day >= today-LiveDays {
			newest[l.Depart] = l // fares are in order of days
		}
	}
	live := make([]Live, 0, len(newest))
	for _, l := range newest {
		live = append(live, l)
	}
	slices.SortFunc(live, func(a, b Live) int { return int(a.Depart - b.Depart) })
	return live
}

// Convert converts the prices of a state to another currency. perEuro is the number of units of
// that currency in one euro. If the currency is the same and only its rate changed, prices stay as
// they are. So a fare that is constant in its own currency stays constant.
func (s *Learner) Convert(currency fare.Currency, perEuro float64) {
	if s.AsOf != 0 && s.Currency != currency && s.PerEuro > 0 && perEuro > 0 {
		factor := perEuro / s.PerEuro
		convert := func(c *fare.Cents) { *c = max(1, fare.Cents(math.Round(float64(*c)*factor))) }
		s.Route.scale(factor)
		for i := range s.Minima {
			s.Minima[i].scale(factor)
		}
		for _, past := range s.Pasts {
			past.convert(convert)
		}
		for i := range s.Questions {
			convert(&s.Questions[i].price)
		}
	}
	s.Currency, s.PerEuro = currency, perEuro
}

// scale converts the route's mean to another currency. factor is the price of one unit of the old
// currency in units of the new currency.
func (r *Route) scale(factor float64) { r.level.sum += r.level.weight * math.Log(factor) }

// convert converts the low prices in a departure's history. If rounding makes two lows equal, it
// keeps the later one.
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

// Clone returns a deep copy of s.
func (s *Learner) Clone() *Learner {
	c := *s
	c.Route, c.Minima = *s.Route.clone(), *s.Minima.clone()
	c.Pasts = make(Departures, len(s.Pasts))
	for at, past := range s.Pasts {
		c.Pasts[at] = past.clone()
	}
	c.Live, c.Questions = slices.Clone(s.Live), slices.Clone(s.Questions)
	return &c
}
