package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"verdetto/cmd/verdetto/onemachine"
)

func runServe(ctx context.Context, args []string) error {
	var o options
	var payments, mail, base string
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	o.register(flags)
	flags.StringVar(&mail, "mail", "mail", "what carries mail: `smtp://HOST:587` (STARTTLS), smtps://HOST:465, ses, or a folder that it is written into; a server wants VERDETTO_MAIL_FROM, and most VERDETTO_SMTP_USER and VERDETTO_SMTP_PASSWORD or VERDETTO_SMTP_PASSWORD_FILE")
	flags.StringVar(&payments, "money", "play", "how Pro is paid: `play`, with stand-ins for Stripe and Solana on this machine, or real, configured as the Lambda function is")
	flags.StringVar(&base, "base", "", "`URL` of the service, which links begin with; default: VERDETTO_BASE_URL with real money, else the address that is answered on")
	var from reach
	from.register(flags)
	if err := parse(flags, args); err != nil {
		return err
	}
	if mail == "" {
		return errors.New("serve needs -mail: smtp://HOST:587, ses, or a folder that mail is written into")
	}
	s, err := o.service()
	if err != nil {
		return err
	}
	s.Mail, s.RealPayments = mail, payments == "real"
	// What can be wrong is opened before anything is promised, and the store last: it may have to be made.
	listener, err := from.open(&s, o.store)
	if err != nil {
		return err
	}
	defer from.close()
	if s.BaseURL, err = onemachine.BaseURL(from.base(base), s.RealPayments, listener.Addr()); err != nil {
		return err
	}
	partly, err := o.open(ctx, &s, os.Stdout)
	if err != nil {
		return err
	}
	defer s.Table.Close()
	if err := onemachine.HandOutCopies(ctx, s.Table, o.store, s.Log); err != nil {
		return err
	}
	if err := startRefreshing(ctx, s); ctx.Err() != nil {
		return nil // stopped before it began
	} else if err != nil {
		return err
	}
	if s.Pepper, err = onemachine.Pepper(ctx, s.Table); err != nil {
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
	examples(from.url(listener.Addr()), s, routes, service.Payments)
	if err := service.Serve(ctx, listener); err != nil {
		return err
	}
	if partly {
		return errPartly
	}
	return nil
}

// startRefreshing refreshes the store, and goes on doing so.
func startRefreshing(ctx context.Context, s onemachine.Options) error {
	refreshes := onemachine.Refreshes{
		All: func(ctx context.Context) error {
			report, err := s.Refresh(ctx, originProgress())
			if err == nil {
				report.Print(os.Stdout)
			}
			return err
		},
		Departures: func(ctx context.Context) error { return deepen(ctx, s) },
	}
	if s.Source.Name() != "travelpayouts" { // asking that one for every city takes a quarter of an hour: answer meanwhile
		if err := s.RefreshNow(ctx, refreshes); err != nil {
			return err
		}
	}
	go s.RefreshDaily(ctx, refreshes)
	return nil
}

// examples says what can be tried.
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
