package backtest

import (
	"fmt"
	"slices"

	"verdetto/shared/verdict"
)

// Report is the evidence. Shares and changes are fractions: 0.05 is 5 %. What
// could not be measured is absent, and Missing says why.
type Report struct {
	First    string `json:"first"` // the first day of the panel that is replayed
	From     string `json:"from"`  // the first day that is judged
	To       string `json:"to"`    // the last day that is looked at
	Cycle    int    `json:"cycleDays"`
	Routes   int    `json:"routes"` // with a verdict
	Verdicts int    `json:"verdicts"`

	Stale       float64       `json:"stale"` // share of verdicts on a fare that was not found on their own day
	Ages        []Age         `json:"ages"`
	Calibration []Calibration `json:"calibration"`
	Levels      []Level       `json:"levels"`
	Travellers  []Travellers  `json:"travellers,omitempty"`
	Window      []Bucket      `json:"bookingWindow,omitempty"`
	Intervals   []Coverage    `json:"intervals,omitempty"`
	Missing     []string      `json:"missing,omitempty"`
}

// Calibration is the share of verdicts with a percentile of P or less. Spread
// counts a tie as lying anywhere among its equals, as likely in one place as in
// another; where ties are many it tells calibration from the price steps.
type Calibration struct {
	P          int     `json:"percentile"`
	Share      float64 `json:"share"`
	Spread     float64 `json:"shareTiesSpread"`
	Interval   *Range  `json:"interval,omitempty"`   // of Share
	OverRoutes *Range  `json:"overRoutes,omitempty"` // the 5th and the 95th of a hundred routes with 30 verdicts or more
}

// Level is what came after the verdicts of a level; "all" is the base rate.
type Level struct {
	Level string   `json:"livello"`
	Days  int      `json:"days"`
	Share float64  `json:"share"`
	Later []Change `json:"later,omitempty"`
	Fell  []Fall   `json:"fell,omitempty"`
}

// Change is how the route's cheapest fare moved.
type Change struct {
	Days     int     `json:"afterDays"`
	Count    int     `json:"count"`
	Mean     float64 `json:"mean"`
	Median   float64 `json:"median"`
	Interval *Range  `json:"interval,omitempty"` // of Mean
}

// Fall is how often the departure that was cheapest fell by 5 % or more.
type Fall struct {
	Within     int     `json:"withinDays"`
	Count      int     `json:"count"`
	Chance     float64 `json:"chance"`
	Interval   *Range  `json:"interval,omitempty"`
	OttimoLess *Range  `json:"ottimoLessThis,omitempty"` // the chance after ottimo less this one
}

// Travellers is what it cost to buy given departures by one policy or another.
type Travellers struct {
	Who      string   `json:"who"`
	Count    int      `json:"count"` // departures times days on which somebody started looking
	Policies []Policy `json:"policies"`
}

// Policy is one way to choose the day. Saving is against buying at once, as a share of what the clairvoyant saves.
type Policy struct {
	Name     string  `json:"name"`
	Cost     float64 `json:"meanEuro"`
	Saving   float64 `json:"savingOfClairvoyant"`
	Interval *Range  `json:"interval,omitempty"` // of Saving
}

// Bucket is the premium of fares over the minimum of their departure.
type Bucket struct {
	Lead     string  `json:"lead"` // days before departure, or "advised"
	Count    int     `json:"count"`
	Mean     float64 `json:"meanPremium"`
	Median   float64 `json:"medianPremium"`
	Interval *Range  `json:"interval,omitempty"` // of Mean
}

// Coverage is how often the 90 % interval of the percentile held.
type Coverage struct {
	Level     string  `json:"affidabilita"`
	Count     int     `json:"count"`
	HalfWidth float64 `json:"halfWidthPoints"`
	Held      float64 `json:"held"`
	Interval  *Range  `json:"interval,omitempty"` // of Held
}

// perRoute is how many verdicts a route needs to have a say in the spread over routes.
const perRoute = 30

var percentilesAsked = []int{5, 10, 25, 50, 75, 90, 95}

// reporter makes a report of the routes' tallies.
type reporter struct {
	routes []*tally
	drawn  resampling
	report Report
}

func report(routes []*tally, s span) (Report, error) {
	m := reporter{routes: routes, drawn: resample(len(routes), int(s.to-s.first)/blockDays+1)}
	m.report = Report{First: s.first.String(), From: s.from.String(), To: s.to.String(), Cycle: s.cycle}
	for _, t := range routes {
		if t.verdicts > 0 {
			m.report.Routes++
			m.report.Verdicts += t.verdicts
		}
	}
	if m.report.Verdicts == 0 {
		return Report{}, PanelError{fmt.Sprintf("no route has %d days of fares before one of the days from %s to %s", verdict.MinSample, s.from, s.to)}
	}
	m.freshness()
	m.calibration()
	m.levels()
	m.travellers()
	m.window()
	m.intervals()
	return m.report, nil
}

func (m *reporter) missing(format string, args ...any) {
	m.report.Missing = append(m.report.Missing, fmt.Sprintf(format, args...))
}

// pool gathers an average over routes, of which pick may take several.
func (m *reporter) pool(pick func(*tally) []mean) pool {
	p := make(pool, len(m.routes))
	for i, t := range m.routes {
		p[i] = join(pick(t))
	}
	return p
}

// gather puts values of all routes in order.
func (m *reporter) gather(pick func(*tally) []float64) []float64 {
	var all []float64
	for _, t := range m.routes {
		all = append(all, pick(t)...)
	}
	slices.Sort(all)
	return all
}

func middle(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func (m *reporter) calibration() {
	for i, p := range percentilesAsked {
		at := m.pool(func(t *tally) []mean { return t.atMost[i : i+1] })
		c := Calibration{
			P: p, Share: at.value(), Interval: m.drawn.of(at),
			Spread: m.pool(func(t *tally) []mean { return t.spread[i : i+1] }).value(),
		}
		var shares []float64
		for _, route := range at {
			if one := (pool{route}); one.count() >= perRoute {
				shares = append(shares, one.value())
			}
		}
		if n := len(shares); n > 0 {
			slices.Sort(shares)
			c.OverRoutes = &Range{shares[(n-1)*5/100], shares[n-1-(n-1)*5/100]}
		}
		m.report.Calibration = append(m.report.Calibration, c)
	}
}

func (m *reporter) levels() {
	ottimo := make([]drawn, len(fallWithin))
	// The last row is all levels.
	for row := range len(levels) + 1 {
		from, to := row, row+1
		level := Level{Level: "all"}
		if row < len(levels) {
			level.Level = levels[row]
		} else {
			from, to = 0, row
		}
		for _, t := range m.routes {
			for _, days := range t.days[from:to] {
				level.Days += days
			}
		}
		level.Share = float64(level.Days) / float64(m.report.Verdicts)
		for h, days := range horizons {
			p := m.pool(func(t *tally) []mean { return t.later[h][from:to] })
			if p.count() == 0 {
				continue
			}
			all := m.gather(func(t *tally) []float64 { return slices.Concat(t.changes[h][from:to]...) })
			level.Later = append(level.Later, Change{days, p.count(), p.value(), middle(all), m.drawn.of(p)})
		}
		for w, days := range fallWithin {
			p := m.pool(func(t *tally) []mean { return t.fell[w][from:to] })
			if p.count() == 0 {
				continue
			}
			all := m.drawn.averages(p)
			fell := Fall{Within: days, Count: p.count(), Chance: p.value(), Interval: m.drawn.interval(all)}
			if row == 0 {
				ottimo[w] = all
			} else if ottimo[w].value != nil {
				fell.OttimoLess = m.drawn.difference(ottimo[w], all)
			}
			level.Fell = append(level.Fell, fell)
		}
		switch {
		case level.Days == 0:
			m.missing("what follows %s: no day was given it", level.Level)
		case row == len(levels) && len(level.Later) < len(horizons):
			m.missing("what follows a verdict after %d days: the panel does not reach that far", horizons[len(level.Later)])
		}
		m.report.Levels = append(m.report.Levels, level)
	}
}

func (m *reporter) travellers() {
	for g, who := range travellerKinds {
		cost := make([]pool, len(policies))
		for i := range policies {
			cost[i] = m.pool(func(t *tally) []mean { return t.cost[g][i : i+1] })
		}
		now, best := cost[buyAtOnce], cost[buyAtMinimum]
		if now.count() == 0 || now.value() <= best.value() {
			m.missing("what buying or waiting cost a traveller %s: no departure was watched to its end, or none was ever cheaper later", who)
			continue
		}
		group := Travellers{Who: who, Count: now.count()}
		averages := make([]drawn, len(policies))
		for i := range policies {
			averages[i] = m.drawn.averages(cost[i])
		}
		for i, p := range policies {
			saving := func(pays, most, least float64) (float64, bool) { return (most - pays) / (most - least), most > least }
			value, _ := saving(cost[i].value(), now.value(), best.value())
			interval := m.drawn.Interval(func(draw int) (float64, bool) {
				of := func(policy int) float64 { return averages[policy].value[draw] }
				share, ok := saving(of(i), of(buyAtOnce), of(buyAtMinimum))
				return share, ok && averages[i].known[draw]
			})
			group.Policies = append(group.Policies, Policy{p.name, cost[i].value(), value, (*Range)(interval)})
		}
		m.report.Travellers = append(m.report.Travellers, group)
	}
}

func (m *reporter) window() {
	for b := range len(buckets) + 1 {
		p := m.pool(func(t *tally) []mean { return t.premium[b : b+1] })
		if p.count() == 0 {
			continue
		}
		all := m.gather(func(t *tally) []float64 { return t.premiums[b] })
		m.report.Window = append(m.report.Window, Bucket{bucketName(b), p.count(), p.value(), middle(all), m.drawn.of(p)})
	}
	if len(m.report.Window) == 0 {
		m.missing("the booking window: no departure was watched from %d days before it to its end", fullLead)
	}
}

func (m *reporter) intervals() {
	for i, level := range append(slices.Clone(certainties), "all") {
		pick := func(all []mean) []mean {
			if i == len(certainties) {
				return all
			}
			return all[i : i+1]
		}
		held := m.pool(func(t *tally) []mean { return pick(t.held) })
		if held.count() == 0 {
			continue
		}
		width := m.pool(func(t *tally) []mean { return pick(t.width) })
		m.report.Intervals = append(m.report.Intervals, Coverage{level, held.count(), width.value(), held.value(), m.drawn.of(held)})
	}
	if len(m.report.Intervals) == 0 {
		m.missing("whether the intervals hold: no verdict is followed by %d days of the panel", aheadDays)
	}
}
