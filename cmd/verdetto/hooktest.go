package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"verdetto/shared/carrier/outbound"
	"verdetto/shared/notify/webhook"
	"verdetto/shared/runtime/config"
)

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
		_, _ = rand.Read(random[:]) // never fails
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
