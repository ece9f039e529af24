// Package departures measures the rule that judges the fare of one departure. It replays recorded
// fares day by day. The rule judges each fare, knowing earlier days only. The replay compares the
// answer with later prices of the same departure. Start at Run.
//
// The rival (rival.go) is a simple method that a user could apply instead of the rule. The two are
// compared on the rows that both answer. References (references.go) are copies of the panel with
// invented prices, unpredictable or fully predictable ones, which show the lowest and highest
// possible skill. The rule is the service's own and is not implemented again here.
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
	From  fare.Day // the first day to judge; 0: the first day of the panel
	To    fare.Day // the last day of fares to use; 0: the last day of the panel
	Cycle int      // days from one refresh to the next; 0 means 1
	// Progress, if set, is called after each day. Calls do not overlap.
	Progress func(done, total int, at string)
}

// Run replays recorded fares: the rule and its rival on the recorded prices, and the rule on the
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
	t = t.showing(o.Progress, 3*(len(t.days())-1)) // with two references
	m := newReporter(t.ask(), o)
	var tasks sync.WaitGroup
	tasks.Go(func() { m.rival = m.answeredPanel.sameLead() })
	tasks.Go(func() {
		m.report.References = []Reference{
			m.reference("random walk", t.randomWalk().ask(), o), m.reference("shuffled", t.shuffled().ask(), o),
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

// ask replays the rule over a panel (observed fares).
func (t *Trips) ask() answeredPanel {
	became := t.outcomes()
	return answeredPanel{t, became, t.replayRule(became, departure.Start(t.rows[0].day))}
}
