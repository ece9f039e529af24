package backtest

import (
	"context"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// What is asked of a verdict's future.
var (
	horizons    = []int{7, 14, 28} // days after which the route's cheapest fare is looked at again
	fallWithin  = []int{7, 14}     // days within which the same departure may fall
	levels      = []string{verdict.Ottimo, verdict.Buono, verdict.Normale, verdict.Caro}
	certainties = []string{verdict.Alta, verdict.Media, verdict.Bassa}
)

const fall = 0.05 // a fall is one of at least this share

// tally is what one route has to say on every question.
type tally struct {
	verdicts int
	atMost   []mean        // by percentile asked: 1 where the verdict's is no more
	spread   []mean        // the same, with ties spread out
	days     []int         // by level
	later    [][]mean      // by horizon and level: change of the route's cheapest fare
	changes  [][][]float64 // the same, one by one
	fell     [][]mean      // by span and level: 1 where the same departure fell
	held     []mean        // by sureness: 1 where the interval held
	width    []mean        // by sureness: half of it, in points
	premium  []mean        // by bucket of lead time, the advised window last
	premiums [][]float64   // the same, one by one
	cost     [][]mean      // by starters and policy
	aged     []int         // verdicts, by age of the judged fare
	there    []mean        // by age: 1 where the fare was met again
}

func measure(ctx context.Context, s routeReplay) *tally {
	t := &tally{
		atMost: make([]mean, len(percentilesAsked)), spread: make([]mean, len(percentilesAsked)),
		days: make([]int, len(levels)), later: grid(len(horizons), len(levels)), fell: grid(len(fallWithin), len(levels)),
		changes: make([][][]float64, len(horizons)),
		held:    make([]mean, len(certainties)), width: make([]mean, len(certainties)),
		premium: make([]mean, len(buckets)+1), premiums: make([][]float64, len(buckets)+1),
		cost: grid(len(travellerKinds), len(policies)), aged: make([]int, len(ages)), there: make([]mean, len(ages)),
	}
	for h := range t.changes {
		t.changes[h] = make([][]float64, len(levels))
	}
	if ctx.Err() != nil {
		return t
	}
	for _, l := range s.judgements {
		if l.hasVerdict() && l.day >= s.span.from {
			t.verdict(s, l)
		}
	}
	t.bookingWindow(s)
	t.travellers(s)
	return t
}

func grid(rows, columns int) [][]mean {
	g := make([][]mean, rows)
	for i := range g {
		g[i] = make([]mean, columns)
	}
	return g
}

// verdict compares one verdict with what came after it.
func (t *tally) verdict(s routeReplay, l judgement) {
	first := s.span.first
	level := slices.Index(levels, l.verdict.Livello)
	t.freshness(s, l)
	t.verdicts++
	t.days[level]++
	for i, p := range percentilesAsked {
		t.atMost[i].add(l.day, first, indicator(*l.verdict.Percentile <= p))
		t.spread[i].add(l.day, first, atMost(l.standing, p))
	}
	for i, h := range horizons {
		if then, ok := s.at(l.day + fare.Day(h)); ok {
			change := float64(then.price)/float64(l.price) - 1
			t.later[i][level].add(l.day, first, change)
			t.changes[i][level] = append(t.changes[i][level], change)
		}
	}
	if departure, ok := s.departure(l.depart); ok {
		for i, within := range fallWithin {
			if fell, known := fellWithin(departure, l, within, s.span.to); known {
				t.fell[i][level].add(l.day, first, indicator(fell))
			}
		}
	}
	if held, known := holds(s, l); known {
		sure := slices.Index(certainties, l.verdict.Affidabilita)
		low, high := l.standing.Interval()
		t.held[sure].add(l.day, first, indicator(held))
		t.width[sure].add(l.day, first, (high-low)/2)
	}
}

// atMost is how much of a standing lies at or below a percentile, its ties
// being spread evenly over the places among their equals that it may have. The
// day itself is one more of the sample.
func atMost(t verdict.Percentile, p int) float64 {
	place := float64(p)/100*(t.Weight+1) - t.Below*t.Weight
	return min(max(place/(t.Equal*t.Weight+1), 0), 1)
}

// fellWithin tells whether a departure was seen at 5 % or more below a day's
// cheapest fare within some days. It is not known where the departure was not
// seen again by then, or where the panel ends before.
func fellWithin(departure departure, l judgement, within int, end fare.Day) (fell, known bool) {
	until := l.day + fare.Day(within)
	if until > end {
		return false, false
	}
	for _, s := range departure.quotes {
		if s.day <= l.day || s.day > until {
			continue
		}
		known = true
		if float64(s.price) <= float64(l.price)*(1-fall) {
			return true, true
		}
	}
	return false, known
}

// aheadDays is how many days of a panel must follow a verdict for its interval to be tried.
const aheadDays = 28

// holds tells whether the stated interval of a percentile held: whether it takes
// in the place of the day's fare among the lows of the days before and after it,
// each weighing what the memory of the rule makes of its distance.
func holds(s routeReplay, l judgement) (held, known bool) {
	var below, equal, all float64
	last := fare.Day(0)
	for _, low := range s.lows {
		if low.Day == l.day {
			continue
		}
		w := verdict.Weight(low.Day - l.day)
		all += w
		switch {
		case low.Price < l.price:
			below += w
		case low.Price == l.price:
			equal += w
		}
		last = max(last, low.Day)
	}
	if last < l.day+aheadDays {
		return false, false
	}
	place := 100 * (below + equal/2) / all
	from, to := l.standing.Interval()
	return from-1e-9 <= place && place <= to+1e-9, true
}

func indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
