// Package departures measures the rule for a single departure. It replays a panel of recorded fares
// day by day. The rule judges each fare of each departure from earlier days only. Its answer is
// compared with the later prices of the same departure. Start at Run.
//
// Rivals are simple methods that a user could apply instead, compared on the rows that both answer
// (rivals.go). References are the same panel with other prices, which bound the possible skill
// (references.go). One is unpredictable, one is pure reversion. The rule is the service's own and
// is not implemented again here.
//
// RunAlerts replays the service's alerts. It compares the cost of following them with baselines and
// with perfect foresight (alerts.go).
package departures

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// Options say what to replay.
type Options struct {
	Ask   string          // the subject of the rows, for the report; "": partenza
	Span  *departure.Span // judge the cheapest departure of these spans; nil: each departure
	From  fare.Day        // the first day to judge; 0: the first day of the panel
	To    fare.Day        // the last day of fares to use; 0: the last day of the panel
	Cycle int             // days from one refresh to the next; 0 means 1
}

// Run replays a panel: the rule, its rivals, and the rule on the references. If ctx ends first, it
// returns at once; the replay goes on in the background and its result is discarded.
func Run(ctx context.Context, t *Trips, o Options) (Report, error) {
	return within(ctx, func() (Report, error) { return replay(t, o) })
}

// within waits for a report until it is ready or ctx ends.
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

// answeredPanel holds a panel with the answers for its rows and their outcomes.
type answeredPanel struct {
	panel    *Trips
	outcomes []outcome
	answers  ruleAnswers
}

// ask replays a panel: departures, or the cheapest of spans.
func (t *Trips) ask(s *departure.Span) (a answeredPanel) {
	if s == nil {
		became := t.outcomes()
		return answeredPanel{t, became, t.replayRule(became, departure.Start(t.rows[0].day))}
	}
	a.panel, a.answers = t.minima(*s)
	a.outcomes = a.panel.outcomes()
	return a
}
