package verdict

import (
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// AddUsual adds to an answer about a route what is known about the departure of the fare, and a
// lower live fare, if there is one.
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

// setOwnDay judges the fare like an answer about the day of departure, so that what is said about a
// departure does not depend on the question.
func (a *Judgement) setOwnDay(q *departureQuestion) {
	ofDay, quartiles := q.ownDay(a.Fare)
	if ofDay.Judged() {
		a.OwnDay, a.OwnQuartiles = Judged{a.Fare, ofDay}.Aged(q.now).Verdict, quartiles.In(q.facts.Euro)
	}
}

// ownDay judges a fare in EUR as if it had just been found. The verdict is zero if the fare cannot
// be judged.
func (q *departureQuestion) ownDay(l Live) (Verdict, Quartiles) {
	price := q.facts.FromEuro(l.Price)
	if live, ok := q.day.LiveFare(l.Depart); ok && q.facts.Euro(live.Price) == l.Price {
		price = live.Price
	}
	quartiles, _ := q.day.Quartiles(l.Depart)
	a, ok := q.day.Judge(l.Depart, price)
	if !ok || !enough(a) {
		return Verdict{}, quartiles
	}
	return q.judge(a, quartiles, price, 0), quartiles
}

func (a *Judgement) known() *Live {
	if a.Declared {
		return a.Known
	}
	return &a.Fare
}

// lowest also takes fares that are not fresh, so the result can be below the fare of the route.
func (q *departureQuestion) lowest() (lowest Live, ok bool) {
	for _, live := range q.day.Live() {
		if !ok || live.Price < lowest.Price {
			lowest, ok = live, true
		}
	}
	return q.facts.inEuro(lowest), ok
}

// JudgeUsual judges the median of the comparables of a departure, so no live fare is needed. For a
// month, one day of the month is judged.
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

func enough(a departure.Answer) bool { return a.Known && (a.Near >= nearEnough || a.OnSale > 0) }
