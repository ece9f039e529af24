package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"verdetto/functions/analisi"
	"verdetto/functions/analisi/agents"
	"verdetto/functions/pricetrends"
	"verdetto/shared/httpapi"
	"verdetto/shared/limit"
	"verdetto/shared/page"
	"verdetto/shared/store"
	"verdetto/shared/trends/view"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict"
)

func serve(ctx context.Context, args []string) error {
	var c choices
	var listen string
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	c.flags(flags)
	flags.StringVar(&c.mail, "mail", "mail", "`folder` that mail is written into")
	flags.StringVar(&c.money, "money", "play", "how Pro is paid: `play`, with stand-ins for Stripe and Solana on this machine, or real, configured as the Lambda function is")
	flags.StringVar(&c.base, "base", "", "`URL` of the service, which links begin with; default: VERDETTO_BASE_URL with real money, else the address that is answered on")
	flags.StringVar(&listen, "listen", "127.0.0.1:8080", "`address` to answer on")
	if err := parse(flags, args); err != nil {
		return err
	}
	if err := c.settle(); err != nil {
		return err
	}
	// What can be wrong is opened before anything is promised, and the store last: it may have to be made.
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("listen: %w; choose another with -listen", err)
	}
	defer listener.Close()
	if err := c.settleBase(listener.Addr()); err != nil {
		return err
	}
	source, partly, err := c.openUpstream(ctx, os.Stdout)
	if err != nil {
		return err
	}
	table, err := c.openStore(ctx)
	if err != nil {
		return err
	}
	defer table.Close()

	weekly := func() error {
		report, err := runRefresh(ctx, &c, table, source, nil)
		if err == nil {
			report.Print(os.Stdout)
		}
		return err
	}
	if source.Name() == "travelpayouts" {
		// Asking for every city takes a quarter of an hour: answer meanwhile.
		go keepFresh(ctx, &c, weekly, 0)
	} else {
		if err := weekly(); ctx.Err() != nil {
			return nil // stopped before it began
		} else if err != nil {
			return err
		}
		go keepFresh(ctx, &c, weekly, verdict.LiveDays*24*time.Hour)
	}

	pepper, err := pepperOf(ctx, table)
	if err != nil {
		return err
	}
	money, err := c.openTill(ctx, table, pepper, c.base, here(listener.Addr()))
	if err != nil {
		return err
	}
	defer money.close()
	c.pro = money.service
	if c.alerts, err = c.openAlerts(ctx, table, pepper, c.base); err != nil {
		return err
	}
	sender, err := c.openSender(table, pepper, c.base)
	if err != nil {
		return err
	}
	go keepTelling(ctx, c.log, sender)
	server := &http.Server{
		Handler:           whole(&c, table, source, pepper),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	examples(listener.Addr().String(), source.Name())
	money.examples(listener.Addr().String(), c.mail)
	alertExamples(listener.Addr().String(), c.mail)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := server.Shutdown(grace); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("shut down: %w", err)
	}
	if partly {
		return errPartly
	}
	return nil
}

// keepFresh refreshes after a while and then every cycle, until the process ends.
func keepFresh(ctx context.Context, c *choices, weekly func() error, after time.Duration) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(after):
		}
		if err := weekly(); err != nil {
			c.log.Error("refresh failed", "error", err)
		}
		after = verdict.LiveDays * 24 * time.Hour
	}
}

// whole is the whole service.
func whole(c *choices, table store.Table, source upstream.Source, pepper []byte) *httpapi.API {
	settings := httpapi.Config{
		Now: c.now, Log: c.log, Pepper: pepper, OriginSecrets: c.originSecrets,
		Limiter: limit.New(table, c.now), Customers: store.Customers{Table: table}, Pages: page.Problems,
	}
	if source.Name() == "sample" {
		settings.Data = "sample"
	}
	api := httpapi.New(settings)
	fares := store.Fares{Table: table}
	verdicts := &analisi.Service{Summaries: fares, OriginRequests: fares, Coverage: fares, Now: c.now, Log: c.log, BaseURL: c.base}
	verdicts.Register(api)
	moves := &view.Reader{Fares: fares, Now: c.now}
	(&pricetrends.Service{Trends: moves}).Register(api)
	(&agents.Service{Verdicts: verdicts, Trends: moves, Log: c.log}).Register(api)
	if c.pro != nil {
		c.pro.Register(api)
	}
	if c.alerts != nil {
		c.alerts.Register(api)
	}
	return api
}

func examples(address, source string) {
	fmt.Printf("\nanswering on http://%s", address)
	if source == "sample" {
		fmt.Print(" with invented fares (X-Data: sample)")
	}
	fmt.Printf("; open that, or try\n\n  curl 'http://%[1]s/v1/analisi?origine=Milano&destinazione=Bucarest'\n"+
		"  curl 'http://%[1]s/v1/analisi?origine=Londra&destinazione=Roma'\n"+
		"  curl 'http://%[1]s/v1/analisi?origine=Milano&destinazione=Barcelonna'\n\nstop with Ctrl-C\n", address)
}
