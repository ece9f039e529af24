package departures

import "verdetto/cmd/verdetto/backtest/stats"

// FirstRule compares the present rule with the first version, which ignored other departures on
// sale. AUC, skill and ECE measure the chances of a fall, on the rows (each a fare on one day) that
// both versions answer. The fields WorstMiss, MissByQuarter and MissByLead measure the first
// version's percentiles, on all rows that it answers.
type FirstRule struct {
	Count         int          `json:"count"`
	Answered      float64      `json:"answered"` // share of the rows with a known outcome that the first version answers
	AUC           float64      `json:"auc"`
	RuleAUC       float64      `json:"ruleAuc"`
	Difference    float64      `json:"difference"`
	Interval      *stats.Range `json:"interval,omitempty"`
	ScoreAUC      float64      `json:"scoreAuc"`
	RuleScoreAUC  float64      `json:"ruleScoreAuc"`
	Brier         float64      `json:"brierSkill"`
	RuleBrier     float64      `json:"ruleBrierSkill"`
	ECE           float64      `json:"ece"`
	RuleECE       float64      `json:"ruleEce"`
	WorstMiss     float64      `json:"worstMissOfPercentile"`
	MissByQuarter []stats.Miss `json:"missByQuarter"`
	MissByLead    []stats.Miss `json:"missByLead"`
}

func (m *reporter) againstFirstRule() {
	if m.first == nil {
		return
	}
	ours, theirs := m.cases(0, m.rule[0], *m.first), m.cases(0, *m.first, m.rule[0])
	rule, first := rank(ours.chance, ours, m.cells), rank(theirs.chance, theirs, m.cells)
	f := &FirstRule{Count: len(ours.rows), Answered: float64(len(m.cases(0, *m.first).rows)) / float64(len(m.known[0]))}
	var ok bool
	if f.RuleAUC, ok = rule.auc(nil); !ok {
		m.reportMissing("the rule against the first rule: %s", alike(len(ours.rows)))
		return
	}
	f.AUC, _ = first.auc(nil)
	f.Difference, f.Interval = f.RuleAUC-f.AUC, m.rankInterval(rule, first)
	f.RuleScoreAUC, _ = rank(ours.score, ours, m.cells).auc(nil)
	f.ScoreAUC, _ = rank(theirs.score, theirs, m.cells).auc(nil)
	f.RuleBrier, f.Brier = ours.brierSkill(), theirs.brierSkill()
	_, f.RuleECE = ours.reliability()
	_, f.ECE = theirs.reliability()
	rows, scores := m.answeredRows(*m.first)
	f.WorstMiss = worstMiss(scores)
	f.MissByQuarter, f.MissByLead = m.misses(rows, scores)
	m.report.FirstRule = f
}

// print writes the comparison. miss and byQuarter show how far the present rule's percentiles are
// off.
func (f *FirstRule) print(t stats.Tables, miss float64, byQuarter []stats.Miss) {
	if f == nil {
		return
	}
	t.Title("The rule and the first rule, which did not know the departures on sale, on the rows that both answer")
	t.Row("\trows\tAUC\tdifference\t\tpercentile alone\tBrier skill\tECE\tpercentile off by\tworst quarter")
	t.Row("rule\t%d\t%.4f\t%+.4f\t%s\t%.4f\t%.4f\t%.4f\t%.1f\t%.1f", f.Count, f.RuleAUC, f.Difference, f.Interval.Plain(),
		f.RuleScoreAUC, f.RuleBrier, f.RuleECE, miss, stats.WorstOf(byQuarter).Worst)
	t.Row("first rule\t%d\t%.4f\t\t\t%.4f\t%.4f\t%.4f\t%.1f\t%.1f", f.Count, f.AUC, f.ScoreAUC, f.Brier, f.ECE,
		f.WorstMiss, stats.WorstOf(f.MissByQuarter).Worst)
}
