package departures

import (
	"errors"
	"fmt"
	"math"

	"verdetto/cmd/backtest/stats"
	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

const draws = 300

// The slices of voice are indexed by row of the panel. The score of a row without an answer is NaN.
type voice struct {
	name          string
	chance, score []float64 // a higher score means a more expensive fare
}

func (v voice) answers(row int) bool { return !math.IsNaN(v.score[row]) }

type reporter struct {
	answered
	sample
	from   fare.Day
	rule   [2]voice
	known  [2][]int // by horizon: the rows with a known outcome, from the first judged day on
	rival  voice
	report Report
}

func newReporter(a answered, o stats.Days) *reporter {
	m := &reporter{answered: a, from: o.From}
	m.rule = [2]voice{{"rule", a.answers.Chance[0], a.answers.Percentile},
		{"rule, 14 days", a.answers.Chance[1], a.answers.Percentile}}
	t := a.panel
	routes, departures := map[int32]bool{}, map[int32]bool{}
	for row, q := range t.Rows {
		routes[q.Route], departures[q.Departure] = true, true
		for h := range m.known {
			if a.outcomes[row].known[h] && q.Day >= o.From {
				m.known[h] = append(m.known[h], row)
			}
		}
	}
	m.report = Report{
		Ask: "partenza", First: t.first().String(), From: max(o.From, t.first()).String(), To: t.last().String(),
		Cycle: max(o.Cycle, 1), Dropped: t.Dropped, Notes: t.Notes, Rows: len(t.Rows),
		Routes: len(routes), Departures: len(departures), Questions: len(m.known[0]),
	}
	return m
}

func (m *reporter) measure() (Report, error) {
	rows := m.known[0]
	if len(rows) == 0 {
		return Report{}, errors.New("no departure was seen again within 7 days")
	}
	m.sample = newSample(m.panel, m.panel.Rows[rows[0]].Day, m.panel.Rows[rows[len(rows)-1]].Day)
	m.report.BlockDays = m.Days
	for _, row := range rows {
		m.report.Fell += stats.Share(m.outcomes[row].fell[0])
	}
	m.report.Fell /= float64(len(rows))
	m.methods()
	m.report.Levels = m.levels(func(row int) int { return departure.LevelOf(m.answers.Percentile[row]).Place() })
	m.report.Published = m.levels(func(row int) int { return int(m.answers.level[row]) })
	m.percentiles()
	m.waiting()
	return m.report, nil
}

func (m *reporter) reportMissing(format string, args ...any) {
	m.report.Missing = append(m.report.Missing, fmt.Sprintf(format, args...))
}

// cases leaves out rows that v or one of the other voices does not answer.
func (m *reporter) cases(h int, v voice, also ...voice) *stats.Cases {
	c := new(stats.Cases)
	for _, row := range m.known[h] {
		if v.answers(row) && (len(also) == 0 || also[0].answers(row)) {
			c.Add(row, v.chance[row], v.score[row], m.outcomes[row].fell[h])
		}
	}
	return c
}

func (m *reporter) auc(name string, score []float64, c *stats.Cases) (stats.Ranking, float64, bool) {
	by := stats.Rank(score, c, m.cells)
	auc, ok := by.AUC(nil)
	if !ok {
		m.reportMissing("%s: all %d rows that were answered fared alike", name, len(c.Rows))
	}
	return by, auc, ok
}

func (m *reporter) method(h int, name string, c *stats.Cases) (one Method, ok bool) {
	by, auc, ok := m.auc(name, c.Chance, c)
	if !ok {
		return one, false
	}
	one = Method{Name: name, Count: len(c.Rows), Answered: float64(len(c.Rows)) / float64(max(1, len(m.known[h]))),
		AUC: auc, Interval: m.AUC(by), BrierSkill: c.BrierSkill()}
	one.ScoreAUC, _ = stats.Rank(c.Score, c, m.cells).AUC(nil)
	one.Reliability, one.ECE = c.Reliability()
	return one, true
}

func (m *reporter) methods() {
	if one, ok := m.method(0, m.rule[0].name, m.cases(0, m.rule[0])); ok {
		m.report.Methods = append(m.report.Methods, one)
	}
	if one, ok := m.method(1, m.rule[1].name, m.cases(1, m.rule[1])); ok {
		m.report.Fortnight = &one
	}
	one, ok := m.method(0, m.rival.name, m.cases(0, m.rival))
	if !ok {
		return
	}
	_, scores := m.answeredRows(m.rival)
	miss := stats.WorstMiss(scores)
	one.WorstMiss = &miss
	m.report.Methods = append(m.report.Methods, one)
	m.compare(m.rival.name, m.cases(0, m.rule[0], m.rival), m.cases(0, m.rival, m.rule[0]))
}

func (m *reporter) answeredRows(v voice) (rows []int, scores []float64) {
	for row, q := range m.panel.Rows {
		if q.Day >= m.from && v.answers(row) {
			rows, scores = append(rows, row), append(scores, v.score[row])
		}
	}
	return rows, scores
}

func (m *reporter) compare(name string, rule, rival *stats.Cases) {
	ours, auc, ok := m.auc("the rule against "+name, rule.Chance, rule)
	if !ok {
		return
	}
	theirs := stats.Rank(rival.Score, rival, m.cells)
	c := Comparison{Rival: name, Count: len(rule.Rows), Rule: auc, Interval: m.AUC(ours, theirs),
		RuleBrierSkill: rule.BrierSkill(), RivalBrierSkill: rival.BrierSkill()}
	c.AUC, _ = theirs.AUC(nil)
	c.Difference = c.Rule - c.AUC
	_, c.RuleECE = rule.Reliability()
	_, c.RivalECE = rival.Reliability()
	m.report.Against = append(m.report.Against, c)
}

func (m *reporter) levels(levelOf func(row int) int) (all []Level) {
	const every = len(departure.Levels)
	var rows [every + 1][]int
	for _, row := range m.known[0] {
		if m.rule[0].answers(row) {
			level := levelOf(row)
			rows[level], rows[every] = append(rows[level], row), append(rows[every], row)
		}
	}
	for i, rows := range rows {
		level := Level{Level: "all", Count: len(rows)}
		if i < every {
			level.Level = string(departure.Levels[i])
		}
		if level.Count == 0 {
			m.reportMissing("what follows %s: no row was given it", level.Level)
			continue
		}
		level.Fell, level.Falls = m.share(rows, func(row int) bool { return m.outcomes[row].fell[0] })
		level.Stated, _ = m.over(rows, func(row int) float64 { return m.answers.Chance[0][row] })
		all = append(all, level)
	}
	return all
}

func (m *reporter) misses(rows []int, scores []float64) (byQuarter, byLead []stats.Miss) {
	at := func(row int) Row { return m.panel.Rows[rows[row]] }
	return stats.MissBy(scores, func(row int) int { return int(at(row).Day.Quarter()) },
			func(part int) string { return fare.Quarter(part).String() }),
		stats.MissBy(scores, func(row int) int { return score.LeadSpan(int(at(row).Lead)) }, score.LeadName)
}

func (m *reporter) percentiles() {
	rows, scores := m.answeredRows(m.rule[0])
	if len(rows) == 0 {
		return
	}
	m.report.WorstMiss = stats.WorstMiss(scores)
	m.report.MissByQuarter, m.report.MissByLead = m.misses(rows, scores)
}

func (m *reporter) reference(name string, a answered, o stats.Days) Reference {
	other := newReporter(a, o)
	c := other.cases(0, other.rule[0])
	var n, fell [4]float64
	for i, score := range c.Score {
		level := departure.LevelOf(score).Place()
		n[level]++
		fell[level] += stats.Share(c.Fell[i])
	}
	r := Reference{Name: name, Count: len(c.Rows)}
	cells := make([]int32, len(a.panel.Rows)) // one bootstrap cell for all rows, because AUC computes no intervals here
	if auc, ok := stats.Rank(c.Chance, c, cells).AUC(nil); ok {
		r.AUC = auc
		r.ScoreAUC, _ = stats.Rank(c.Score, c, cells).AUC(nil)
	}
	for i := range n {
		r.Falls = append(r.Falls, fell[i]/max(1, n[i]))
	}
	return r
}

type sample struct {
	*stats.Blocks
	cells []int32
}

// With two blocks instead of leastBlocks, half of the bootstrap draws would omit one block.
const leastBlocks = 5

func newSample(t *Panel, first, last fare.Day) sample {
	days := max(1, min(stats.BlockDays, (int(last-first)+1)/leastBlocks))
	s := sample{stats.NewBlocks(draws, len(t.Routes), first, last, days), make([]int32, len(t.Rows))}
	for i, q := range t.Rows {
		s.cells[i] = s.Cell(int(q.Route), q.Day)
	}
	return s
}

func (s sample) over(rows []int, value func(row int) float64) (mean float64, interval *stats.Range) {
	a := s.Average()
	for _, row := range rows {
		a.Add(s.cells[row], value(row))
	}
	return a.Mean(), a.Interval()
}

func (s sample) share(rows []int, is func(row int) bool) (share float64, interval *stats.Range) {
	return s.over(rows, func(row int) float64 { return stats.Share(is(row)) })
}
