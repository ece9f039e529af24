// Package departures measures the rule that judges the fare of one departure. Package departures
// replays recorded fares day by day and compares the rule's answers with later fares of the same
// departure. Start at Run.
//
// A row is the fare of a departure on a day. The outcome of a row is known if the departure was seen
// again within the horizon, 7 or 14 days, and the panel covers the whole horizon. The rival (rival.go)
// is a simpler method. The references are copies of the panel with other prices.
package departures

import (
	"errors"

	"verdetto/cmd/backtest/stats"
	"verdetto/shared/verdict/departure"
)

func seen(t *Panel, o stats.Days) (*Panel, error) {
	t = t.thinned(max(o.Cycle, 1), o.To)
	if len(t.Rows) == 0 {
		return nil, errors.New("no fare was seen on the days asked for")
	}
	return t, nil
}

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

type answered struct {
	panel    *Panel
	outcomes []outcome
	answers  Answers
}

func ask(t *Panel) answered {
	became := outcomes(t)
	return answered{t, became, replayRule(t, became, departure.Start(t.first()))}
}

func Judge(t *Panel) Answers { return ask(t).answers }
