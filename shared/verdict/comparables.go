package verdict

import (
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// QuartilesOf returns the usual prices for a departure, as JudgeDeparture does. The departure needs
// no live fare. comparables is the number of fares from which the quartiles are computed. The
// quartiles are nil if there are too few fares for a verdict.
func QuartilesOf(s *departure.State, p *departure.Pooled, date fare.Day, now time.Time) (of *Quartili,
	comparables int, basis *Basis, err error) {
	q, known, err := newDepartureQuestion(s, p, When{Date: date}, now)
	if err != nil || !known {
		return nil, 0, nil, err
	}
	quartiles, _ := q.day.Quartiles(date)
	a, ok := q.day.Judge(date, max(quartiles.Median, 1)) // the number of near fares does not depend on the price
	if !ok || !enough(a) {
		return nil, a.Count, q.facts.Basis, nil
	}
	_, comparables = q.comparison(a)
	return q.facts.quartili(quartiles), comparables, q.facts.Basis, nil
}

// enough reports whether a verdict is possible. It needs enough earlier fares of a similar lead
// time (days before departure), or enough other departures on sale.
func enough(a departure.Answer) bool { return a.Known && (a.Near >= nearEnough || a.OnSale > 0) }

// quartili converts quartiles to their published form, in EUR cents.
func (s RouteSummary) quartili(q departure.Quartiles) *Quartili {
	return &Quartili{s.Euro(q.Minimum), s.Euro(q.Q1), s.Euro(q.Median), s.Euro(q.Q3), s.Euro(q.Maximum)}
}

// FaresOf returns the live fare of each departure up to CalendarDays days ahead, in order of
// departure. If each is false, it returns only the cheapest fare of every month.
func FaresOf(s *departure.State, p *departure.Pooled, each bool, now time.Time) (all []Prezzo, err error) {
	q, known, err := newDepartureQuestion(s, p, When{}, now)
	if err != nil || !known {
		return nil, err
	}
	var begun fare.Day // the first departure in the current month
	for _, live := range q.day.Live() {
		if live.Depart > q.today+CalendarDays {
			break
		}
		if !each {
			if begun != 0 && live.Depart.Month() == begun.Month() {
				continue
			}
			begun = live.Depart
			live, _ = q.day.Cheapest(departure.Month, begun)
		}
		all = append(all, q.facts.livePrice(live, now))
	}
	return all, nil
}
