// Package departures measures the rule for one departure: it replays a panel of
// recorded fares day by day, asks the rule about each fare of each departure from
// what was seen before that day, and compares the answer with what became of that
// very departure.
//
// Beside the rule stand what a user could take instead (rivals.go), on the rows
// that both answer, and two worlds between which a claim of skill lies
// (references.go): one where nothing can be known and one of pure reversion.
// The rule is the service's own; nothing of it is repeated here.
//
// RunAlerts replays alerts by the service's rule of who is told of what, and
// compares what following them would have cost with what knows nothing and with
// what could not be better (alerts.go).
package departures

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// Options say what is replayed.
type Options struct {
	Ask   string          // what the rows of the panel are, as the report calls it; "": partenza
	Span  *departure.Span // asked is about the cheapest of these; nil: about each departure
	From  fare.Day        // the first day that is judged; 0: the first of the panel
	To    fare.Day        // the last day that is looked at; 0: the last of the panel
	Cycle int             // days from one refresh to the next; 0 is 1
}

// Run replays a panel: the rule, its rivals, and the rule on the references.
// Where the context ends first it returns at once, and what was begun ends unheard.
func Run(ctx context.Context, t *Trips, o Options) (Report, error) {
	return within(ctx, func() (Report, error) { return replay(t, o) })
}

// within waits for a report no longer than a context lasts.
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
	tasks.Go(func() { m.rivals = m.asked.rivals() })
	tasks.Go(func() {
		m.report.References = []Reference{
			m.reference("random walk", t.randomWalk().ask(o.Span), o), m.reference("shuffled",
				t.shuffled().ask(o.Span), o),
		}
	})
	tasks.Wait()
	return m.measure()
}

// asked is a panel with what was said of its rows, and what became of them.
type asked struct {
	panel  *Trips
	became []outcome
	said   said
}

// ask replays a panel: departures, or the cheapest of spans of them.
func (t *Trips) ask(s *departure.Span) (a asked) {
	if s == nil {
		became := t.outcomes()
		return asked{t, became, t.replayRule(became)}
	}
	a.panel, a.said = t.minima(*s)
	a.became = a.panel.outcomes()
	return a
}
