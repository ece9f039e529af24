package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"verdetto/cmd/verdetto/backtest"
	"verdetto/cmd/verdetto/backtest/departures"
	"verdetto/cmd/verdetto/onemachine"
	"verdetto/shared/fare"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/verdict"
)

func runBacktest(ctx context.Context, args []string) error {
	var file, price, ask string
	var asJSON bool
	var flexible int
	var o backtest.Options
	flags := flag.NewFlagSet("backtest", flag.ContinueOnError)
	flags.StringVar(&file, "fares", "", "the panel of recorded fares: a CSV `file`, plain or gzipped")
	flags.StringVar(&ask, "ask", askRoute, "the question: rotta (is the route's cheapest fare of any date cheap), partenza (that of one departure) or mese (the cheapest of a month)")
	flags.IntVar(&flexible, "flessibile", 0, "with -ask partenza: the cheapest departure within so many `days` either side")
	flags.StringVar(&price, "price", "", "take this `column` as the one-way fare, whatever return_date says")
	flags.IntVar(&o.Cycle, "cycle", 1, "`days` from one refresh to the next: 7 sees a daily panel as the service would, once a week")
	flags.DurationVar(&o.Build.Fresh, "fresh", verdict.FreshFor, "how much older than the newest fare of a day another may be and still count among those of that day")
	flags.BoolVar(&asJSON, "json", false, "print the same numbers as JSON")
	flags.Func("from", "judge from this `day` on (YYYY-MM-DD); earlier fares are history; default: from the first", dayFlag(&o.From))
	flags.Func("to", "look at nothing after this `day`; default: to the last", dayFlag(&o.To))
	if err := parse(flags, args); err != nil {
		return err
	}
	switch {
	case file == "":
		return fmt.Errorf("backtest needs -fares FILE: a panel of recorded fares")
	case o.Cycle < 1:
		return fmt.Errorf("-cycle %d: want a number of days, 1 or more", o.Cycle)
	case o.From != 0 && o.To != 0 && o.From > o.To:
		return fmt.Errorf("-from %s is after -to %s", o.From, o.To)
	}
	switch {
	case flexible < 0 || flexible > maxFlexible || flexible > 0 && ask != askDeparture:
		return fmt.Errorf("-flessibile %d: want 0 to %d days, with -ask %s", flexible, maxFlexible, askDeparture)
	case ask == askDeparture, ask == askMonth:
		return backtestDepartures(ctx, file, price, departures.Options{Ask: ask, From: o.From, To: o.To, Cycle: o.Cycle}, flexible, asJSON)
	case ask != askRoute:
		return fmt.Errorf("-ask %s: want %s, %s or %s", ask, askRoute, askDeparture, askMonth)
	}
	var columns []csvfile.Option
	if price != "" {
		columns = append(columns, csvfile.Price(price))
	}
	recorded, partly, err := onemachine.OpenPanel(file, os.Stderr, columns...)
	if err != nil {
		return err
	}
	panel, err := panelOf(ctx, recorded)
	if err != nil {
		return err
	}
	if dropped := recorded.Report().Dropped; len(panel) == 0 && len(dropped) > 0 {
		return fmt.Errorf("no row of %s is a comparable one-way fare: %v (-price names a column of one-way fares)", file, dropped)
	}
	advance := progress("routes replayed")
	o.Progress = func(done, total int, at fare.Route) { advance(done, total, at.String()) }
	o.Build.Rates = ecb.Table().On(lastDay(panel))
	report, err := backtest.Run(ctx, panel, o)
	if err != nil {
		return fmt.Errorf("backtest %s: %w", file, err)
	}
	if err := show(report, asJSON); err != nil {
		return err
	}
	if partly {
		return errPartly
	}
	return nil
}

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
	return show(report, asJSON)
}

// show writes a report to the standard output.
func show(report interface{ Print(io.Writer) }, asJSON bool) error {
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

func dayFlag(day *fare.Day) func(string) error {
	return func(s string) (err error) {
		*day, err = fare.ParseDay(s)
		return err
	}
}

// lastDay is the last day on which a panel was observed.
func lastDay(panel backtest.Panel) (last fare.Day) {
	for _, observations := range panel {
		for _, o := range observations {
			last = max(last, o.FoundDay())
		}
	}
	return last
}

// panelOf is all one-way fares of a file by route.
func panelOf(ctx context.Context, recorded *csvfile.Panel) (backtest.Panel, error) {
	origins, err := recorded.Origins(ctx)
	if err != nil {
		return nil, err
	}
	panel := backtest.Panel{}
	for _, origin := range origins {
		answer, err := recorded.Fares(ctx, origin, time.Time{}, time.Unix(1<<40, 0))
		if err != nil {
			return nil, err
		}
		for _, f := range answer.Fares {
			if f.Nights != 0 {
				continue
			}
			panel[f.Route] = append(panel[f.Route], f.Observation)
		}
	}
	return panel, nil
}
