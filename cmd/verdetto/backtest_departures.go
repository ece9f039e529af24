package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"verdetto/cmd/verdetto/backtest/departures"
	"verdetto/shared/fare"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/verdict/departure"
)

// The questions that can be asked of a panel, by their published names.
const askRoute, askDeparture, askMonth = "rotta", "partenza", "mese"

// flexibleSpans are the days either side of a date that can be asked for.
var flexibleSpans = map[int]departure.Span{1: departure.Within1, 3: departure.Within3, 7: departure.Within7}

// backtestDepartures replays single departures, or the cheapest of spans of them. It takes any panel as it is.
func backtestDepartures(ctx context.Context, file, price string, o departures.Options, flexible int, asJSON bool) error {
	panel, err := openTrips(file, price)
	if err != nil {
		return err
	}
	if flexible > 0 {
		o.Ask = fmt.Sprintf("flessibile %d", flexible)
	}
	report, err := departures.Run(ctx, panel, o)
	if err != nil {
		return fmt.Errorf("backtest %s: %w", file, err)
	}
	return printReport(report, asJSON)
}

// backtestAlerts replays alerts on single departures, or on routes.
func backtestAlerts(ctx context.Context, file, price string, o departures.Options, asJSON bool) error {
	panel, err := openTrips(file, price)
	if err != nil {
		return err
	}
	report, err := departures.RunAlerts(ctx, panel, o)
	if err != nil {
		return fmt.Errorf("backtest %s: %w", file, err)
	}
	return printReport(report, asJSON)
}

func openTrips(file, price string) (*departures.Trips, error) {
	return departures.OpenTrips(file, departures.TripOptions{
		Price: price,
		Euro:  func(day fare.Day) func(float64, string) (fare.Cents, bool) { return ecb.Table().On(day).Euro },
	})
}

// writeRecord replays panels and writes what followed the chances that were stated.
func writeRecord(ctx context.Context, path string, files []string, price string, o departures.Options) error {
	var all []departures.NamedReport
	for _, file := range files {
		panel, err := openTrips(file, price)
		if err != nil {
			return err
		}
		report, err := departures.Run(ctx, panel, o)
		if err != nil {
			return fmt.Errorf("backtest %s: %w", file, err)
		}
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		all = append(all, departures.NamedReport{Name: name, Report: report})
	}
	record, err := departures.Record(all)
	if err != nil {
		return err
	}
	data, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	data = bytes.ReplaceAll(data, []byte(`{"from"`), []byte("\n{\"from\"")) // a band, a line: for who reads a difference
	if err := os.WriteFile(path, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
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
