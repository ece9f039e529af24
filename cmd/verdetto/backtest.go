package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/backtest"
	"verdetto/cmd/verdetto/backtest/departures"
	"verdetto/cmd/verdetto/onemachine"
	"verdetto/shared/fare"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/verdict"
)

// The valid values of -ask: judge routes or single departures.
const askRoute, askDeparture = "rotta", "partenza"

// replay holds the flags of the command backtest.
type replay struct {
	files              []string
	price, ask, record string
	out                output
	firstDay           bool
	options            backtest.Options
}

func backtestCommand() *cobra.Command {
	var c replay
	command := newCommand("backtest", "replay recorded fares and measure how often verdicts were right", c.run)
	flags := command.Flags()
	flags.Func("fares", "the panel of recorded fares: a CSV `file`, plain or gzipped; with -record several, first the panel of the service's source", func(s string) error {
		c.files = append(c.files, s)
		return nil
	})
	flags.StringVar(&c.ask, "ask", askRoute, "the question: rotta (the cheapest fare of any date) or partenza (one departure)")
	flags.StringVar(&c.record, "record", "", "with -ask partenza: write the record of what followed stated chances to this `file`")
	flags.BoolVar(&c.firstDay, "first-day", false,
		"with -ask partenza: judge each day without earlier days, as a service does on its first day")
	flags.StringVar(&c.price, "price", "", "read one-way fares from this `column`, also in rows with a return_date")
	flags.IntVar(&c.options.Cycle, "cycle", 1, "`days` between two refreshes; 7 simulates a weekly refresh of a daily panel")
	flags.DurationVar(&c.options.Build.Fresh, "fresh", verdict.FreshFor,
		"the greatest age of a fare, before the newest fare of its day, that still counts for that day")
	c.out.flagJSON(command)
	flags.Func("from", "judge from this `day` on (YYYY-MM-DD); earlier fares are history; default: the first day", dayFlag(&c.options.From))
	flags.Func("to", "ignore fares after this `day`; default: the last day", dayFlag(&c.options.To))
	return command
}

// run starts the replay that the flags select.
func (c *replay) run(ctx context.Context) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.ask == askRoute {
		return c.routes(ctx)
	}
	return c.departures(ctx)
}

func dayFlag(day *fare.Day) func(string) error {
	return func(s string) (err error) {
		*day, err = fare.ParseDay(s)
		return err
	}
}

// check rejects invalid combinations of flags.
func (c *replay) check() error {
	o := c.options
	switch {
	case len(c.files) == 0:
		return fmt.Errorf("backtest needs -fares FILE: a panel of recorded fares")
	case len(c.files) > 1 && c.record == "":
		return fmt.Errorf("-fares %s: give one panel, or -record FILE for several", c.files[1])
	case c.record != "" && c.ask != askDeparture:
		return fmt.Errorf("-record %s: the record is about departures: use -ask %s", c.record, askDeparture)
	case o.Cycle < 1:
		return fmt.Errorf("-cycle %d: want a number of days, 1 or more", o.Cycle)
	case o.From != 0 && o.To != 0 && o.From > o.To:
		return fmt.Errorf("-from %s is after -to %s", o.From, o.To)
	case c.firstDay && (c.ask != askDeparture || c.record != ""):
		return fmt.Errorf("-first-day: the first day is about departures: use -ask %s, without -record", askDeparture)
	case c.ask != askRoute && c.ask != askDeparture:
		return fmt.Errorf("-ask %s: want %s or %s", c.ask, askRoute, askDeparture)
	}
	return nil
}

// routes replays the verdicts about routes.
func (c *replay) routes(ctx context.Context) error {
	file := c.files[0]
	recorded, partly, err := onemachine.OpenPanel(file, c.price, os.Stderr)
	if err != nil {
		return err
	}
	panel, last := backtest.Panel{}, fare.Day(0)
	if err := eachFare(ctx, recorded, func(f fare.Fare) {
		if f.Nights == 0 {
			panel[f.Route] = append(panel[f.Route], f.Observation)
			last = max(last, f.FoundDay())
		}
	}); err != nil {
		return err
	}
	if err := recorded.Report().UsableOneWay(); err != nil {
		return fmt.Errorf("read fares of %s: %w", file, err)
	}
	show := newMeter("routes replayed", nil).show
	c.options.Progress = func(done, total int, at fare.Route) { show(done, total, at.String()) }
	c.options.Build.Rates = ecb.Table().RatesOn(last)
	report, err := backtest.Run(ctx, panel, c.options)
	if err != nil {
		return fmt.Errorf("backtest %s: %w", file, err)
	}
	if err := c.out.print(report, report.Print); err != nil {
		return err
	}
	if partly {
		return errPartly
	}
	return nil
}

// eachFare calls do for every fare of a file.
func eachFare(ctx context.Context, recorded *csvfile.Panel, do func(fare.Fare)) error {
	origins, err := recorded.Origins(ctx)
	if err != nil {
		return err
	}
	for _, origin := range origins {
		answer, err := recorded.Fares(ctx, origin, time.Time{}, time.Unix(1<<40, 0))
		if err != nil {
			return err
		}
		for _, f := range answer.Fares {
			do(f)
		}
	}
	return nil
}

// departures replays single departures. It accepts every file format that departures.ReadTrips
// reads.
func (c *replay) departures(ctx context.Context) error {
	o := departures.Options{From: c.options.From, To: c.options.To, Cycle: c.options.Cycle}
	euro := func(day fare.Day) func(float64, string) (fare.Cents, bool) { return ecb.Table().RatesOn(day).Euro }
	var all []departures.NamedReport
	for _, file := range c.files {
		panel, err := departures.OpenTrips(file, departures.TripOptions{Price: c.price, Euro: euro})
		if err != nil {
			return err
		}
		o.Progress = newMeter("days replayed", nil).show
		if c.firstDay {
			report, err := departures.RunFirstDays(ctx, panel, o)
			if err != nil {
				return fmt.Errorf("backtest %s: %w", file, err)
			}
			return c.out.print(report, report.Print)
		}
		report, err := departures.Run(ctx, panel, o)
		if err != nil {
			return fmt.Errorf("backtest %s: %w", file, err)
		}
		if c.record == "" {
			return c.out.print(report, report.Print)
		}
		all = append(all, departures.Named(file, report))
	}
	return departures.WriteRecord(c.record, all)
}
