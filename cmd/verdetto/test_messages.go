package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/outbound"
	"verdetto/shared/notify/webhook"
	"verdetto/shared/runtime/config"
)

func mailTestCommand() *cobra.Command {
	var carrier, to string
	c := newCommand("mail-test", "send one test mail and report each step", func(ctx context.Context) error {
		return testMail(ctx, carrier, to)
	})
	c.Flags().StringVar(&carrier, "mail", "", "how mail is sent, as for serve: `smtp://HOST:587`, smtps://HOST:465, ses or a folder (VERDETTO_MAIL)")
	c.Flags().StringVar(&to, "to", "", "the `address` of the recipient")
	takeSettings(c, nil)
	return c
}

func testMail(ctx context.Context, carrier, to string) error {
	if carrier == "" || to == "" {
		return errors.New("mail-test needs -to with an address of yours, and -mail (as for serve) or the settings file (-config)")
	}
	address, err := mail.ParseAddress(to)
	if err != nil {
		return fmt.Errorf("-to: %w", err)
	}
	through, err := onemachine.OpenCarrier(ctx, carrier, time.Now,
		func(step string) { fmt.Fprintln(os.Stdout, "ok  "+step) })
	if err != nil {
		return err
	}
	err = through.Send(ctx, mail.Message{
		To: address, Subject: "Verdetto: mail works",
		Text: "This is the test mail of verdetto mail-test. Alerts and keys are sent in the same way.\n\n" +
			"If it is in the spam folder, check the SPF, DKIM and DMARC records of the sender's domain.\n",
		Tag: "test",
	})
	if err != nil {
		return fmt.Errorf("%w\n%s", err, mailAdvice(err))
	}
	if onemachine.IsFolder(carrier) {
		fmt.Printf("The mail is in the folder %s, and goes nowhere from there.\n", carrier)
		return nil
	}
	fmt.Printf("The mail was accepted. Check that it arrives at %s, and not in the spam folder.\n", address)
	return nil
}

func mailAdvice(err error) string {
	switch {
	case errors.Is(err, mail.ErrRefused):
		return "The server refuses this recipient or this message for good. Try another address of yours with -to."
	case errors.Is(err, mail.ErrBlocked):
		return "Every mail will fail until you act. Check the name and port of the server, its certificate, VERDETTO_SMTP_USER and the password, and whether the server accepts VERDETTO_MAIL_FROM as sender."
	case errors.Is(err, mail.ErrThrottled):
		return "The server cannot be reached, or does not accept this mail now. Check its name and port, and whether a firewall blocks the port, or try again in a few minutes. The service retries automatically."
	}
	return "The connection broke before the server confirmed the mail. Check whether it arrived, then try again."
}

func hookTestCommand() *cobra.Command {
	var to, secret string
	c := newCommand("hook-test", "send one signed test event to a webhook", func(ctx context.Context) error {
		return testHook(ctx, to, secret)
	})
	c.Flags().StringVar(&to, "to", "", "the `URL` of the endpoint; one of your own network needs VERDETTO_ALLOW_PRIVATE_TARGETS")
	c.Flags().StringVar(&secret, "secret", "", "sign with this `secret`, whsec_...; default: a new one, which is printed")
	takeSettings(c, nil)
	return c
}

func testHook(ctx context.Context, to, secret string) error {
	var here config.OneMachine
	if err := config.Load(&here); err != nil {
		return err
	}
	outbound.AllowPrivate(here.PrivateTargets)
	if secret == "" {
		var random [32]byte
		_, _ = rand.Read(random[:])
		secret = "whsec_" + base64.StdEncoding.EncodeToString(random[:])
		fmt.Println("signed with", secret)
	}
	answer, err := webhook.SendTest(ctx, outbound.New(outbound.Config{}), to, secret, time.Now())
	switch {
	case errors.Is(err, outbound.ErrForbidden):
		return fmt.Errorf("-to: %w; an address of your own network has to be in VERDETTO_ALLOW_PRIVATE_TARGETS", err)
	case err != nil:
		return err
	case answer.Status/100 != 2:
		return fmt.Errorf("the endpoint answers %d %s, and must answer 2xx", answer.Status, http.StatusText(answer.Status))
	}
	fmt.Printf("The endpoint took the event: %d %s.\n", answer.Status, http.StatusText(answer.Status))
	return nil
}
