package departures

import (
	"errors"
	"io"

	"verdetto/cmd/backtest/stats"
	"verdetto/shared/verdict/departure"
)

// FirstDays compares the rule, which judges each day of the panel as if no other day were known, with
// the rival, which also knows earlier days.
type FirstDays struct {
	First    string         `json:"first"`
	To       string         `json:"to"`
	Dropped  map[string]int `json:"rowsDropped,omitempty"`
	Notes    []string       `json:"notes,omitempty"`
	Days     int            `json:"days"`
	Rows     int            `json:"rows"`
	Routes   int            `json:"routes"`
	Asked    int            `json:"asked"` // rows with a known outcome within 7 days
	Fell     float64        `json:"fell"`  // share of Asked that fell by at least 5 % within 7 days
	Answered float64        `json:"answered"`
	Methods  []FirstDay     `json:"methods"`
	Missing  []string       `json:"missing,omitempty"`
}

type FirstDay struct {
	Name          string       `json:"name"`
	Count         int          `json:"count"`
	AUC           float64      `json:"auc"`
	Interval      *stats.Range `json:"aucInterval,omitempty"`
	WorstMiss     float64      `json:"worstMissOfPercentile"`
	MissByQuarter []stats.Miss `json:"missByQuarter"`
	MissByLead    []stats.Miss `json:"missByLead"`
}

func RunFirstDays(t *Panel, o stats.Days) (FirstDays, error) {
	t, err := seen(t, o)
	if err != nil {
		return FirstDays{}, err
	}
	m := newReporter(answered{panel: t, outcomes: outcomes(t)}, o)
	rows := m.known[0]
	if len(rows) == 0 {
		return FirstDays{}, errors.New("no departure was seen again within 7 days")
	}
	m.sample = newSample(t, t.first(), t.last())
	r := FirstDays{First: m.report.From, To: m.report.To, Dropped: t.Dropped, Notes: t.Notes, Days: len(t.days()) - 1,
		Rows: len(t.Rows), Routes: m.report.Routes, Asked: len(rows), Methods: []FirstDay{}}
	for _, row := range rows {
		r.Fell += stats.Share(m.outcomes[row].fell[0]) / float64(len(rows))
	}
	rule := firstDays("rule", t)
	judged, _ := m.answeredRows(rule)
	r.Answered = float64(len(judged)) / float64(len(t.Rows))
	m.firstDay(&r, rule)
	invented := func(name string, prices *Panel) {
		n := newReporter(answered{panel: prices, outcomes: outcomes(prices)}, o)
		n.sample = m.sample
		n.firstDay(&r, firstDays(name, prices))
	}
	invented("rule on a random walk", t.randomWalk())
	invented("rule on shuffled prices", t.shuffled())
	m.firstDay(&r, m.sameLead())
	r.Missing = m.report.Missing
	return r, nil
}

func (m *reporter) firstDay(r *FirstDays, v voice) {
	c := m.cases(0, v)
	by, auc, ok := m.auc(v.name, c.Score, c)
	if !ok {
		return
	}
	rows, scores := m.answeredRows(v)
	one := FirstDay{Name: v.name, Count: len(c.Rows), AUC: auc, Interval: m.AUC(by), WorstMiss: stats.WorstMiss(scores)}
	one.MissByQuarter, one.MissByLead = m.misses(rows, scores)
	r.Methods = append(r.Methods, one)
}

func firstDays(name string, t *Panel) voice {
	v := voice{name, make([]float64, len(t.Rows)), make([]float64, len(t.Rows))}
	var on departure.RouteDay
	begin := t.days()
	for i := range len(begin) - 1 {
		day := t.Rows[begin[i]].Day
		pooled := departure.Start(day)
		pooled.StartCurve(day, onSale(t, begin[i], begin[i+1]))
		view := pooled.View(day)
		t.eachRoute(begin[i], begin[i+1], func(_ int32, from, to int) {
			quotes := quotes(t, from, to)
			on.Set(new(departure.Route), view, quotes)
			for i := from; i < to; i++ {
				v.score[i] = on.Judge(nil, quotes[i-from]).Percentile
			}
		})
	}
	return v
}

func (r FirstDays) Print(out io.Writer) {
	t := stats.NewTables(out)
	t.Line("%d days of %d routes, %s to %s, each as if it were the first: %d fares, %s answered", r.Days, r.Routes, r.First, r.To,
		r.Rows, stats.Percent(r.Answered))
	t.Line("asked %d times what is known: was the very departure at least 5 %% cheaper within 7 days? %s were", r.Asked,
		stats.Percent(r.Fell))
	t.LeftOut(r.Dropped, r.Notes)
	t.Title("AUC of the percentile, and how far it is off. The rival same lead knows the whole history")
	t.Row("method\trows\tAUC\t\tpercentile off by\tworst quarter\tworst days ahead")
	for _, m := range r.Methods {
		t.Row("%s\t%d\t%.3f\t%s\t%.1f\t%.1f\t%.1f", m.Name, m.Count, m.AUC, m.Interval.Plain(), m.WorstMiss,
			stats.WorstOf(m.MissByQuarter).Worst, stats.WorstOf(m.MissByLead).Worst)
	}
	t.End(r.Missing)
}
