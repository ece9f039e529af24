package verdict

import (
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

const CalendarDays = 330

type Calendar struct {
	Pair
	Airlines fare.Airlines // the calendar has only fares of these airlines; empty for all airlines
	Unknown  int           // number of departures on the dates of the calendar whose airline is unknown
	Days     []Day
	Months   []CalendarMonth
	Newest   time.Time
	At       time.Time
}

// Fare.Price of a Day is 0 if CalendarOf was called without prices. Verdict has only Level,
// Reliability, Percentile and Median.
type Day struct {
	Judged
	Falls []Fall
}

// Fall is the chance that the fare of a departure falls by at least 5 % within Days days.
type Fall struct {
	Days   int
	Chance float64
	OrMore bool // the chance is at least Chance
}

type CalendarMonth struct {
	Judged
	Departures int
}

// CalendarOf judges the departures of a month or, if month is nil, those up to CalendarDays days
// ahead. If prices is false, the prices of single departures are 0. It returns false if the
// calendar is empty.
func CalendarOf(s *departure.State, p *departure.Pooled, month *fare.Day, prices bool,
	now time.Time) (Calendar, bool, error) {
	q, known, err := newDepartureQuestion(s, p, When{}, now)
	if err != nil || !known {
		return Calendar{}, false, err
	}
	c := Calendar{Newest: time.Unix(q.facts.Newest, 0).UTC(), At: now, Pair: Pair{Basis: q.facts.Basis},
		Airlines: s.Airlines}
	first, last := q.today, q.today+CalendarDays
	if month != nil {
		first, last = departure.Month.Ends(*month)
	}
	for _, l := range s.Live {
		if l.Depart >= max(first, q.today) && l.Depart <= last && l.Flight.Airline == (fare.Airline{}) {
			c.Unknown++
		}
	}
	all := q.day.Live()
	c.Days = make([]Day, 0, len(all))
	var begun fare.Day
	for _, live := range all {
		if live.Depart < first || live.Depart > last {
			continue
		}
		c.Days = append(c.Days, q.cell(live, prices, now))
		if begun == 0 || live.Depart.Month() != begun.Month() {
			begun = live.Depart
			c.Months = append(c.Months, q.month(begun, now))
		}
		c.Months[len(c.Months)-1].Departures++
	}
	return c, len(c.Days) > 0, nil
}

func (q *departureQuestion) cell(live Live, prices bool, now time.Time) Day {
	a, _ := q.day.Judge(live.Depart, live.Price)
	v := q.judge(a, q.day.Usual(live.Depart), live.Price, live.Age(now))
	day := Day{Judged: Judged{q.facts.inEuro(live),
		Verdict{Level: v.Level, Reliability: v.Reliability, Percentile: v.Percentile, Median: v.Median}}}
	if !prices {
		day.Fare.Price, day.Fare.Quoted = 0, fare.Money{}
	}
	if v.Judged() {
		for _, h := range q.horizons(int(live.Depart - q.today)) {
			day.Falls = append(day.Falls, q.chanceOf(a, h))
		}
	}
	return day
}

func (q *departureQuestion) month(depart fare.Day, now time.Time) CalendarMonth {
	cheapest, _ := q.day.Cheapest(departure.Month, depart)
	return CalendarMonth{Judged: Judged{q.facts.inEuro(cheapest), q.judgeMonth(cheapest, cheapest.Age(now))}}
}
