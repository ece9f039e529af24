package backtest

import (
	"math"
	"slices"

	"verdetto/cmd/verdetto/backtest/stats"
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// What is asked of a verdict's future.
var (
	horizons    = []int{7, 14, 28} // days after which the route's cheapest fare is looked at again
	fallWithin  = []int{7, 14}     // days within which the same departure may fall
	levels      = []string{verdict.Ottimo, verdict.Buono, verdict.Normale, verdict.Caro, "all"}
	certainties = []string{verdict.Alta, verdict.Media, verdict.Bassa, "all"}
	percentiles = []int{5, 10, 25, 50, 75, 90, 95}
)

const (
	draws      = 1000
	fall       = 0.05 // a fall is one of at least this share
	stillThere = 0.02 // how much dearer, as a share, a fare may be that counts as the same
	ages       = 7    // days, of which the last stands for all older fares
	aheadDays  = 28   // days of a panel that must follow a verdict for its interval to be tried
	perRoute   = 30   // verdicts that a route needs to have a say in the spread over routes
)

// measures is what all routes have to say on every question. Rows of levels and
// of certainties end with one of all of them.
type measures struct {
	span             span
	blocks           *stats.Blocks
	routes, verdicts int
	atMost, spread   []*stats.Average   // by percentile: 1 where the verdict's is no more; the same with ties spread out
	overRoutes       [][]float64        // by percentile: atMost of each route
	days             []int              // by level
	later            [][]*stats.Average // by horizon and level: change of the route's cheapest fare
	fell             [][]*stats.Average // by span and level: 1 where the same departure fell
	held, width      []*stats.Average   // by certainty: 1 where the interval held; half of it, in points
	premium          []*stats.Average   // by bucket of lead time, the advised window last
	cost             [][]*stats.Average // by kind of traveller and policy
	aged             [ages]int          // verdicts, by age of the judged fare
	there            []*stats.Average   // by age: 1 where the fare was met again
}

func newMeasures(s span, routes int) *measures {
	b := stats.NewBlocks(draws, routes, s.first, s.to, stats.BlockDays)
	m := &measures{
		span: s, blocks: b, days: make([]int, len(levels)), overRoutes: make([][]float64, len(percentiles)),
		later: b.Averages(len(horizons), len(levels)), fell: b.Averages(len(fallWithin), len(levels)),
		cost: b.Averages(len(travellerKinds), len(policies)), premium: b.Averages(1, len(buckets)+1)[0],
		there: b.Averages(1, ages)[0],
	}
	byPercentile, byCertainty := b.Averages(2, len(percentiles)), b.Averages(2, len(certainties))
	m.atMost, m.spread = byPercentile[0], byPercentile[1]
	m.held, m.width = byCertainty[0], byCertainty[1]
	return m
}

// add takes in a route, which has a number.
func (m *measures) add(route int, r routeReplay) {
	n, atMost := 0, make([]int, len(percentiles))
	for _, j := range r.judgements {
		if !j.hasVerdict() || j.day < m.span.from {
			continue
		}
		n++
		for i, p := range percentiles {
			if *j.verdict.Percentile <= p {
				atMost[i]++
			}
		}
		m.verdict(m.blocks.Cell(route, j.day), r, j)
	}
	if n > 0 {
		m.routes++
		m.verdicts += n
	}
	for i := range percentiles {
		if n >= perRoute {
			m.overRoutes[i] = append(m.overRoutes[i], float64(atMost[i])/float64(n))
		}
	}
	m.bookingWindow(route, r)
	m.travellers(route, r)
}

// verdict compares one verdict with what came after it.
func (m *measures) verdict(cell int32, r routeReplay, j judgement) {
	departure := r.departure(j.depart)
	for i, p := range percentiles {
		m.atMost[i].Add(cell, stats.Share(*j.verdict.Percentile <= p))
		m.spread[i].Add(cell, atMost(j.place, p))
	}
	for _, level := range []int{slices.Index(levels, j.verdict.Livello), len(levels) - 1} {
		m.days[level]++
		for i, h := range horizons {
			if then, ok := r.at(j.day + fare.Day(h)); ok {
				m.later[i][level].AddKept(cell, float64(then.price)/float64(j.price)-1)
			}
		}
		for i, within := range fallWithin {
			if fell, known := fellWithin(departure, j, within, m.span.to); known {
				m.fell[i][level].Add(cell, stats.Share(fell))
			}
		}
	}
	if held, known := holds(r, j); known {
		low, high := j.place.Interval()
		for _, sure := range []int{slices.Index(certainties, j.verdict.Affidabilita), len(certainties) - 1} {
			m.held[sure].Add(cell, stats.Share(held))
			m.width[sure].Add(cell, (high-low)/2)
		}
	}
	age := min(int(j.age), ages-1)
	m.aged[age]++
	if low, known := departure.lowest(j.day, j.day+7); known {
		m.there[age].Add(cell, stats.Share(float64(low) <= float64(j.price)*(1+stillThere)))
	}
}

// atMost is how much of a fare's place lies at or below a percentile, its ties
// being spread evenly over the places among their equals that it may have. The
// day itself is one more of the sample.
func atMost(t verdict.Percentile, p int) float64 {
	place := float64(p)/100*(t.Weight+1) - t.Below*t.Weight
	return min(max(place/(t.Equal*t.Weight+1), 0), 1)
}

// fellWithin reports whether a departure was seen at 5 % or more below a day's
// cheapest fare within some days. It is not known where the departure was not
// seen again by then, or where the panel ends before.
func fellWithin(d departure, j judgement, within int, end fare.Day) (fell, known bool) {
	until := j.day + fare.Day(within)
	if until > end {
		return false, false
	}
	low, known := d.lowest(j.day, until)
	return known && float64(low) <= float64(j.price)*(1-fall), known
}

// holds reports whether the stated interval of a percentile held: whether it takes
// in the place of the day's fare among the lows of the days before and after it,
// each weighing what the memory of the rule makes of its distance.
func holds(r routeReplay, j judgement) (held, known bool) {
	among := verdict.PlaceOf(r.lows, j.day, math.MaxInt32, j.price)
	if among.Last < j.day+aheadDays {
		return false, false
	}
	place := 100 * (among.Below + among.Equal/2) / among.All
	from, to := j.place.Interval()
	return from-1e-9 <= place && place <= to+1e-9, true
}
