// Package departures measures the rule that judges the fare of one departure. It replays recorded
// fares day by day. The rule judges each fare, knowing earlier days only. The replay compares the
// answer with later prices of the same departure. Start at Run.
//
// Rivals (rivals.go) are simple methods that a user could apply instead of the rule. The rule and a
// rival are compared on the rows that both answer. References (references.go) are copies of the
// panel with invented prices, unpredictable or fully predictable ones, which show the lowest and
// highest possible skill. The rule is the service's own and is not implemented again here.
//
// RunAlerts replays the service's alerts (alerts.go). Travellers with an alert pay a price.
// RunAlerts compares this price to baselines, and to the price for a traveller who knows all later
// prices.
package departures

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// Options are the settings of a replay.
type Options struct {
	Ask   string          // what the rows are about, for the report; "": partenza (departures)
	Span  *departure.Span // judge the cheapest departure of each such range of dates; nil: each departure
	From  fare.Day        // the first day to judge; 0: the first day of the panel
	To    fare.Day        // the last day of fares to use; 0: the last day of the panel
	Cycle int             // days from one refresh to the next; 0 means 1
}

// Run replays recorded fares: the rule and its rivals on the recorded prices, and the rule on the
// prices of the references. If ctx ends first, Run returns at once; the replay goes on in the
// background and its result is discarded.
func Run(ctx context.Context, t *Trips, o Options) (Report, error) {
	return within(ctx, func() (Report, error) { return replay(t, o) })
}

// within runs a replay and waits until its report is ready or ctx ends.
func within[R any](ctx context.Context, replay func() (R, error)) (R, error) {
	type result struct {
		report R
		err    error
	}
	done := make(chan result, 1)
	go func() {
		report, err := replay()
		done <- result{report, err}
	}()
	select {
	case r := <-done:
		return r.report, r.err
	case <-ctx.Done():
		var none R
		return none, fmt.Errorf("replay panel: %w", ctx.Err())
	}
}

func replay(t *Trips, o Options) (Report, error) {
	o.Cycle = max(o.Cycle, 1)
	t = t.thinned(o)
	if len(t.rows) == 0 {
		return Report{}, errors.New("no fare was seen on the days asked for")
	}
	m := newReporter(t.ask(o.Span), o)
	var tasks sync.WaitGroup
	tasks.Go(func() { m.rivals = m.answeredPanel.rivals() })
	if !m.spans {
		tasks.Go(func() {
			first := t.replayRule(m.outcomes, departure.StartFirstRule(t.rows[0].day))
			m.first = &voice{"first rule", first.chance[0], first.percentile}
		})
	}
	tasks.Go(func() {
		m.report.References = []Reference{
			m.reference("random walk", t.randomWalk().ask(o.Span), o), m.reference("shuffled",
				t.shuffled().ask(o.Span), o),
		}
	})
	tasks.Wait()
	return m.measure()
}

// answeredPanel is a panel (observed fares) with the rule's answer for each row and the later
// outcome (did the fare fall?) of each row.
type answeredPanel struct {
	panel    *Trips
	outcomes []outcome
	answers  ruleAnswers
}

// ask replays the rule over a panel (observed fares). If s is nil, the rule judges each departure.
// Otherwise it judges the cheapest departure of each range of dates.
func (t *Trips) ask(s *departure.Span) (a answeredPanel) {
	if s == nil {
		became := t.outcomes()
		return answeredPanel{t, became, t.replayRule(became, departure.Start(t.rows[0].day))}
	}
	a.panel, a.answers = t.minima(*s)
	a.outcomes = a.panel.outcomes()
	return a
}
