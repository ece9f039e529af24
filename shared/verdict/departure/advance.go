package departure

import (
	"math"
	"slices"

	"verdetto/shared/fare"
)

// Learner is what a refresh keeps of a series: its state and the questions that are open.
type Learner struct {
	State
	Questions Questions
}

// Advance brings a state to the day of a refresh: it folds every earlier day that
// is not folded yet, in order, with the pooled part of the last complete cycle, and
// puts the fares that are live on the day in place of the old ones. What the pooled
// part has to know it adds to left.
//
// The fares are one for each departure and day, by day found and then by departure,
// in the currency of the state (see In). A source may report a fare days after it was
// found: it is folded if its departure was not seen on that day or later, and it is
// at most LiveDays older than the state. So a fare is folded once, and twice is as once.
func (s *Learner) Advance(today fare.Day, p *Pooled, fares []Live, left *Statistics) {
	from := s.AsOf
	for i := 0; i < len(fares); {
		day, j := fares[i].FoundDay(), i
		for j < len(fares) && fares[j].FoundDay() == day {
			j++
		}
		switch of := fares[i:j]; {
		case day >= today:
		case from == 0 || day >= from:
			v := p.On(day)
			s.Learn(v, left)
			s.Fold(v, of, left)
		case day >= from-LiveDays:
			if of = s.late(of, from); len(of) > 0 {
				s.Fold(p.On(day), of, left)
			}
		}
		i = j
	}
	if today > from {
		s.Learn(p.On(today), left)
	}
	s.Stand(today, fares)
}

// Stand says of a state to which every day before a day is folded what is live on it.
func (s *Learner) Stand(today fare.Day, fares []Live) {
	s.AsOf, s.Live = today, liveOn(fares, today)
	s.Pasts.forget(today)
}

// late are the fares of a day whose departure was not seen on it or later. Of
// departures that have left before the state's day it is not remembered whether they were.
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

// Learn takes in the questions whose outcome is known on the view's day.
func (s *Learner) Learn(v *View, left *Statistics) {
	for h := range horizons {
		for _, outcomes := range s.Questions.Due(h, v.day) {
			s.Route.Learn(h, v, outcomes, left)
		}
	}
}

// Fold judges the fares of the view's day, keeps the questions, and then takes the fares in.
func (s *Learner) Fold(v *View, fares []Live, left *Statistics) {
	day := v.day
	if s.Pasts == nil {
		s.Pasts = Departures{}
	}
	asker := s.Route.On(v)
	quotes := make([]Quote, 0, len(fares))
	price := make(map[fare.Day]fare.Cents, len(fares))
	for _, l := range fares {
		q := l.on(day)
		quotes = append(quotes, q)
		price[l.Depart] = q.Price
		s.Questions.Ask(day, q, asker.Judge(s.Pasts[l.Depart], q).Cells)
	}
	s.Questions.seeAll(day, price)
	for _, q := range quotes {
		s.Pasts.See(day, q)
	}
	s.Route.Fold(v, quotes, left)
	s.Pasts.forget(day)
	s.Minima.fold(v, s.Pasts.quotesOn(day))
}

// forget drops the departures that have left, and those not seen in 60 days.
func (d Departures) forget(day fare.Day) {
	for at, past := range d {
		if last, _, ok := past.Last(); !ok || at < day || last < day-lowDays {
			delete(d, at)
		}
	}
}

// seeAll tells all questions what departures cost on a day.
func (qs Questions) seeAll(day fare.Day, price map[fare.Day]fare.Cents) {
	for i := range qs {
		if p, ok := price[qs[i].depart]; ok {
			qs[i:i+1].See(day, qs[i].depart, p)
		}
	}
}

// liveOn selects, for each departure that has not left, its fare of the last day on which it was seen.
func liveOn(fares []Live, today fare.Day) []Live {
	newest := map[fare.Day]Live{}
	for _, l := range fares {
		if day := l.FoundDay(); l.Depart >= today && day <= today && day >= today-LiveDays {
			newest[l.Depart] = l // in order of days
		}
	}
	live := make([]Live, 0, len(newest))
	for _, l := range newest {
		live = append(live, l)
	}
	slices.SortFunc(live, func(a, b Live) int { return int(a.Depart - b.Depart) })
	return live
}

// In brings a state to the currency in which fares are ranked now, of which one
// euro buys so many units. A change of the rate alone changes no price: a fare
// that does not move in its own currency does not move.
func (s *Learner) In(currency fare.Currency, perEuro float64) {
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

// scale brings the route's mean to a currency of which so many units are one of before.
func (r *Route) scale(factor float64) { r.level.sum += r.level.weight * math.Log(factor) }

// convert brings the prices of a past to another currency. Where rounding makes two lows one, the later stays.
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

// Clone is a copy that can be advanced apart.
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
