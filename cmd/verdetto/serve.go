package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/monitor"
	"verdetto/cmd/verdetto/onemachine"
	"verdetto/shared/runtime/config"
	"verdetto/shared/store"
)

func serveCommand() *cobra.Command {
	var o serveOptions
	c := newCommand("serve", "run the whole service in one process", func(ctx context.Context) error {
		return serve(ctx, &o)
	})
	takeSettings(c, o.flags(c))
	return c
}

func serve(ctx context.Context, o *serveOptions) error {
	if err := settingsError(o.faults()); err != nil {
		return err
	}
	s, err := o.service()
	if err != nil {
		return err
	}
	s.Monitor = monitor.New()
	s.Log = slog.New(s.Monitor.Log(s.Log.Handler()))
	s.Mail, s.RealPayments, s.JobDelay = o.mail, o.money == realMoney, store.RandomDelay
	if err := config.Load(&s.Telegram); err != nil {
		return err
	}
	// Open the listener and the source first, because opening them can fail. Open the store last,
	// because opening it may create a file.
	listener, err := o.reach.open(&s, o.store)
	if err != nil {
		return err
	}
	defer o.close()
	if s.BaseURL, err = onemachine.BaseURL(o.links(o.base), s.RealPayments, listener.Addr()); err != nil {
		return err
	}
	partly, err := o.options.open(ctx, &s, os.Stdout)
	if err != nil {
		return err
	}
	defer s.Table.Close()
	if s.Pepper, err = onemachine.Pepper(ctx, s.Table); ctx.Err() != nil {
		return nil // stopped before it began
	} else if err != nil {
		return err
	}
	if err := s.Watch(ctx, o.store, o.metrics); err != nil {
		return err
	}
	if err := startRefreshing(ctx, s, o.log == jsonLog); ctx.Err() != nil {
		return nil // stopped before it began
	} else if err != nil {
		return err
	}
	service, err := onemachine.New(s)
	if err != nil {
		return err
	}
	defer service.Close()
	routes, err := s.Examples(ctx)
	if err != nil {
		return err
	}
	if o.log == jsonLog { // standard output is for programs too
		slog.New(logTo(os.Stdout, o.log)).InfoContext(ctx, "serving", "url", o.url(listener.Addr()))
	} else {
		examples(o.url(listener.Addr()), s, routes, service.Payments)
	}
	if err := service.Serve(ctx, listener); err != nil {
		return err
	}
	if partly {
		return errPartly
	}
	return nil
}

// startRefreshing starts the refreshes of the store, which continue in the background.
func startRefreshing(ctx context.Context, s onemachine.Options, logged bool) error {
	refreshes := onemachine.Refreshes{
		All: func(ctx context.Context) error {
			if logged { // the log is JSON for programs: no bar and no table
				report, err := s.Refresh(ctx, nil)
				s.Log.InfoContext(ctx, "refreshed", "origins", report.Origins, "asked", report.Answered, "failed", report.Failed,
					"new", report.New, "faults", report.Faults)
				return err
			}
			report, err := s.Refresh(ctx, originProgress())
			if err == nil {
				report.Print(os.Stdout)
			}
			return err
		},
		Departures: func(ctx context.Context) error {
			if !logged {
				return deepen(ctx, s)
			}
			report, err := s.Deepen(ctx)
			s.Log.InfoContext(ctx, "departures refreshed", "report", report)
			return err
		},
	}
	// A full refresh from Travelpayouts takes 15 minutes, so only other sources are refreshed
	// before the service starts to answer.
	if s.Source.Name() != "travelpayouts" {
		if err := s.RefreshNow(ctx, refreshes); err != nil {
			return err
		}
	}
	go s.RefreshDaily(ctx, refreshes)
	return nil
}

// examples prints calls to try.
func examples(url string, s onemachine.Options, routes []onemachine.Example, payments *onemachine.StandIns) {
	fmt.Printf("\nanswering on %s", url)
	if s.Source.Name() == "sample" {
		fmt.Print(" with invented fares (X-Data: sample)")
	}
	fmt.Print("; open that, or try\n\n")
	for _, route := range routes {
		fmt.Printf("  %-20scurl '%s/v1/analisi?%s'\n", route.Level, url, route.Query())
	}
	fmt.Printf("  %-20scurl '%s/v1/analisi?origine=Milano&destinazione=Barcelonna'\n\nstop with Ctrl-C\n", "misspelt", url)
	if payments != nil {
		fmt.Printf(`
buy Pro with play money: open the url that this answers with, press pay, and there is the key

  curl -H 'Content-Type: application/json' -d '{"email":"ada@example.com"}' %s/api/v1/pro/checkout

or pay in USDC on %s, as %s/v1/pro/cripta?email=ada@example.com says; mail goes into %s
`, url, payments.NodeURL, url, s.Mail)
	}
	fmt.Printf(`
ask for an alert, and open the link of the mail that lands in %[2]s

  curl -H 'Content-Type: application/json' -d '{"route":"MIL-BUH","email":"ada@example.com","threshold":40}' %[1]s/api/v1/alerts
`, url, s.Mail)
}
