// Command backtest replays files of recorded fares and measures how fares developed after each
// verdict. docs/evidence.md states the results.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"verdetto/cmd/backtest/departures"
	"verdetto/cmd/backtest/routes"
	"verdetto/cmd/backtest/stats"
	"verdetto/shared/fare"
)

const askRoute, askDeparture = "rotta", "partenza"

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

type settings struct {
	files                    []string
	ask, price, record, form string
	days                     stats.Days
	firstDay                 bool
}

func run(args []string, stdout, stderr io.Writer) error {
	var c settings
	flags := flag.NewFlagSet("backtest", flag.ExitOnError)
	flags.Func("fares", "the panel of recorded fares: a CSV `file`, plain or gzipped; with -record several, first the panel of the service's source",
		func(s string) error { c.files = append(c.files, s); return nil })
	flags.StringVar(&c.ask, "ask", askRoute, "the question: rotta (the cheapest fare of any date) or partenza (one departure)")
	flags.StringVar(&c.price, "price", "", "read one-way fares from this `column`, also in rows with a return_date")
	flags.IntVar(&c.days.Cycle, "cycle", 1, "`days` between two refreshes; 7 simulates a weekly refresh of a daily panel")
	flags.BoolVar(&c.firstDay, "first-day", false, "with -ask partenza: judge each day without earlier days, as a service does on its first day")
	flags.Func("from", "judge from this `day` on (YYYY-MM-DD); earlier fares are history; default: the first day", dayFlag(&c.days.From))
	flags.Func("to", "ignore fares after this `day`; default: the last day", dayFlag(&c.days.To))
	flags.StringVar(&c.record, "record", "", "with -ask partenza: write the record of what followed stated chances to this `file`")
	flags.StringVar(&c.form, "o", "text", "the `form` of the result: text or json")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("backtest takes no argument %q; see -help", flags.Arg(0))
	}
	if err := c.check(); err != nil {
		return err
	}
	var all []departures.NamedReport
	for _, file := range c.files {
		result, err := c.replay(file, stderr)
		if err != nil {
			return fmt.Errorf("backtest %s: %w", file, err)
		}
		if c.record == "" {
			return c.print(stdout, result)
		}
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		all = append(all, departures.NamedReport{Name: name, Report: result.(departures.Report)})
	}
	return departures.WriteRecord(c.record, all)
}

func dayFlag(day *fare.Day) func(string) error {
	return func(s string) (err error) {
		*day, err = fare.ParseDay(s)
		return err
	}
}

func (c settings) check() error {
	switch {
	case len(c.files) == 0:
		return fmt.Errorf("backtest needs -fares FILE: a panel of recorded fares")
	case len(c.files) > 1 && c.record == "":
		return fmt.Errorf("-fares %s: give one panel, or -record FILE for several", c.files[1])
	case c.ask != askRoute && c.ask != askDeparture:
		return fmt.Errorf("-ask %s: want %s or %s", c.ask, askRoute, askDeparture)
	case c.record != "" && c.ask != askDeparture:
		return fmt.Errorf("-record %s: the record is about departures: use -ask %s", c.record, askDeparture)
	case c.firstDay && (c.ask != askDeparture || c.record != ""):
		return fmt.Errorf("-first-day: the first day is about departures: use -ask %s, without -record", askDeparture)
	case c.days.Cycle < 1:
		return fmt.Errorf("-cycle %d: want a number of days, 1 or more", c.days.Cycle)
	case c.days.From != 0 && c.days.To != 0 && c.days.From > c.days.To:
		return fmt.Errorf("-from %s is after -to %s", c.days.From, c.days.To)
	case c.form != "text" && c.form != "json":
		return fmt.Errorf("-o %s: want text or json", c.form)
	}
	return nil
}

type report interface{ Print(out io.Writer) }

func (c settings) replay(file string, messages io.Writer) (report, error) {
	if c.ask == askRoute {
		p, err := routes.Open(file, c.price, messages)
		if err != nil {
			return nil, err
		}
		return routes.Run(p, c.days)
	}
	p, err := departures.Open(file, c.price)
	if err != nil {
		return nil, err
	}
	if c.firstDay {
		return departures.RunFirstDays(p, c.days)
	}
	return departures.Run(p, c.days)
}

func (c settings) print(out io.Writer, r report) error {
	if c.form == "text" {
		r.Print(out)
		return nil
	}
	to := json.NewEncoder(out)
	to.SetIndent("", "  ")
	if err := to.Encode(r); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}
