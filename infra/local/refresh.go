package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/places"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/ecb"
)

func refreshOnce(ctx context.Context, args []string) error {
	var c choices
	var origins, base string
	flags := flag.NewFlagSet("refresh", flag.ContinueOnError)
	c.flags(flags)
	flags.StringVar(&origins, "origins", "", "only these `cities`, by IATA code, parted by commas; default: all that the source knows")
	flags.StringVar(&c.mail, "mail", "", "tell subscribers the news, into this `folder`; default: the news is left for serve, or for a later refresh")
	flags.StringVar(&base, "base", "http://127.0.0.1:8080", "`URL` of the service, which links in the mail begin with")
	if err := parse(flags, args); err != nil {
		return err
	}
	if err := c.settle(); err != nil {
		return err
	}
	if c.store == "" {
		return fmt.Errorf("refresh needs -store: without one there is nothing to keep")
	}
	only, err := cityList(origins)
	if err != nil {
		return err
	}
	// The source first: where it cannot be read, no store is made for nothing.
	source, partly, err := c.openUpstream(ctx, os.Stdout)
	if err != nil {
		return err
	}
	table, err := c.openStore(ctx)
	if err != nil {
		return err
	}
	defer table.Close()
	report, err := runRefresh(ctx, &c, table, source, only)
	if err != nil {
		return err
	}
	report.Print(os.Stdout)
	if c.mail != "" {
		if err := c.tellOnce(ctx, table, strings.TrimRight(base, "/")); err != nil {
			return err
		}
	}
	if report.Failed > 0 {
		return fmt.Errorf("%d of %d origins failed; run it again to ask for them", report.Failed, report.Origins)
	}
	if partly {
		return errPartly
	}
	return nil
}

// cityList reads city or airport codes parted by commas.
func cityList(s string) ([]fare.City, error) {
	if s == "" {
		return nil, nil
	}
	var cities []fare.City
	for part := range strings.SplitSeq(s, ",") {
		city, ok := places.CityOf(strings.ToUpper(strings.TrimSpace(part)))
		if !ok {
			return nil, fmt.Errorf("-origins: %q is not the IATA code of a city or airport we know", part)
		}
		cities = append(cities, city)
	}
	return cities, nil
}

// runRefresh refreshes with a progress line.
func runRefresh(ctx context.Context, c *choices, table store.Table, source upstream.Source, only []fare.City) (refresh.Report, error) {
	show := progress()
	r := refresh.Refresher{
		Source: source, Fares: store.Fares{Table: table}, Now: c.now,
		Rates:    c.rates(ctx, source),
		Progress: func(done, total int, o refresh.Outcome) { show(done, total, string(o.Origin)) },
	}
	return r.Run(ctx, only...)
}

// rates are those that price trends convert at: the newest for the real source,
// and for recorded or invented fares those of the clock's day.
func (c *choices) rates(ctx context.Context, source upstream.Source) fare.Rates {
	if source.Name() == "travelpayouts" {
		return ecb.Current(ctx, &ecb.Feed{}, ecb.Table(), c.log)
	}
	return ecb.Table().On(fare.DayOf(c.now()))
}

// progress draws a bar on a terminal, and says nothing into a file but at the end.
func progress() func(done, total int, what string) {
	begun := time.Now()
	terminal := term.IsTerminal(int(os.Stderr.Fd()))
	return func(done, total int, what string) {
		const width = 30
		if terminal {
			full := width * done / total
			fmt.Fprintf(os.Stderr, "\r[%s%s] %d/%d %-12s", strings.Repeat("#", full), strings.Repeat(".", width-full), done, total, what)
		}
		if done == total {
			if terminal {
				fmt.Fprint(os.Stderr, "\r\033[K")
			}
			fmt.Fprintf(os.Stderr, "%d origins in %.1f s\n", total, time.Since(begun).Seconds())
		}
	}
}
