package backtest

import (
	"fmt"
	"math"
	"slices"

	"verdetto/cmd/verdetto/backtest/stats"
	"verdetto/shared/verdict"
)

// Report holds the results. Shares and changes are fractions: 0.05 is 5 %. Results that could not
// be measured are absent, and Missing gives the reasons.
type Report struct {
	First    string `json:"first"` // the first day of recorded fares
	From     string `json:"from"`  // the first day that is judged
	To       string `json:"to"`    // the last day of fares that is used
	Cycle    int    `json:"cycleDays"`
	Routes   int    `json:"routes"` // number of routes with a verdict
	Verdicts int    `json:"verdicts"`

	Stale       float64       `json:"stale"` // share of verdicts on a fare that was not found on the same day
	Ages        []Age         `json:"ages"`
	Calibration []Calibration `json:"calibration"`
	// How far the percentiles are off, in percentage points, with ties spread (see Calibration):
	// over all verdicts, by quarter of the year, and by days before departure. Over all verdicts,
	// the errors of two groups can cancel each other.
	WorstMiss     float64      `json:"worstMissOfPercentile"`
	MissByQuarter []stats.Miss `json:"missByQuarter"`
	MissByLead    []stats.Miss `json:"missByLead"`
	Levels        []Level      `json:"levels"`
	Travellers    []Travellers `json:"travellers,omitempty"`
	Window        []Bucket     `json:"bookingWindow,omitempty"`
	Intervals     []Coverage   `json:"intervals,omitempty"`
	Missing       []string     `json:"missing,omitempty"`
}

// Age holds the results for verdicts on fares of one age, in days.
type Age struct {
	Days  string  `json:"days"`
	Share float64 `json:"share"` // of all verdicts
	Count int     `json:"count"` // verdicts whose departure was seen again within 7 days
	// Available is the share of the verdicts in Count whose fare, when seen again, was at most 2 %
	// dearer.
	Available float64      `json:"there"`
	Interval  *stats.Range `json:"interval,omitempty"` // of Available
}

// Calibration is the share of verdicts with a percentile of P or less; ideally it is P %. For
// Spread, a fare that ties with others lies with equal probability at any rank among them. So price
// steps with many ties do not look like wrong percentiles.
type Calibration struct {
	P          int          `json:"percentile"`
	Share      float64      `json:"share"`
	Spread     float64      `json:"shareTiesSpread"`
	Interval   *stats.Range `json:"interval,omitempty"`   // of Share
	OverRoutes *stats.Range `json:"overRoutes,omitempty"` // 5th and 95th percentile over routes of 30 verdicts
}

// Level holds what happened after verdicts of one level. The level "all" covers all verdicts, for
// comparison.
type Level struct {
	Level string   `json:"livello"`
	Days  int      `json:"days"`
	Share float64  `json:"share"`
	Later []Change `json:"later,omitempty"`
	Fell  []Fall   `json:"fell,omitempty"`
}

// Change is the change of the route's cheapest fare after a verdict.
type Change struct {
	Days     int          `json:"afterDays"`
	Count    int          `json:"count"`
	Mean     float64      `json:"mean"`
	Median   float64      `json:"median"`
	Interval *stats.Range `json:"interval,omitempty"` // of Mean
}

// Fall is the share of verdicts after which the judged departure became at least 5 % cheaper.
type Fall struct {
	Within     int          `json:"withinDays"`
	Count      int          `json:"count"`
	Chance     float64      `json:"chance"`
	Interval   *stats.Range `json:"interval,omitempty"`
	OttimoLess *stats.Range `json:"ottimoLessThis,omitempty"` // falls after ottimo minus these
}

// Travellers holds the cost of buying given departures, by policy: a way to choose the day of
// buying.
type Travellers struct {
	Who      string   `json:"who"`
	Count    int      `json:"count"` // travellers: one per departure and day of starting
	Policies []Policy `json:"policies"`
}

// Policy holds the results of one way to choose the day of buying. Saving is the amount saved
// against buying at once, divided by what a traveller would save who knows all later prices.
type Policy struct {
	Name     string       `json:"name"`
	Cost     float64      `json:"meanEuro"`
	Saving   float64      `json:"savingOfClairvoyant"`
	Interval *stats.Range `json:"interval,omitempty"` // of Saving
}

// Bucket shows how much dearer fares of some lead times (days before departure) are than the
// cheapest fare of the same departure.
type Bucket struct {
	Lead     string       `json:"lead"` // days before departure, or "advised"
	Count    int          `json:"count"`
	Mean     float64      `json:"meanPremium"`
	Median   float64      `json:"medianPremium"`
	Interval *stats.Range `json:"interval,omitempty"` // of Mean
}

// Coverage is the share of verdicts whose 90 % interval contained the true percentile.
type Coverage struct {
	Level     string       `json:"affidabilita"`
	Count     int          `json:"count"`
	HalfWidth float64      `json:"halfWidthPoints"`
	Share     float64      `json:"held"`
	Interval  *stats.Range `json:"interval,omitempty"` // of Share
}

func (m *measures) report() (Report, error) {
	s := m.span
	if m.verdicts == 0 {
		return Report{}, PanelError{fmt.Sprintf("no route has %d days of fares before one of the days from %s to %s", verdict.MinSample, s.from, s.to)}
	}
	r := Report{
		First: s.first.String(), From: s.from.String(), To: s.to.String(), Cycle: s.cycle, Routes: m.routes,
		Verdicts: m.verdicts, MissByQuarter: m.byQuarter.Parts(), MissByLead: m.byLead.Parts(),
	}
	m.reportFreshness(&r)
	m.reportCalibration(&r)
	m.reportLevels(&r)
	m.reportTravellers(&r)
	m.reportWindow(&r)
	m.reportIntervals(&r)
	return r, nil
}

func (r *Report) missing(format string, args ...any) {
	r.Missing = append(r.Missing, fmt.Sprintf(format, args...))
}

// reportFreshness adds the results by age of the judged fare. It also adds the share of verdicts on
// a fare that was found before the day of the verdict.
func (m *measures) reportFreshness(r *Report) {
	for i, n := range m.aged {
		if n == 0 {
			continue
		}
		a := Age{Days: fmt.Sprint(i), Share: float64(n) / float64(m.verdicts)}
		if i == ages-1 {
			a.Days += "+"
		}
		if there := m.available[i]; there.Count > 0 {
			a.Count, a.Available, a.Interval = there.Count, there.Mean(), there.Interval()
		}
		if i > 0 {
			r.Stale += a.Share
		}
		r.Ages = append(r.Ages, a)
	}
}

func (m *measures) reportCalibration(r *Report) {
	for i, p := range stats.Percentiles {
		c := Calibration{P: p, Share: m.atMost[i].Mean(), Interval: m.atMost[i].Interval(), Spread: m.spread[i].Mean()}
		if shares := m.overRoutes[i]; len(shares) > 0 {
			slices.Sort(shares)
			last := len(shares) - 1
			c.OverRoutes = &stats.Range{Low: shares[last*5/100], High: shares[last-last*5/100]}
		}
		r.Calibration = append(r.Calibration, c)
		r.WorstMiss = max(r.WorstMiss, math.Abs(100*c.Spread-float64(p)))
	}
}

func (m *measures) reportLevels(r *Report) {
	ottimo := make([]*stats.Drawn, len(fallWithin))
	for row, name := range levels {
		level := Level{Level: name, Days: m.days[row], Share: float64(m.days[row]) / float64(m.verdicts)}
		for h, days := range horizons {
			if c := m.later[h][row]; c.Count > 0 {
				level.Later = append(level.Later, Change{days, c.Count, c.Mean(), c.Median(), c.Interval()})
			}
		}
		for w, days := range fallWithin {
			f := m.fell[w][row]
			if f.Count == 0 {
				continue
			}
			drawn := f.Drawn()
			fell := Fall{Within: days, Count: f.Count, Chance: f.Mean(), Interval: drawn.Interval()}
			if row == 0 {
				ottimo[w] = &drawn
			} else if ottimo[w] != nil {
				fell.OttimoLess = ottimo[w].Difference(drawn)
			}
			level.Fell = append(level.Fell, fell)
		}
		switch {
		case level.Days == 0:
			r.missing("what follows %s: no day was given it", level.Level)
		case row == len(levels)-1 && len(level.Later) < len(horizons):
			r.missing("what follows a verdict after %d days: the panel does not reach that far",
				horizons[len(level.Later)])
		}
		r.Levels = append(r.Levels, level)
	}
}

func (m *measures) reportTravellers(r *Report) {
	for g, who := range travellerKinds {
		cost := m.cost[g]
		now, best := cost[buyAtOnce], cost[buyAtMinimum]
		if now.Count == 0 || now.Mean() <= best.Mean() {
			r.missing("what buying or waiting cost a traveller %s: no departure was watched to its end, or none was ever cheaper later", who)
			continue
		}
		group := Travellers{Who: who, Count: now.Count}
		mostDrawn, leastDrawn := now.Drawn(), best.Drawn()
		for i, p := range policies {
			drawn := cost[i].Drawn()
			interval := m.blocks.Interval(func(draw int) (float64, bool) {
				most, least := mostDrawn.Value[draw], leastDrawn.Value[draw]
				return (most - drawn.Value[draw]) / (most - least), most > least && drawn.Known[draw]
			})
			saving := (now.Mean() - cost[i].Mean()) / (now.Mean() - best.Mean())
			group.Policies = append(group.Policies, Policy{p.name, cost[i].Mean(), saving, interval})
		}
		r.Travellers = append(r.Travellers, group)
	}
}

func (m *measures) reportWindow(r *Report) {
	for b, p := range m.premium {
		if p.Count > 0 {
			r.Window = append(r.Window, Bucket{bucketName(b), p.Count, p.Mean(), p.Median(), p.Interval()})
		}
	}
	if len(r.Window) == 0 {
		r.missing("the booking window: no departure was watched from %d days before it to its end", fullLead)
	}
}

func (m *measures) reportIntervals(r *Report) {
	for i, name := range certainties {
		if held := m.covered[i]; held.Count > 0 {
			r.Intervals = append(r.Intervals, Coverage{name, held.Count, m.width[i].Mean(), held.Mean(),
				held.Interval()})
		}
	}
	if len(r.Intervals) == 0 {
		r.missing("whether the intervals hold: no verdict is followed by %d days of the panel", aheadDays)
	}
}
