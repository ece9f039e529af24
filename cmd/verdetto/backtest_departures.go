package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"verdetto/cmd/verdetto/backtest/departures"
	"verdetto/shared/fare"
	"verdetto/shared/upstream/ecb"
)

// The questions that can be asked of a panel, by their published names.
const askRoute, askDeparture, askMonth = "rotta", "partenza", "mese"

// maxFlexible is how many days either side of a date can be asked for.
const maxFlexible = 15

// backtestDepartures replays single departures, or the cheapest of spans of them. It takes any panel as it is.
func backtestDepartures(ctx context.Context, file, price string, o departures.Options, flexible int, asJSON bool) error {
	panel, err := departures.OpenTrips(file, departures.TripOptions{
		Price: price,
		Euro:  func(day fare.Day) func(float64, string) (fare.Cents, bool) { return ecb.Table().On(day).Euro },
	})
	if err != nil {
		return err
	}
	switch {
	case o.Ask == askMonth:
		panel = panel.Months()
	case flexible > 0:
		o.Ask = fmt.Sprintf("flessibile %d", flexible)
		panel = panel.Within(flexible)
	}
	report, err := departures.Run(ctx, panel, o)
	if err != nil {
		return fmt.Errorf("backtest %s: %w", file, err)
	}
	return printReport(report, asJSON)
}

// printReport writes a report to the standard output.
func printReport(report interface{ Print(io.Writer) }, asJSON bool) error {
	if !asJSON {
		report.Print(os.Stdout)
		return nil
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	if err := out.Encode(report); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
