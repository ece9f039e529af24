package backtest

import (
	"slices"

	"verdetto/cmd/verdetto/backtest/stats"
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/score"
)

// The times and rows at which the outcomes of verdicts are measured.
var (
	horizons    = []int{7, 14, 28} // days after which the route's cheapest fare is compared
	fallWithin  = []int{7, 14}     // days within which the same departure may fall
	levels      = []string{verdict.Ottimo, verdict.Buono, verdict.Normale, verdict.Caro, "all"}
	certainties = []string{verdict.Alta, verdict.Media, verdict.Bassa, "all"}
)

const (
	draws      = 1000
	fall       = 0.05 // minimum share of a fall
	stillThere = 0.02 // a fare that is dearer by at most this share counts as the same
	ages       = 7    // ages of a fare, in days; the last one counts all older fares too
	aheadDays  = 28   // days of fares that the check of an interval needs after the verdict
	perRoute   = 30   // verdicts that a route needs to count in Calibration.OverRoutes
)

// measures collects the measurements of all routes. In tables by level or by certainty, the last
// row counts all verdicts.
type measures struct {
	span             span
	blocks           *stats.Blocks
	routes, verdicts int
	atMost, spread   []*stats.Average // by percentile; see Calibration
	overRoutes       [][]float64      // by percentile: atMost of each route
	byQuarter        *stats.Misses    // percentiles with ties spread, by quarter of the year
	byLead           *stats.Misses
	days             []int              // by level
	later            [][]*stats.Average // by horizon and level; see Change
	fell             [][]*stats.Average // by fallWithin and level: 1 if the same departure fell
	covered, width   []*stats.Average   // by certainty; see Coverage
	premium          []*stats.Average   // by bucket; see Bucket
	cost             [][]*stats.Average // by kind of traveller and policy: price paid
	aged             [ages]int          // verdicts, by age of the judged fare
	available        []*stats.Average   // by age; see Age.Available
}

func newMeasures(s span, routes int) *measures {
	b := stats.NewBlocks(draws, routes, s.first, s.to, stats.BlockDays)
	m := &measures{
		span: s, blocks: b, days: make([]int, len(levels)), overRoutes: make([][]float64, len(stats.Percentiles)),
		later: b.Averages(len(horizons), len(levels)), fell: b.Averages(len(fallWithin), len(levels)),
		cost: b.Averages(len(travellerKinds), len(policies)), premium: b.Averages(1, len(buckets)+1)[0],
		available: b.Averages(1, ages)[0], byQuarter: stats.NewMisses(stats.QuarterName),
		byLead: stats.NewMisses(score.LeadName),
	}
	byPercentile, byCertainty := b.Averages(2, len(stats.Percentiles)), b.Averages(2, len(certainties))
	m.atMost, m.spread = byPercentile[0], byPercentile[1]
	m.covered, m.width = byCertainty[0], byCertainty[1]
	return m
}

// add adds the measurements of a route; route is its index.
func (m *measures) add(route int, r routeReplay) {
	n, atMost := 0, make([]int, len(stats.Percentiles))
	for _, j := range r.judgements {
		if !j.hasVerdict() || j.day < m.span.from {
			continue
		}
		n++
		for i, p := range stats.Percentiles {
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
	for i := range stats.Percentiles {
		if n >= perRoute {
			m.overRoutes[i] = append(m.overRoutes[i], float64(atMost[i])/float64(n))
		}
	}
	m.bookingWindow(route, r)
	m.travellers(route, r)
}

// verdict compares one verdict with later fares. cell is the block of days and the route of the
// verdict, from which intervals are computed.
func (m *measures) verdict(cell int32, r routeReplay, j judgement) {
	departure := r.departure(j.depart)
	for i, p := range stats.Percentiles {
		m.atMost[i].Add(cell, stats.Share(*j.verdict.Percentile <= p))
		m.spread[i].Add(cell, atMost(j.place, p))
	}
	spread := func(p int) float64 { return atMost(j.place, p) }
	m.byQuarter.Add(stats.Quarter(j.day), spread)
	m.byLead.Add(score.LeadSpan(int(j.depart-j.day)), spread)
	for _, level := range []int{slices.Index(levels, j.verdict.Livello), len(levels) - 1} {
		m.days[level]++
		for i, h := range horizons {
			if then, ok := r.judgementOn(j.day + fare.Day(h)); ok {
				m.later[i][level].AddKept(cell, float64(then.price)/float64(j.price)-1)
			}
		}
		for i, within := range fallWithin {
			if fell, known := fellWithin(departure, j, within, m.span.to); known {
				m.fell[i][level].Add(cell, stats.Share(fell))
			}
		}
	}
	age := min(int(j.age), ages-1)
	m.aged[age]++
	if low, known := departure.lowest(j.day, j.day+7); known {
		m.available[age].Add(cell, stats.Share(float64(low) <= float64(j.price)*(1+stillThere)))
	}
}

// atMost returns the probability that a fare's percentile is p or less. A fare that ties with
// others lies with equal probability at any rank among them. The fare itself counts as one more day
// of the sample.
func atMost(t verdict.Percentile, p int) float64 {
	place := float64(p)/100*float64(t.Size+1) - float64(t.Below)
	return min(max(place/float64(t.Equal+1), 0), 1)
}

// fellWithin reports whether a departure was seen at least 5 % cheaper within a number of days
// after the judgement. known is false if the departure was not seen again in that time, or if the
// panel (observed fares) ends earlier.
func fellWithin(d departure, j judgement, within int, end fare.Day) (fell, known bool) {
	until := j.day + fare.Day(within)
	if until > end {
		return false, false
	}
	low, known := d.lowest(j.day, until)
	return known && float64(low) <= float64(j.price)*(1-fall), known
}
