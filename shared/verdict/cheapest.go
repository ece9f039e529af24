package verdict

import (
	"cmp"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

type Judged struct {
	Fare    Live // the price is in EUR cents until Judged.In converts the price
	Verdict Verdict
}

func (j Judged) Difference() fare.Cents { return j.Fare.Price - j.Verdict.Median }

// CheapestAhead judges the live fares as if they had just been found; see Aged.
func CheapestAhead(s RouteSummary) (all []Judged) {
	for _, l := range s.Live {
		all = append(all, Judged{s.inEuro(l), s.judge(l.Price, 0)})
	}
	return all
}

// CheapestOfMonths judges fares as if they had just been found; see Aged. In each month, the first
// fare that has not departed is the cheapest.
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

// OwnDays judges fares as if they had just been found. The verdict on a fare that cannot be judged
// is zero.
func OwnDays(s *departure.State, p *departure.Pooled, all []Judged, now time.Time) (days []Verdict, err error) {
	days = make([]Verdict, len(all))
	q, known, err := newDepartureQuestion(s, p, When{}, now)
	if err != nil || !known {
		return days, err
	}
	for i, j := range all {
		days[i], _ = q.ownDay(j.Fare)
	}
	return days, nil
}

// steps returns each fare that, on some day of the next LiveDays days, is the cheapest that has not
// departed. live must be sorted by departure.
func steps(live []Live, asOf fare.Day) (all []Live) {
	for len(live) > 0 {
		at := 0
		for i, l := range live {
			if l.Price < live[at].Price || l.Price == live[at].Price && l.Better(live[at]) {
				at = i
			}
		}
		if all = append(all, live[at]); live[at].Depart >= asOf+LiveDays {
			break
		}
		live = live[at+1:]
	}
	return slices.Clip(all)
}

func (q *departureQuestion) judgeMonth(l Live, age time.Duration) Verdict {
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

func Quoted(l Live) fare.Money { return RouteSummary{Currency: fare.EUR}.Quote(l) }

// Aged returns the judgement as of now of a fare that was judged as if it had just been found.
func (j Judged) Aged(now time.Time) Judged {
	j.Verdict.Reliability = ReliabilityAt(j.Verdict.Reliability, j.Fare.Age(now))
	return j
}

// ReliabilityAt returns the reliability for a fare of the given age. fresh is the reliability for a
// new fare, or empty.
func ReliabilityAt(fresh Reliability, age time.Duration) Reliability {
	step := slices.Index(reliabilities[:], fresh)
	if step < 0 {
		return fresh
	}
	return reliabilityAt(step, age)
}

func (j Judged) GoesStale() time.Time { return time.Unix(j.Fare.Found, 0).Add(StaleAfter) }

// Better orders judged fares, the better one first: by level, then percentile, then the relative
// difference to the median.
func (j Judged) Better(k Judged) int {
	place := func(v Verdict) int { return slices.Index(levels, v.Level) }
	if by := cmp.Or(place(j.Verdict)-place(k.Verdict), j.Verdict.Percentile-k.Verdict.Percentile); by != 0 {
		return by
	}
	// Without division: d1/m1 < d2/m2 is d1*m2 < d2*m1, with difference d and median m.
	return int(j.Difference()*k.Verdict.Median - k.Difference()*j.Verdict.Median)
}
