package departures

import (
	"cmp"
	"fmt"
	"math"

	"verdetto/cmd/verdetto/backtest/stats"
	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

const draws = 300 // for intervals: all rows have to be gone over for each

var (
	percentilesAsked = []int{5, 10, 25, 50, 75, 90, 95}
	levels           = []departure.Level{departure.Ottimo, departure.Buono, departure.Normale, departure.Caro}
)

// reporter measures one replay.
type reporter struct {
	trips    *Trips
	from     fare.Day
	spans    bool // rows are of the cheapest of spans
	prices   []fare.Cents
	became   []outcome
	said     said
	opinions [rivals][]opinion
	chances  [rivals][]float64
	blocks   *blocks
	report   Report
}

func newReporter(t *Trips, o Options) *reporter {
	m := &reporter{trips: t, from: o.From, prices: t.prices(), spans: o.Span != nil}
	seen := map[int32]bool{}
	departures := 0
	for trip := range t.trips {
		if rows := t.of(int32(trip)); len(rows) > 0 {
			departures++
			seen[t.rows[rows[0]].route] = true
		}
	}
	m.report = Report{
		Ask: cmp.Or(o.Ask, "partenza"), First: t.rows[0].day.String(), From: max(o.From, t.rows[0].day).String(), To: t.last().String(), Cycle: o.Cycle,
		Read: t.Read, Dropped: t.Dropped, Notes: t.Notes, Rows: len(t.rows), Routes: len(seen), Departures: departures,
		// A panel may be too thin for any of these; a list of nothing is still a list.
		Methods: []Method{}, Against: []Comparison{}, Levels: []Level{}, Percentiles: []Percentile{}, Cover: []Cover{}, Waiting: []Waiting{},
	}
	return m
}

// asked tells whether the outcome of a row is known, and the row one of those that are judged.
func (m *reporter) asked(row int) bool {
	return m.became[row].known[0] && m.trips.rows[row].day >= m.from
}

// answers tells whether the rule gives a percentile.
func (m *reporter) answers(row int) bool { return !math.IsNaN(m.said.percentile[row]) }

func (m *reporter) measure() (Report, error) {
	falls := 0
	var first, last fare.Day
	for i, q := range m.trips.rows {
		if m.asked(i) {
			if m.report.Asked == 0 {
				first = q.day
			}
			last = q.day
			m.report.Asked++
			if m.became[i].fell[0] {
				falls++
			}
		}
	}
	if m.report.Asked == 0 {
		return Report{}, fmt.Errorf("no departure was seen again within 7 days, on %d rows of %d departures", m.report.Rows, m.report.Departures)
	}
	m.blocks = m.trips.blocks(draws, first, last)
	m.report.BlockDays = m.blocks.days
	m.report.Fell = float64(falls) / float64(m.report.Asked)
	if falls == 0 || falls == m.report.Asked {
		m.missing("skill: %d of %d fares fell", falls, m.report.Asked)
	}
	m.methods()
	m.levels()
	m.percentiles()
	m.waiting()
	return m.report, nil
}

func (m *reporter) missing(format string, args ...any) {
	m.report.Missing = append(m.report.Missing, fmt.Sprintf(format, args...))
}

// method measures what somebody said of the rows that were asked. It is nil where there is nothing to measure.
func (m *reporter) method(name string, asked int, c *cases) *Method {
	one := &Method{Name: name, Count: len(c.rows), Answered: float64(len(c.rows)) / float64(max(1, asked))}
	by := rank(c.chance, c, m.blocks.of)
	var ok bool
	if one.AUC, ok = by.auc(nil); !ok {
		m.missing("%s: %s", name, alike(len(c.rows)))
		return nil
	}
	one.Interval = m.rankInterval(by)
	one.ScoreAUC, _ = rank(c.score, c, m.blocks.of).auc(nil)
	one.BrierSkill = c.brierSkill()
	one.Reliability, one.ECE = c.reliability()
	return one
}

// alike says why there is no AUC.
func alike(rows int) string {
	if rows == 0 {
		return "no row was answered"
	}
	return fmt.Sprintf("all %d rows that were answered fared alike", rows)
}

// rankInterval is that of an AUC, or of the difference of one AUC to another.
func (m *reporter) rankInterval(of ...ranking) *stats.Range {
	return m.blocks.draws.Interval(func(draw int) (float64, bool) {
		weights := m.blocks.weights(draw)
		value, ok := of[0].auc(weights)
		for _, other := range of[1:] {
			v, also := other.auc(weights)
			value, ok = value-v, ok && also
		}
		return value, ok
	})
}

func (m *reporter) methods() {
	var rule, fortnight cases
	both := [rivals][2]cases{}
	alone := [rivals]cases{}
	fortnightAsked := 0
	for i := range m.trips.rows {
		if m.trips.rows[i].day >= m.from && m.became[i].known[1] {
			fortnightAsked++
			if m.answers(i) {
				fortnight.add(i, m.said.chance[1][i], m.said.percentile[i], m.became[i].fell[1])
			}
		}
		if !m.asked(i) {
			continue
		}
		fell := m.became[i].fell[0]
		if m.answers(i) {
			rule.add(i, m.said.chance[0][i], m.said.percentile[i], fell)
		}
		for r := range rivals {
			if o := m.opinions[r][i]; o.class >= 0 {
				alone[r].add(i, m.chances[r][i], float64(o.score), fell)
				if m.answers(i) {
					both[r][0].add(i, m.said.chance[0][i], m.said.percentile[i], fell)
					both[r][1].add(i, m.chances[r][i], float64(o.score), fell)
				}
			}
		}
	}
	if one := m.method("rule", m.report.Asked, &rule); one != nil {
		m.report.Methods = append(m.report.Methods, *one)
	}
	m.report.Fortnight = m.method("rule, 14 days", fortnightAsked, &fortnight)
	if !m.spans {
		for h, c := range []*cases{&rule, &fortnight} {
			m.recalibrated(h, c)
		}
	}
	for r, name := range rivalNames {
		one := m.method(name, m.report.Asked, &alone[r])
		if one == nil {
			continue
		}
		if r == sameLead {
			var all []float64
			for i, o := range m.opinions[r] {
				if o.class >= 0 && m.trips.rows[i].day >= m.from {
					all = append(all, float64(o.score))
				}
			}
			miss := worstMiss(all)
			one.WorstMiss = &miss
		}
		m.report.Methods = append(m.report.Methods, *one)
		if compared := m.compare(name, &both[r][0], &both[r][1]); compared != nil {
			m.report.Against = append(m.report.Against, *compared)
		}
	}
}

// recalibrated measures the rule's chances brought to what came of earlier ones.
func (m *reporter) recalibrated(h int, rule *cases) {
	if len(rule.rows) == 0 {
		return
	}
	all, told := m.trips.recalibrated(h, m.said.chance[h], m.became), *rule
	told.chance = make([]float64, len(rule.rows))
	for i, row := range rule.rows {
		told.chance[i] = all[row]
	}
	r := Recalibrated{Days: int(fallSpans[h].Days()), Count: len(rule.rows), BrierSkill: told.brierSkill(), RuleBrierSkill: rule.brierSkill()}
	if math.IsNaN(r.RuleBrierSkill) || math.IsInf(r.RuleBrierSkill, 0) {
		return // all fared alike
	}
	_, r.ECE = told.reliability()
	_, r.RuleECE = rule.reliability()
	m.report.Recalibrated = append(m.report.Recalibrated, r)
}

func (m *reporter) compare(name string, rule, rival *cases) *Comparison {
	ours, theirs := rank(rule.chance, rule, m.blocks.of), rank(rival.score, rival, m.blocks.of)
	c := &Comparison{Rival: name, Count: len(rule.rows)}
	var ok bool
	if c.Rule, ok = ours.auc(nil); !ok {
		m.missing("the rule against %s: %s", name, alike(len(rule.rows)))
		return nil
	}
	c.RuleScore, _ = rank(rule.score, rule, m.blocks.of).auc(nil)
	c.AUC, _ = theirs.auc(nil)
	c.ChanceAUC, _ = rank(rival.chance, rival, m.blocks.of).auc(nil)
	c.Difference, c.Interval = c.Rule-c.AUC, m.rankInterval(ours, theirs)
	c.RuleBrierSkill, c.RivalBrierSkill = rule.brierSkill(), rival.brierSkill()
	_, c.RuleECE = rule.reliability()
	_, c.RivalECE = rival.reliability()
	return c
}

func (m *reporter) levels() {
	for row := range len(levels) + 1 {
		fell, rose := m.blocks.average(), m.blocks.average()
		for i := range m.trips.rows {
			if m.asked(i) && m.answers(i) && (row == len(levels) || departure.LevelOf(m.said.percentile[i]) == levels[row]) {
				fell.add(i, share(m.became[i].fell[0]))
				rose.add(i, share(m.became[i].rose[0]))
			}
		}
		level := Level{Level: "all", Count: fell.count}
		if row < len(levels) {
			level.Level = levels[row].String()
		}
		if fell.count == 0 {
			m.missing("what follows %s: no row was given it", level.Level)
			continue
		}
		level.Fell, level.Falls = fell.value(), fell.interval()
		level.Rose, level.Rises = rose.value(), rose.interval()
		m.report.Levels = append(m.report.Levels, level)
	}
}

func share(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// worstMiss is the largest distance of a percentile from the share of rows that lie at or below it, in points.
func worstMiss(percentiles []float64) (worst float64) {
	for _, p := range percentilesAsked {
		n := 0
		for _, x := range percentiles {
			if x <= float64(p)/100 {
				n++
			}
		}
		worst = max(worst, math.Abs(100*float64(n)/float64(len(percentiles))-float64(p)))
	}
	return worst
}

// percentiles and cover are of all rows that the rule answers, whatever became of them.
func (m *reporter) percentiles() {
	var rows []int
	var all []float64
	for i, q := range m.trips.rows {
		if q.day >= m.from && m.answers(i) {
			rows = append(rows, i)
			all = append(all, m.said.percentile[i])
		}
	}
	if len(rows) == 0 {
		return
	}
	for _, p := range percentilesAsked {
		at := m.blocks.average()
		for i, row := range rows {
			at.add(row, share(all[i] <= float64(p)/100))
		}
		m.report.Percentiles = append(m.report.Percentiles, Percentile{p, at.value(), at.interval()})
	}
	m.report.WorstMiss = worstMiss(all)
	for _, c := range []struct {
		stated float64
		in     inside
	}{{.5, insideHalf}, {.9, insideTenths}} {
		if m.spans && c.in == insideTenths {
			continue // of spans nothing but quartiles is told
		}
		held := m.blocks.average()
		for _, row := range rows {
			held.add(row, share(m.said.quartiles[row]&c.in != 0))
		}
		m.report.Cover = append(m.report.Cover, Cover{c.stated, held.value(), held.interval()})
	}
}

// reference is the rule on other prices.
func (m *reporter) reference(name string, a asked) Reference {
	var c cases
	var n, fell [4]float64
	cells := make([]int32, len(a.panel.rows)) // no intervals are asked for
	for i, q := range a.panel.rows {
		if a.became[i].known[0] && q.day >= m.from && !math.IsNaN(a.said.percentile[i]) {
			c.add(i, a.said.chance[0][i], a.said.percentile[i], a.became[i].fell[0])
			level := departure.LevelOf(a.said.percentile[i])
			n[level]++
			fell[level] += share(a.became[i].fell[0])
		}
	}
	r := Reference{Name: name, Count: len(c.rows)}
	if auc, ok := rank(c.chance, &c, cells).auc(nil); ok {
		r.AUC = auc
		r.ScoreAUC, _ = rank(c.score, &c, cells).auc(nil)
	}
	for i := range n {
		r.Falls = append(r.Falls, fell[i]/max(1, n[i]))
	}
	return r
}
