package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"verdetto/cmd/verdetto/backtest"
	"verdetto/cmd/verdetto/backtest/departures"
	"verdetto/cmd/verdetto/backtest/scorecard"
	"verdetto/cmd/verdetto/onemachine"
	"verdetto/shared/fare"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

func runBacktest(ctx context.Context, args []string) error {
	var files []string
	var price, ask, record, form string
	var asJSON, scored, alerts bool
	var flexible int
	var o backtest.Options
	flags := flag.NewFlagSet("backtest", flag.ContinueOnError)
	flags.Func("fares", "the panel of recorded fares: a CSV `file`, plain or gzipped; with -record one after another, first that of the service's kind of source", func(s string) error {
		files = append(files, s)
		return nil
	})
	flags.StringVar(&ask, "ask", "", "the question (default "+askRoute+"; with -alerts "+askDeparture+"): rotta (is the route's cheapest fare of any date cheap), partenza (that of one departure) or mese (the cheapest of a month)")
	flags.IntVar(&flexible, "flessibile", 0, "with -ask partenza: the cheapest departure within so many `days` either side: 1, 3 or 7")
	flags.StringVar(&record, "record", "", "with -ask partenza: write what followed the stated chances of all panels to this `file`, as answers cite it")
	flags.BoolVar(&alerts, "alerts", false, "replay alerts on single departures, or with -ask rotta on routes: how often each kind tells, and what who follows it pays")
	flags.BoolVar(&scored, "scorecard", false, "replay the panel as a service sees it, and write the score that it would have kept of itself, as GET /v1/pagella does")
	flags.StringVar(&form, "form", "json", "with -scorecard: write it as json, csv or html (the page)")
	flags.StringVar(&price, "price", "", "take this `column` as the one-way fare, whatever return_date says")
	flags.IntVar(&o.Cycle, "cycle", 1, "`days` from one refresh to the next: 7 sees a daily panel as the service would, once a week")
	flags.DurationVar(&o.Build.Fresh, "fresh", verdict.FreshFor, "how much older than the newest fare of a day another may be and still count among those of that day")
	flags.BoolVar(&asJSON, "json", false, "print the same numbers as JSON")
	flags.Func("from", "judge from this `day` on (YYYY-MM-DD); earlier fares are history; default: from the first", dayFlag(&o.From))
	flags.Func("to", "look at nothing after this `day`; default: to the last", dayFlag(&o.To))
	if err := parse(flags, args); err != nil {
		return err
	}
	if ask == "" {
		ask = askRoute
		if alerts {
			ask = askDeparture
		}
	}
	switch {
	case len(files) == 0:
		return fmt.Errorf("backtest needs -fares FILE: a panel of recorded fares")
	case len(files) > 1 && record == "":
		return fmt.Errorf("-fares %s: want one panel, or -record FILE to put several together", files[1])
	case record != "" && (ask != askDeparture || flexible > 0):
		return fmt.Errorf("-record %s: the record is of single departures: want -ask %s, and no -flessibile", record, askDeparture)
	case o.Cycle < 1:
		return fmt.Errorf("-cycle %d: want a number of days, 1 or more", o.Cycle)
	case o.From != 0 && o.To != 0 && o.From > o.To:
		return fmt.Errorf("-from %s is after -to %s", o.From, o.To)
	}
	if scored {
		switch {
		case !scorecardForms[form]:
			return fmt.Errorf("-form %s: want json, csv or html", form)
		case o.From != 0 || alerts || ask != askRoute || record != "" || flexible != 0:
			return fmt.Errorf("-scorecard: the score is of all that is said from the first day on: want no -from, -ask, -record, -flessibile or -alerts")
		}
		return backtestScorecard(ctx, files[0], price, form, scorecard.Options{To: o.To, Cycle: o.Cycle})
	}
	if alerts {
		if ask != askRoute && ask != askDeparture || record != "" || flexible != 0 {
			return fmt.Errorf("-alerts: alerts are asked for on single departures or on routes: want -ask %s or %s, and no -record or -flessibile", askDeparture, askRoute)
		}
		return backtestAlerts(ctx, files[0], price, departures.Options{Ask: ask, From: o.From, To: o.To, Cycle: o.Cycle}, asJSON)
	}
	span, known := flexibleSpans[flexible]
	switch {
	case flexible != 0 && (!known || ask != askDeparture):
		return fmt.Errorf("-flessibile %d: want 1, 3 or 7 days, with -ask %s", flexible, askDeparture)
	case ask == askDeparture, ask == askMonth:
		o := departures.Options{Ask: ask, From: o.From, To: o.To, Cycle: o.Cycle}
		switch {
		case ask == askMonth:
			span = departure.Month
			o.Span = &span
		case known:
			o.Span = &span
		}
		if record != "" {
			return writeRecord(ctx, record, files, price, o)
		}
		return backtestDepartures(ctx, files[0], price, o, flexible, asJSON)
	case ask != askRoute:
		return fmt.Errorf("-ask %s: want %s, %s or %s", ask, askRoute, askDeparture, askMonth)
	}
	file := files[0]
	recorded, partly, err := onemachine.OpenPanel(file, price, os.Stderr)
	if err != nil {
		return err
	}
	panel, err := panelOf(ctx, recorded)
	if err != nil {
		return err
	}
	if err := recorded.Report().UsableOneWay(); err != nil {
		return fmt.Errorf("read fares of %s: %w", file, err)
	}
	show := progress("routes replayed")
	o.Progress = func(done, total int, at fare.Route) { show(done, total, at.String()) }
	o.Build.Rates = ecb.Table().On(lastDay(panel))
	report, err := backtest.Run(ctx, panel, o)
	if err != nil {
		return fmt.Errorf("backtest %s: %w", file, err)
	}
	if err := printReport(report, asJSON); err != nil {
		return err
	}
	if partly {
		return errPartly
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
