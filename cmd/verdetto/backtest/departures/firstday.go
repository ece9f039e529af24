package departures

import (
	"context"
	"errors"
	"io"

	"verdetto/cmd/verdetto/backtest/stats"
	"verdetto/shared/verdict/departure"
)

// FirstDays holds the results of a service on its first day. For each day of the panel (observed
// fares), the rule judges the fares of that day as if no other day were known.
type FirstDays struct {
	First    string         `json:"first"`
	To       string         `json:"to"`
	Dropped  map[string]int `json:"rowsDropped,omitempty"`
	Notes    []string       `json:"notes,omitempty"`
	Days     int            `json:"days"`
	Rows     int            `json:"rows"`
	Routes   int            `json:"routes"`
	Asked    int            `json:"asked"`    // fares of a departure whose outcome within 7 days is known
	Fell     float64        `json:"fell"`     // share of Asked that fell by at least 5 % within 7 days
	Answered float64        `json:"answered"` // share of all fares that the rule answers
	Methods  []FirstDay     `json:"methods"`
	Missing  []string       `json:"missing,omitempty"`
}

// FirstDay holds the results of one method. AUC measures how well the method's percentile predicts
// falls.
type FirstDay struct {
	Name          string       `json:"name"`
	Count         int          `json:"count"`
	AUC           float64      `json:"auc"`
	Interval      *stats.Range `json:"aucInterval,omitempty"`
	WorstMiss     float64      `json:"worstMissOfPercentile"`
	MissByQuarter []stats.Miss `json:"missByQuarter"`
	MissByLead    []stats.Miss `json:"missByLead"`
}

// RunFirstDays replays each day of a panel alone. It measures the rule without any history, and the
// plain rank among the route's other departures of that day. It also measures the rule on invented
// prices: a random walk, and shuffled prices.
func RunFirstDays(ctx context.Context, t *Trips, o Options) (FirstDays, error) {
	return within(ctx, func() (FirstDays, error) { return replayFirstDays(t, o) })
}

func replayFirstDays(t *Trips, o Options) (FirstDays, error) {
	o.Cycle = max(o.Cycle, 1)
	t = t.thinned(o)
	if len(t.rows) == 0 {
		return FirstDays{}, errors.New("no fare was seen on the days asked for")
	}
	t = t.showing(o.Progress, 3*(len(t.days())-1)) // with two references
	m := newReporter(answeredPanel{panel: t, outcomes: t.outcomes()}, o)
	rows := m.known[0]
	if len(rows) == 0 {
		return FirstDays{}, errors.New("no departure was seen again within 7 days")
	}
	m.sample = t.sample(t.rows[0].day, t.last())
	r := FirstDays{First: m.report.From, To: m.report.To, Dropped: t.Dropped, Notes: t.Notes, Days: len(t.days()) - 1,
		Rows: len(t.rows), Routes: m.report.Routes, Asked: len(rows), Methods: []FirstDay{}}
	for _, row := range rows {
		r.Fell += stats.Share(m.outcomes[row].fell[0]) / float64(len(rows))
	}
	rule := t.firstDays()
	answered, _ := m.answeredRows(rule)
	r.Answered = float64(len(answered)) / float64(len(t.rows))
	for _, v := range []voice{rule, t.ranks()} {
		m.firstDay(&r, v)
	}
	for _, other := range []struct {
		name  string
		panel *Trips
	}{{"rule on a random walk", t.randomWalk()}, {"rule on shuffled prices", t.shuffled()}} {
		n := newReporter(answeredPanel{panel: other.panel, outcomes: other.panel.outcomes()}, o)
		n.sample = m.sample
		v := other.panel.firstDays()
		v.name = other.name
		n.firstDay(&r, v)
	}
	m.firstDay(&r, m.answeredPanel.sameLead())
	r.Missing = m.report.Missing
	return r, nil
}

// firstDay adds the results of one method to the report.
func (m *reporter) firstDay(r *FirstDays, v voice) {
	c := m.cases(0, v)
	by := rank(c.score, c, m.cells)
	one := FirstDay{Name: v.name, Count: len(c.rows)}
	var ok bool
	if one.AUC, ok = by.auc(nil); !ok {
		m.reportMissing("%s: %s", v.name, alike(len(c.rows)))
		return
	}
	one.Interval = m.rankInterval(by)
	rows, scores := m.answeredRows(v)
	one.WorstMiss = worstMiss(scores)
	one.MissByQuarter, one.MissByLead = m.misses(rows, scores)
	r.Methods = append(r.Methods, one)
}

// firstDays returns the rule's percentiles. For each day the rule starts without any history.
func (t *Trips) firstDays() voice {
	v := t.unknown("rule")
	var on departure.RouteDay
	begin := t.days()
	for i := range len(begin) - 1 {
		day := t.rows[begin[i]].day
		pooled := departure.Start(day)
		pooled.StartCurve(day, t.onSale(begin[i], begin[i+1]))
		view := pooled.View(day)
		t.eachRoute(begin[i], begin[i+1], func(_ int32, from, to int) {
			quotes := t.quotes(from, to)
			on.Set(new(departure.Route), view, quotes)
			for i := from; i < to; i++ {
				v.score[i] = on.Judge(nil, quotes[i-from]).Percentile
			}
		})
		t.passed(day.String())
	}
	return v
}

// ranks returns the plain rank of each fare among the other departures of its route on its day.
// Ties count half.
func (t *Trips) ranks() voice {
	v := t.unknown("rank that day")
	t.eachRouteDay(func(from, to int) {
		others := to - from - 1
		if others < departure.MinCount {
			return
		}
		for i := from; i < to; i++ {
			below := -.5 // the fare itself is a tie
			for _, q := range t.rows[from:to] {
				below += stats.Share(q.price < t.rows[i].price) + stats.Share(q.price == t.rows[i].price)/2
			}
			v.score[i] = below / float64(others)
		}
	})
	return v
}

// unknown returns a method without answers. All its percentiles are NaN, and it has no chances of a
// fall.
func (t *Trips) unknown(name string) voice {
	v := voice{name, make([]float64, len(t.rows)), make([]float64, len(t.rows))}
	for i := range v.score {
		v.score[i] = unknown
	}
	return v
}

func (t *Trips) eachRouteDay(do func(from, to int)) {
	begin := t.days()
	for day := range len(begin) - 1 {
		t.eachRoute(begin[day], begin[day+1], func(_ int32, from, to int) { do(from, to) })
	}
}

// Print writes the report as tables.
func (r FirstDays) Print(out io.Writer) {
	t := stats.NewTables(out)
	t.Line("%d days of %d routes, %s to %s, each as if it were the first: %d fares, %s answered", r.Days, r.Routes, r.First, r.To,
		r.Rows, stats.Percent(r.Answered))
	t.Line("asked %d times what is known: was the very departure at least 5 %% cheaper within 7 days? %s were", r.Asked,
		stats.Percent(r.Fell))
	printLeftOut(t, r.Dropped, r.Notes)
	t.Title("AUC of the percentile, and how far it is off. The rival same lead knows the whole history")
	t.Row("method\trows\tAUC\t\tpercentile off by\tworst quarter\tworst days ahead")
	for _, m := range r.Methods {
		t.Row("%s\t%d\t%.3f\t%s\t%.1f\t%.1f\t%.1f", m.Name, m.Count, m.AUC, m.Interval.Plain(), m.WorstMiss,
			stats.WorstOf(m.MissByQuarter).Worst, stats.WorstOf(m.MissByLead).Worst)
	}
	t.End(r.Missing)
}
