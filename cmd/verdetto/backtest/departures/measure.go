package departures

import (
	"fmt"
	"math"

	"verdetto/cmd/verdetto/backtest/stats"
	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

const draws = 300 // number of bootstrap draws; fewer than in other backtests, since each draw visits all rows

var levels = []departure.Level{departure.Ottimo, departure.Buono, departure.Normale, departure.Caro}

// voice holds the answers of one method, the rule or a rival, for each row (a fare on one day) of
// the panel (observed fares). The score is NaN if the method has no answer for the row.
type voice struct {
	name          string
	chance, score []float64 // a higher score means a more expensive fare
}

func (v voice) answers(row int) bool { return !math.IsNaN(v.score[row]) }

// reporter measures the answers of one replay and fills its report.
type reporter struct {
	answeredPanel
	sample
	from   fare.Day
	rule   [2]voice // by horizon
	known  [2][]int // by horizon: the judged rows whose outcome is known
	rival  voice
	report Report
}

func newReporter(a answeredPanel, o Options) *reporter {
	m := &reporter{answeredPanel: a, from: o.From}
	m.rule = [2]voice{{"rule", a.answers.chance[0], a.answers.percentile}, {"rule, 14 days", a.answers.chance[1],
		a.answers.percentile}}
	for row, q := range a.panel.rows {
		for h := range m.known {
			if a.outcomes[row].known[h] && q.day >= o.From {
				m.known[h] = append(m.known[h], row)
			}
		}
	}
	t := a.panel
	seen := map[int32]bool{}
	departures := 0
	for trip := range t.trips {
		if rows := t.tripRows(int32(trip)); len(rows) > 0 {
			departures++
			seen[t.rows[rows[0]].route] = true
		}
	}
	m.report = Report{
		Ask: "partenza", First: t.rows[0].day.String(), From: max(o.From, t.rows[0].day).String(),
		To: t.last().String(), Cycle: o.Cycle,
		Read: t.Read, Dropped: t.Dropped, Notes: t.Notes, Rows: len(t.rows), Routes: len(seen),
		Departures: departures, Questions: len(m.known[0]),
		// A small panel (observed fares) may lack results of some kind. Then the JSON holds an
		// empty list [], not null.
		Methods: []Method{}, Against: []Comparison{}, Levels: []Level{}, Percentiles: []Percentile{},
		MissByQuarter: []stats.Miss{}, MissByLead: []stats.Miss{}, Cover: []Cover{},
	}
	return m
}

func (m *reporter) measure() (Report, error) {
	rows := m.known[0]
	if len(rows) == 0 {
		return Report{}, fmt.Errorf("no departure was seen again within 7 days, on %d rows of %d departures",
			m.report.Rows, m.report.Departures)
	}
	m.sample = m.panel.sample(m.panel.rows[rows[0]].day, m.panel.rows[rows[len(rows)-1]].day)
	m.report.BlockDays = m.Days
	falls := 0
	for _, row := range rows {
		if m.outcomes[row].fell[0] {
			falls++
		}
	}
	m.report.Fell = float64(falls) / float64(len(rows))
	if falls == 0 || falls == len(rows) {
		m.reportMissing("skill: %d of %d fares fell", falls, len(rows))
	}
	m.methods()
	m.levels()
	m.percentiles()
	m.waiting()
	return m.report, nil
}

func (m *reporter) reportMissing(format string, args ...any) {
	m.report.Missing = append(m.report.Missing, fmt.Sprintf(format, args...))
}

// cases returns the rows (each a fare on one day) with a known outcome (did the fare fall?) that a
// method answers. If other methods are given, they must answer the row too.
func (m *reporter) cases(h int, v voice, also ...voice) *cases {
	c := new(cases)
	for _, row := range m.known[h] {
		if v.answers(row) && (len(also) == 0 || also[0].answers(row)) {
			c.add(row, v.chance[row], v.score[row], m.outcomes[row].fell[h])
		}
	}
	return c
}

// method measures one method's answers. It returns nil if AUC cannot be computed.
func (m *reporter) method(h int, name string, c *cases) *Method {
	one := &Method{Name: name, Count: len(c.rows), Answered: float64(len(c.rows)) / float64(max(1, len(m.known[h])))}
	by := rank(c.chance, c, m.cells)
	var ok bool
	if one.AUC, ok = by.auc(nil); !ok {
		m.reportMissing("%s: %s", name, alike(len(c.rows)))
		return nil
	}
	one.Interval = m.rankInterval(by)
	one.ScoreAUC, _ = rank(c.score, c, m.cells).auc(nil)
	one.BrierSkill = c.brierSkill()
	one.Reliability, one.ECE = c.reliability()
	return one
}

// alike returns why an AUC could not be computed from a number of rows (each a fare on one day).
func alike(rows int) string {
	if rows == 0 {
		return "no row was answered"
	}
	return fmt.Sprintf("all %d rows that were answered fared alike", rows)
}

// rankInterval returns the 95 % interval of an AUC, or of the difference between two AUCs.
func (m *reporter) rankInterval(of ...ranking) *stats.Range {
	return m.Interval(func(draw int) (float64, bool) {
		weights := m.Weights(draw)
		value, ok := of[0].auc(weights)
		for _, other := range of[1:] {
			v, also := other.auc(weights)
			value, ok = value-v, ok && also
		}
		return value, ok
	})
}

func (m *reporter) methods() {
	if one := m.method(0, m.rule[0].name, m.cases(0, m.rule[0])); one != nil {
		m.report.Methods = append(m.report.Methods, *one)
	}
	m.report.Fortnight = m.method(1, m.rule[1].name, m.cases(1, m.rule[1]))
	one := m.method(0, m.rival.name, m.cases(0, m.rival))
	if one == nil {
		return
	}
	_, scores := m.answeredRows(m.rival)
	miss := worstMiss(scores)
	one.WorstMiss = &miss
	m.report.Methods = append(m.report.Methods, *one)
	if compared := m.compare(m.rival.name, m.cases(0, m.rule[0], m.rival), m.cases(0, m.rival, m.rule[0])); compared != nil {
		m.report.Against = append(m.report.Against, *compared)
	}
}

// answeredRows returns the judged rows (each a fare on one day) that a method answers, and the
// method's scores for these rows. The outcome (did the fare fall?) of a row may be unknown.
func (m *reporter) answeredRows(v voice) (rows []int, scores []float64) {
	for row, q := range m.panel.rows {
		if q.day >= m.from && v.answers(row) {
			rows, scores = append(rows, row), append(scores, v.score[row])
		}
	}
	return rows, scores
}

func (m *reporter) compare(name string, rule, rival *cases) *Comparison {
	ours, theirs := rank(rule.chance, rule, m.cells), rank(rival.score, rival, m.cells)
	c := &Comparison{Rival: name, Count: len(rule.rows)}
	var ok bool
	if c.Rule, ok = ours.auc(nil); !ok {
		m.reportMissing("the rule against %s: %s", name, alike(len(rule.rows)))
		return nil
	}
	c.RuleScore, _ = rank(rule.score, rule, m.cells).auc(nil)
	c.AUC, _ = theirs.auc(nil)
	c.ChanceAUC, _ = rank(rival.chance, rival, m.cells).auc(nil)
	c.Difference, c.Interval = c.Rule-c.AUC, m.rankInterval(ours, theirs)
	c.RuleBrierSkill, c.RivalBrierSkill = rule.brierSkill(), rival.brierSkill()
	_, c.RuleECE = rule.reliability()
	_, c.RivalECE = rival.reliability()
	return c
}

func (m *reporter) levels() {
	for place := range len(levels) + 1 {
		level := Level{Level: "all"}
		if place < len(levels) {
			level.Level = levels[place].String()
		}
		var rows []int
		for _, row := range m.known[0] {
			if m.rule[0].answers(row) && (place == len(levels) ||
				departure.LevelOf(m.answers.percentile[row]) == levels[place]) {
				rows = append(rows, row)
			}
		}
		if level.Count = len(rows); level.Count == 0 {
			m.reportMissing("what follows %s: no row was given it", level.Level)
			continue
		}
		level.Fell, level.Falls = m.share(rows, func(row int) bool { return m.outcomes[row].fell[0] })
		level.Rose, level.Rises = m.share(rows, func(row int) bool { return m.outcomes[row].rose[0] })
		m.report.Levels = append(m.report.Levels, level)
	}
}

// worstMiss returns how far percentiles are off, in percentage points; see stats.Miss.
func worstMiss(percentiles []float64) float64 {
	m := stats.NewMisses(func(int) string { return "all" })
	for _, percentile := range percentiles {
		m.Add(0, exactly(percentile))
	}
	return stats.WorstOf(m.Parts()).Worst
}

// exactly returns a function of p, as stats.Misses needs. The function returns 1 if the percentile
// is p or less, and 0 otherwise.
func exactly(percentile float64) func(p int) float64 {
	return func(p int) float64 { return stats.Share(percentile <= float64(p)/100) }
}

// misses returns how far a method's percentiles are off, for each quarter of the year and for each
// range of days before departure.
func (m *reporter) misses(rows []int, scores []float64) (byQuarter, byLead []stats.Miss) {
	quarters, leads := stats.NewMisses(stats.QuarterName), stats.NewMisses(score.LeadName)
	for i, row := range rows {
		q := m.panel.rows[row]
		quarters.Add(stats.Quarter(q.day), exactly(scores[i]))
		leads.Add(score.LeadSpan(int(q.lead)), exactly(scores[i]))
	}
	return quarters.Parts(), leads.Parts()
}

// percentiles measures how far the rule's percentiles are off, and whether the rule's price ranges
// hold the stated share of fares. It uses all rows (each a fare on one day) for which the rule
// gives an answer, whether the fare fell later or not.
func (m *reporter) percentiles() {
	rows, scores := m.answeredRows(m.rule[0])
	if len(rows) == 0 {
		return
	}
	for _, p := range stats.Percentiles {
		share, interval := m.share(rows, func(row int) bool { return m.answers.percentile[row] <= float64(p)/100 })
		m.report.Percentiles = append(m.report.Percentiles, Percentile{p, share, interval})
	}
	m.report.WorstMiss = worstMiss(scores)
	m.report.MissByQuarter, m.report.MissByLead = m.misses(rows, scores)
	for _, c := range []struct {
		stated float64
		in     inside
	}{{.5, insideHalf}, {.9, insideTenths}} {
		held, interval := m.share(rows, func(row int) bool { return m.answers.quartiles[row]&c.in != 0 })
		m.report.Cover = append(m.report.Cover, Cover{c.stated, held, interval})
	}
}

// reference measures the rule on a reference, a panel with invented prices.
func (m *reporter) reference(name string, a answeredPanel, o Options) Reference {
	other := newReporter(a, o)
	c := other.cases(0, other.rule[0])
	var n, fell [4]float64
	for i, score := range c.score {
		level := departure.LevelOf(score)
		n[level]++
		fell[level] += stats.Share(c.fell[i])
	}
	r := Reference{Name: name, Count: len(c.rows)}
	cells := make([]int32, len(a.panel.rows)) // no intervals are computed
	if auc, ok := rank(c.chance, c, cells).auc(nil); ok {
		r.AUC = auc
		r.ScoreAUC, _ = rank(c.score, c, cells).auc(nil)
	}
	for i := range n {
		r.Falls = append(r.Falls, fell[i]/max(1, n[i]))
	}
	return r
}
