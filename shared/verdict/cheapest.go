package verdict

import (
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// Judged is a live fare and its verdict, as it is while the fare is fresh.
type Judged struct {
	Fare    Live // its price in euro, and what was quoted where that was in another currency
	Verdict Verdetto
}

// CheapestAhead judges the cheapest fare of a route, and those that are the
// cheapest once it has departed, as Judge does: the first that has not departed stands.
func CheapestAhead(s RouteSummary) (all []Judged) {
	for _, l := range s.Live {
		all = append(all, Judged{s.inEuro(l), s.judge(l.Price, 0)})
	}
	return all
}

// CheapestOfMonths judges the cheapest fare of each month of departure on the
// day of a state, likewise, as JudgeDeparture judges a month. They are in order of departure.
func CheapestOfMonths(s *departure.State, p *departure.Pooled) (all []Judged, err error) {
	q, _, err := onSheet(s, p, When{}, s.AsOf.Time())
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
			month = append(month, Judged{q.of.inEuro(l), q.judgeMonth(l, 0)})
		}
		all, live = append(all, month...), live[n:]
	}
	return all, nil
}

// steps are those of some fares, in order of departure, that are the cheapest not
// yet departed on a day or on one of the LiveDays after it, cf. cheapestAhead.
func steps(live []Live, asOf fare.Day) (all []Live) {
	for len(live) > 0 {
		at := 0
		for i, l := range live {
			if l.Price < live[at].Price {
				at = i
			}
		}
		if all = append(all, live[at]); live[at].Depart >= asOf+LiveDays {
			break // it outlasts the sheet
		}
		live = live[at+1:]
	}
	return slices.Clip(all)
}

// judgeMonth judges a fare among the cheapest of months.
func (q departureQuestion) judgeMonth(l Live, age time.Duration) Verdetto {
	a, quartiles, _ := q.day.JudgeSpan(departure.Month, l.Depart, l.Price)
	return q.judge(a, quartiles, l.Price, age)
}

// inEuro is a live fare of a summary with its price in euro.
func (s RouteSummary) inEuro(l Live) Live {
	if quoted := s.Quote(l); quoted.Currency != fare.EUR {
		l.Quoted = quoted
	}
	l.Price = s.Euro(l.Price)
	return l
}

// At is the fare and its verdict as they are published at a moment: of a stale fare it is less sure.
func (j Judged) At(now time.Time) (Prezzo, Verdetto) {
	v := j.Verdict
	v.Affidabilita = CertaintyAt(v.Affidabilita, j.Fare.Age(now))
	return RouteSummary{}.shown(j.Fare, now), v
}

// CertaintyAt is what the certainty of a fresh fare is at an age; none stays none.
func CertaintyAt(fresh string, age time.Duration) string {
	step := slices.Index([]string{Alta, Media, Bassa}, fresh)
	if step < 0 {
		return fresh
	}
	return reliabilityAt(step, age)
}

// GoesStale is when a fare becomes stale.
func (j Judged) GoesStale() time.Time { return time.Unix(j.Fare.Found, 0).Add(StaleAfter) }

// Better orders judged fares for those who look for a good one: by level, then
// by percentile, then by how far they are under what is usual; what cannot be judged comes last.
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
	// The difference as a share of the median, compared without dividing.
	return int(*j.Verdict.ScartoMedianaCent**k.Verdict.MedianaCent - *k.Verdict.ScartoMedianaCent**j.Verdict.MedianaCent)
}
