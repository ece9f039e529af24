package verdict

import (
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// AddUsual extends an answer about a route by the judgement of the fare for its own departure, with
// forecasts, unless there are too few comparable fares or the price has no departure. It also adds a
// lower fare that was seen earlier, if there is one.
func (a *Judgement) AddUsual(s *departure.State, p *departure.Pooled, now time.Time) error {
	q, known, err := newDepartureQuestion(s, p, When{}, now)
	if err != nil || !known || a.Scope != OfRoute {
		return err
	}
	if known := a.known(); known != nil {
		if lowest, ok := q.lowest(); ok && lowest.Price < known.Price {
			a.Lower = &lowest
		}
	}
	if a.Fare.Depart == 0 {
		return nil
	}
	if a.setOwnDay(&q); !a.OwnDay.Judged() {
		return nil
	}
	if judged, ok := q.day.Judge(a.Fare.Depart, q.facts.FromEuro(a.Fare.Price)); ok {
		a.Forecasts = q.forecasts(judged, int(a.Fare.Depart-q.today), a.Fare.Price)
	}
	return nil
}

// setOwnDay also judges the fare of an answer about the route or several days for its own departure,
// because what is said about that departure must not depend on the question.
func (a *Judgement) setOwnDay(q *departureQuestion) {
	ofDay, quartiles := q.ownDay(a.Fare)
	if ofDay.Judged() {
		a.OwnDay, a.OwnQuartiles = Judged{a.Fare, ofDay}.Aged(q.now).Verdict, quartiles.In(q.facts.Euro)
	}
}

// ownDay judges a fare in EUR for its departure, as if it were fresh. The verdict is zero if there are
// too few comparable fares.
func (q *departureQuestion) ownDay(l Live) (Verdict, Quartiles) {
	price := q.facts.FromEuro(l.Price)
	if live, ok := q.day.LiveFare(l.Depart); ok && q.facts.Euro(live.Price) == l.Price {
		price = live.Price // not rounded
	}
	quartiles, _ := q.day.Quartiles(l.Depart)
	a, ok := q.day.Judge(l.Depart, price)
	if !ok || !enough(a) {
		return Verdict{}, quartiles
	}
	return q.judge(a, quartiles, price, 0), quartiles
}

// known returns the service's own fare for the question, or nil if there is none.
func (a *Judgement) known() *Live {
	if a.Declared {
		return a.Known
	}
	return &a.Fare
}

// lowest returns the lowest live fare of all departures. The fare of a route is the lowest of the
// fresh fares, so an older fare can be lower.
func (q *departureQuestion) lowest() (lowest Live, ok bool) {
	for _, live := range q.day.Live() {
		if !ok || live.Price < lowest.Price {
			lowest, ok = live, true
		}
	}
	return q.facts.inEuro(lowest), ok
}

// JudgeUsual judges a fare at the median of a departure's comparables, so it needs no live fare. For
// several days it takes the middle one, for a month the middle day or, if that is later, today.
func JudgeUsual(s *departure.State, p *departure.Pooled, w When, now time.Time) (Judgement, error) {
	if w.Span != nil && *w.Span == departure.Month {
		first, last := w.Span.Ends(w.Date)
		w.Date = max((first+last)/2, min(fare.DayOf(now), last))
	}
	q, known, err := newDepartureQuestion(s, p, When{Date: w.Date}, now)
	if err != nil || !known {
		return Judgement{}, err
	}
	quartiles, _ := q.day.Quartiles(w.Date)
	usual := Live{Price: q.facts.Euro(quartiles.Median), Depart: w.Date}
	return q.judgement(usual, w.Date, max(quartiles.Median, 1), 0), nil
}

// Nearest returns the n departures with a live fare that are closest to a date, in order of date.
func Nearest(s *departure.State, p *departure.Pooled, date fare.Day, n int, now time.Time) ([]Day, error) {
	q, known, err := newDepartureQuestion(s, p, When{}, now)
	if err != nil || !known {
		return nil, err
	}
	all := slices.Clone(q.day.Live())
	away := func(l Live) int { return max(int(l.Depart-date), int(date-l.Depart)) }
	slices.SortStableFunc(all, func(a, b Live) int { return away(a) - away(b) })
	all = all[:min(len(all), n)]
	slices.SortFunc(all, func(a, b Live) int { return int(a.Depart - b.Depart) })
	var days []Day
	for _, live := range all {
		days = append(days, q.cell(live, true, now))
	}
	return days, nil
}

// enough reports whether a verdict is possible: there are enough earlier fares of a similar lead
// time, or enough other departures on sale.
func enough(a departure.Answer) bool { return a.Known && (a.Near >= nearEnough || a.OnSale > 0) }
