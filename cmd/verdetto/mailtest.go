package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/shared/carrier/mail"
)

func mailTestCommand() *cobra.Command {
	var carrier, to string
	c := newCommand("mail-test", "send one mail and say how far it came", func(ctx context.Context) error {
		return testMail(ctx, carrier, to)
	})
	c.Flags().StringVar(&carrier, "mail", "", "what carries mail, as for serve: `smtp://HOST:587`, smtps://HOST:465, ses or a folder (VERDETTO_MAIL)")
	c.Flags().StringVar(&to, "to", "", "`address` that the mail is sent to")
	takeSettings(c, nil)
	return c
}

// testMail sends one mail and prints each step that succeeded.
func testMail(ctx context.Context, carrier, to string) error {
	if carrier == "" || to == "" {
		return errors.New("mail-test needs -mail, as for serve, or the settings file (-config), and -to with an address of yours")
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
		Text: "This is the mail that verdetto mail-test sends. Alerts and keys will come the same way.\n\n" +
			"If it lies among the spam, look at the SPF, DKIM and DMARC records of the sender's domain.\n",
		Tag: "test",
	})
	if err != nil {
		return fmt.Errorf("%w\n%s", err, mailAdvice(err))
	}
	fmt.Printf("The mail is handed over. See whether it is in the mailbox of %s, and not among the spam.\n", address)
	return nil
}

// mailAdvice returns what to do about a failed mail.
func mailAdvice(err error) string {
	switch {
	case errors.Is(err, mail.ErrRefused):
		return "This recipient, or this message, is refused for good. Try another address of yours with -to."
	case errors.Is(err, mail.ErrBlocked):
		return "Every mail would fail so, until you act: look at the server's name and port, its certificate, VERDETTO_SMTP_USER and its password, and whether it lets you send as VERDETTO_MAIL_FROM."
	case errors.Is(err, mail.ErrThrottled):
		return "The server cannot be reached or does not want this mail for now. Look at its name and port, and whether a firewall lets you out on that port; or try again in a few minutes. The service itself tries again by itself."
	}
	return "The connection broke before the server confirmed the mail: it may arrive or not. Look into the mailbox, then try again."
}
