package verdict

import (
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// Judged is a live fare with its verdict, assuming that the fare is fresh. Publish corrects the
// verdict of a stale fare.
type Judged struct {
	Fare    Live // in EUR cents, with the quoted amount if that is in another currency
	Verdict Verdetto
}

// CheapestAhead judges the live fares of a summary, as Judge does. The first one that has not
// departed is the cheapest.
func CheapestAhead(s RouteSummary) (all []Judged) {
	for _, l := range s.Live {
		all = append(all, Judged{s.inEuro(l), s.judge(l.Price, 0)})
	}
	return all
}

// CheapestOfMonths judges the cheapest live fare of each departure month, as JudgeDeparture does
// for a month, in order of departure.
func CheapestOfMonths(s *departure.State, p *departure.Pooled) (all []Judged, err error) {
	q, _, err := newDepartureQuestion(s, p, When{}, s.AsOf.Time())
	if err != nil {
		return nil, err
	}
	for live := q.day.Live(); len(live) > 0; {
		_, last := departure.Month.Ends(live[0].Depart)
		n := 0
		for n < len(live) && live[n].Depart <= last {
			n++
		}
		var month []Judged
		for _, l := range steps(live[:n], s.AsOf) {
			month = append(month, Judged{q.facts.inEuro(l), q.judgeMonth(l, 0)})
		}
		all, live = append(all, month...), live[n:]
	}
	return all, nil
}

// steps returns the fares that are the cheapest of those not departed, on at least one day from
// asOf to LiveDays days later. live must be in order of departure; cheapestAhead accepts any order.
func steps(live []Live, asOf fare.Day) (all []Live) {
	for len(live) > 0 {
		at := 0
		for i, l := range live {
			if l.Price < live[at].Price || l.Price == live[at].Price && l.Better(live[at]) {
				at = i
			}
		}
		if all = append(all, live[at]); live[at].Depart >= asOf+LiveDays {
			break // it departs after the state expires
		}
		live = live[at+1:]
	}
	return slices.Clip(all)
}

func (q *departureQuestion) judgeMonth(l Live, age time.Duration) Verdetto {
	a, quartiles, _ := q.day.JudgeSpan(departure.Month, l.Depart, l.Price)
	return q.judge(a, quartiles, l.Price, age)
}

func (s RouteSummary) inEuro(l Live) Live {
	if quoted := s.Quote(l); quoted.Currency != fare.EUR {
		l.Quoted = quoted
	}
	l.Price = s.Euro(l.Price)
	return l
}

// Publish returns the published form of the fare and its verdict at the time now. A stale fare
// lowers the reliability by one step.
func (j Judged) Publish(now time.Time) (Prezzo, Verdetto) {
	v := j.Verdict
	v.Affidabilita = CertaintyAt(v.Affidabilita, j.Fare.Age(now))
	return RouteSummary{}.livePrice(j.Fare, now), v
}

// CertaintyAt returns the reliability of a verdict whose fare has the given age. fresh is its
// reliability for a fresh fare, which may be "".
func CertaintyAt(fresh string, age time.Duration) string {
	step := slices.Index([]string{Alta, Media, Bassa}, fresh)
	if step < 0 {
		return fresh
	}
	return reliabilityAt(step, age)
}

func (j Judged) GoesStale() time.Time { return time.Unix(j.Fare.Found, 0).Add(StaleAfter) }

// Better orders judged fares, the better one first: by level, then percentile, then difference to
// the median, relative to the median. Fares without a verdict come last.
func (j Judged) Better(k Judged) int {
	place := func(v Verdetto) int {
		if i := levelPlace(v.Livello); i >= 0 {
			return i
		}
		return len(levels)
	}
	if by := place(j.Verdict) - place(k.Verdict); by != 0 || j.Verdict.Percentile == nil ||
		k.Verdict.Percentile == nil {
		return by
	}
	if by := *j.Verdict.Percentile - *k.Verdict.Percentile; by != 0 {
		return by
	}
	// Without division: d1/m1 < d2/m2 is d1*m2 < d2*m1, with difference d and median m.
	return int(*j.Verdict.ScartoMedianaCent**k.Verdict.MedianaCent - *k.Verdict.ScartoMedianaCent**j.Verdict.MedianaCent)
}
