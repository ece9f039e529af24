package verdict

import (
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// QuartilesOf says what the fares of a series come to for a departure, as the
// quartiles of JudgeDeparture do: it needs no fare of that departure. Comparables
// is how many fares of the series that rests on; where they are too few for a
// verdict there are no quartiles.
func QuartilesOf(s *departure.State, p *departure.Pooled, date fare.Day, now time.Time) (of *Quartili,
	comparables int, err error) {
	q, known, err := onSheet(s, p, When{Date: date}, now)
	if err != nil || !known {
		return nil, 0, err
	}
	quartiles, _ := q.day.Quartiles(date)
	a, ok := q.day.Judge(date, max(quartiles.Median, 1)) // how many are near depends on no price
	if !ok || !enough(a) {
		return nil, a.Count, nil
	}
	return q.of.quartili(quartiles), a.Count, nil
}

// enough tells whether so many fares are known near a lead time that one of it is judged.
func enough(a departure.Answer) bool { return a.Known && a.Near >= nearEnough }

// quartili are quartiles as they are published, in euro cents.
func (s RouteSummary) quartili(q departure.Quartiles) *Quartili {
	return &Quartili{s.Euro(q.Minimum), s.Euro(q.Q1), s.Euro(q.Median), s.Euro(q.Q3), s.Euro(q.Maximum)}
}

// FaresOf lists the departures of a state that have a fare, up to CalendarDays
// ahead, in order; without each of them only the cheapest of every month.
func FaresOf(s *departure.State, p *departure.Pooled, each bool, now time.Time) (all []Prezzo, err error) {
	q, known, err := onSheet(s, p, When{}, now)
	if err != nil || !known {
		return nil, err
	}
	var begun fare.Day // the first departure of the month that is at hand
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
		all = append(all, q.of.shown(live, now))
	}
	return all, nil
}
