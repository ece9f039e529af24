package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/monitor"
	"verdetto/cmd/verdetto/onemachine"
	"verdetto/cmd/verdetto/settings"
	"verdetto/cmd/verdetto/setup"
	"verdetto/functions/refresh"
	"verdetto/shared/carrier/outbound"
	"verdetto/shared/runtime/config"
	"verdetto/shared/store"
	"verdetto/shared/web/page"
	"verdetto/shared/web/routes"
)

func serveCommand() *cobra.Command {
	var o serveOptions
	c := newCommand("serve", "run the whole service in one process", nil)
	file := settingsFile(c, o.flags(c))
	c.RunE = func(c *cobra.Command, _ []string) error {
		taken, faults := settings.Take(c.Flags(), *file)
		if err := settingsError(faults); err != nil {
			return err
		}
		if o.isFirstRun(taken, *file) {
			if begins, err := o.setUp(c); err != nil || !begins {
				return err
			}
		}
		return serve(c.Context(), &o)
	}
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
	s.Mail, s.Money, s.JobDelay = o.mail, o.money, store.RandomDelay
	if err := config.Load(&s.Telegram, &s.OneMachine); err != nil {
		return err
	}
	outbound.AllowPrivate(s.PrivateTargets)
	// The listener comes before the store, because opening a store may create a file.
	listener, err := o.reach.open(&s, o.store)
	if err != nil {
		return err
	}
	defer o.close()
	if s.BaseURL, err = onemachine.BaseURL(o.links(o.base), s.Money == onemachine.RealMoney, listener.Addr()); err != nil {
		return err
	}
	routes.NothingSold.Store(s.Money == onemachine.NoMoney)
	page.Demonstration.Store(s.Money == demoMoney)
	page.MailKept.Store(o.isPublic() && onemachine.IsFolder(o.mail))
	partly, err := o.options.open(ctx, &s, o.notes(s.Log, os.Stdout), onemachine.OpenStore)
	if err != nil && ctx.Err() != nil {
		return nil
	} else if err != nil {
		return err
	}
	defer s.Table.Close()
	if s.Pepper, err = onemachine.Pepper(ctx, s.Table); ctx.Err() != nil {
		return nil
	} else if err != nil {
		return err
	}
	if err := s.Watch(ctx, o.store, o.metrics); err != nil {
		return err
	}
	defer onemachine.RemoveSocket(o.store)
	if err := startRefreshing(ctx, s, refreshesOf(s, o.log, o.first)); ctx.Err() != nil {
		return nil
	} else if err != nil {
		return err
	}
	service, err := onemachine.New(s)
	if err != nil {
		return err
	}
	defer service.Close()
	if err := o.announce(ctx, s, listener.Addr(), service.Payments); err != nil {
		return err
	}
	if err := service.Serve(ctx, listener); err != nil {
		return err
	}
	if partly {
		return errPartly
	}
	return nil
}

func startRefreshing(ctx context.Context, s onemachine.Options, refreshes onemachine.Refreshes) error {
	// A refresh from Travelpayouts takes long, so only other sources are refreshed before the service
	// answers.
	if s.Source.Name() != "travelpayouts" {
		if err := s.RefreshNow(ctx, refreshes); err != nil && !errors.Is(err, refresh.ErrPartly) {
			return err
		}
	}
	go s.RefreshDaily(ctx, refreshes)
	return nil
}

// first is nil unless the operator is setting the service up.
func refreshesOf(s onemachine.Options, form string, first *setup.Setup) onemachine.Refreshes {
	logged := form == jsonLog
	discover := s.Discovery(originProgress(first, s.Log, form))
	return onemachine.Refreshes{
		All: func(ctx context.Context) error {
			report, err := discover(ctx)
			switch {
			case logged:
				logRefreshed(ctx, s.Log, report)
			case report.Origins > 0:
				report.Print(os.Stdout)
			}
			return endFirst(ctx, s, first, err, false)
		},
		Departures: func(ctx context.Context) error {
			report, err := s.Deepen(ctx, seriesProgress(s.Log, form))
			if logged {
				s.Log.InfoContext(ctx, "departures refreshed", "report", report)
			} else {
				report.Print(os.Stdout)
			}
			if err == nil && first == nil {
				err = report.Failure()
			}
			return endFirst(ctx, s, first, err, true)
		},
	}
}

// If the log is JSON, programs also read standard output, so announce prints JSON.
func (o *serveOptions) announce(ctx context.Context, s onemachine.Options, at net.Addr,
	payments *onemachine.StandIns) error {
	if o.log == jsonLog {
		slog.New(logTo(os.Stdout, o.log)).InfoContext(ctx, "serving", "url", o.url(at))
		return nil
	}
	routes, err := s.Examples(ctx)
	if err == nil {
		examples(o.url(at), s, routes, payments)
	}
	return err
}

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
