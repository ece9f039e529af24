package backtest

import (
	"fmt"

	"verdetto/shared/fare"
)

// ages are the first days of the spans by which the judged fare's age is told apart.
var ages = []fare.Day{0, 1, 2, 3, 4, 5, 6}

// Age is what became of judged fares that had been found so many days before the verdict.
type Age struct {
	Days  string  `json:"days"`
	Share float64 `json:"share"` // of all verdicts
	Count int     `json:"count"` // of those whose departure was seen again within 7 days
	// There is the share of those of which a fare at most 2 % dearer was seen again.
	There    float64 `json:"there"`
	Interval *Range  `json:"interval,omitempty"` // of There
}

func ageName(i int) string {
	if i == len(ages)-1 {
		return fmt.Sprintf("%d+", int(ages[i]))
	}
	return fmt.Sprint(int(ages[i]))
}

// stillThere is how much dearer, as a share, a fare may be that is met again, and counts as the same.
const stillThere = 0.02

// freshness notes how old the judged fare is, and whether it was met again within a week.
func (t *tally) freshness(s routeReplay, l judgement) {
	i := min(int(l.age), len(ages)-1)
	t.aged[i]++
	departure, ok := s.departure(l.depart)
	if !ok {
		return
	}
	known, there := false, false
	for _, q := range departure.quotes {
		if q.day > l.day && q.day <= l.day+7 {
			known = true
			there = there || float64(q.price) <= float64(l.price)*(1+stillThere)
		}
	}
	if known {
		t.there[i].add(l.day, s.span.first, indicator(there))
	}
}

// freshness reports by age, and the share of verdicts on a fare that was not found on their own day.
func (m *reporter) freshness() {
	for i := range ages {
		n := 0
		for _, t := range m.routes {
			n += t.aged[i]
		}
		if n == 0 {
			continue
		}
		a := Age{Days: ageName(i), Share: float64(n) / float64(m.report.Verdicts)}
		if p := m.pool(func(t *tally) []mean { return t.there[i : i+1] }); p.count() > 0 {
			a.Count, a.There, a.Interval = p.count(), p.value(), m.drawn.of(p)
		}
		if i > 0 {
			m.report.Stale += a.Share
		}
		m.report.Ages = append(m.report.Ages, a)
	}
}
