// Package departures measures the rule that judges the fare of one departure. It replays recorded
// fares day by day. The rule judges each fare, knowing only earlier days, and the replay compares
// the answer with later fares of the same departure. Start at Run.
//
// A row is the fare of a departure on a day. Its outcome is known if the departure was seen again
// within the horizon, 7 or 14 days, and the panel covers these days. The rival (rival.go) is a
// simple method that a user could apply instead of the rule. The references are the same panel with
// invented prices. The rule is the service's own and is not implemented again here.
package departures

import (
	"errors"

	"verdetto/cmd/backtest/stats"
	"verdetto/shared/verdict/departure"
)

// seen returns the part of a panel that a service sees on the days asked for.
func seen(t *Panel, o stats.Days) (*Panel, error) {
	t = t.thinned(max(o.Cycle, 1), o.To)
	if len(t.Rows) == 0 {
		return nil, errors.New("no fare was seen on the days asked for")
	}
	return t, nil
}

// Run replays a panel: the rule and its rival on the recorded prices, and the rule on the prices of
// the references.
func Run(t *Panel, o stats.Days) (Report, error) {
	t, err := seen(t, o)
	if err != nil {
		return Report{}, err
	}
	m := newReporter(ask(t), o)
	m.rival = m.sameLead()
	m.report.References = []Reference{
		m.reference("random walk", ask(t.randomWalk()), o), m.reference("shuffled", ask(t.shuffled()), o),
	}
	return m.measure()
}

// answered is a panel with the rule's answer and the outcome of each row.
type answered struct {
	panel    *Panel
	outcomes []outcome
	answers  Answers
}

// ask replays the rule over a panel.
func ask(t *Panel) answered {
	became := outcomes(t)
	return answered{t, became, replayRule(t, became, departure.Start(t.first()))}
}

// Judge returns the rule's answers about a panel.
func Judge(t *Panel) Answers { return ask(t).answers }
