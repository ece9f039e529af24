package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"verdetto/cmd/verdetto/backtest/scorecard"
	"verdetto/cmd/verdetto/onemachine"
	published "verdetto/functions/analisi/scorecard"
	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/upstream/ecb"
)

// scorecardForms are the formats of -scorecard.
var scorecardForms = []string{"json", "csv", "html"}

// backtestScorecard replays a panel (observed fares) and writes the score that a service would have
// published at GET /v1/pagella and /pagella.
func backtestScorecard(ctx context.Context, file, price, form string, o scorecard.Options) error {
	recorded, partly, err := onemachine.OpenPanel(file, price, os.Stderr)
	if err != nil {
		return err
	}
	panel, last := scorecard.Panel{}, fare.Day(0)
	if err := eachFare(ctx, recorded, func(f fare.Fare) {
		panel[f.Series()] = append(panel[f.Series()], f.Observation)
		last = max(last, f.FoundDay())
	}); err != nil {
		return err
	}
	show := newMeter("refreshes replayed", nil).show
	o.Progress = func(done, total int, day fare.Day) { show(done, total, day.String()) }
	o.Rates, o.Source = ecb.Table().RatesOn(last), recorded.Name()
	result, err := scorecard.Run(ctx, panel, o)
	if err != nil {
		return fmt.Errorf("backtest %s: %w", file, err)
	}
	p := published.Publish(result.Sum, result.Weeks)
	var body []byte
	switch form {
	case "csv":
		body = p.CSV()
	case "html":
		shown, err := published.Page(p, i18n.Default(), false)
		if err != nil {
			return err
		}
		body = shown.Body
	default:
		if body, err = json.MarshalIndent(p, "", "  "); err != nil {
			return fmt.Errorf("write score: %w", err)
		}
		body = append(body, '\n')
	}
	if _, err := os.Stdout.Write(body); err != nil {
		return fmt.Errorf("write score: %w", err)
	}
	if partly {
		return errPartly
	}
	return nil
}
