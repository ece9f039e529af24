package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/mail"
	"os"
	"time"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/shared/apikey"
	"verdetto/shared/store"
)

func keyCommand() *cobra.Command {
	var o options
	var email string
	var days int
	create := newCommand("create", "create a Pro key, also while the store is served; it replaces an earlier key",
		func(ctx context.Context) error {
			return createKey(ctx, o, email, days)
		})
	takeSettings(create, o.flags(create))
	create.Flags().StringVar(&email, "email", "", "the customer's email `address`")
	create.Flags().IntVar(&days, "days", 30, "the plan lasts at least this many days from now")
	return newParent("key", "create a Pro key by hand", create)
}

func createKey(ctx context.Context, o options, email string, days int) (err error) {
	s, err := o.service()
	if err != nil {
		return err
	}
	if o.store == "" {
		return errors.New("key create needs -store: the service that uses this store accepts the key")
	}
	if a, err := mail.ParseAddress(email); err != nil || a.Address != email {
		return fmt.Errorf("-email %q: want an address such as ada@example.com", email)
	}
	if days < 1 || days > 3660 {
		return fmt.Errorf("-days %d: want 1 to 3660", days)
	}
	table, err := onemachine.OpenExisting(ctx, o.store, s.Now)
	if err != nil {
		return err
	}
	defer table.Close()
	defer func() { err = advised(err, "a new key replaces one that was not shown") }()
	pepper, err := onemachine.PepperInUse(ctx, table, o.store, true)
	if err != nil {
		return err
	}
	now := s.Now()
	until := now.AddDate(0, 0, days).UTC().Truncate(time.Second)
	customers, id := store.Customers{Table: table}, apikey.CustomerIDOf(pepper, email)
	before, err := customers.Customer(ctx, id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	text, err := customers.Issue(ctx, rand.Reader, id, now,
		func(c *store.Customer) error {
			if until.After(c.Until) {
				c.Until = until
			}
			until = c.Until
			return nil
		})
	if err != nil {
		return err
	}
	replaced := ""
	if len(before.Hash) > 0 {
		replaced = " The earlier key of this address no longer works."
	}
	fmt.Fprintf(os.Stderr, "The plan lasts until %s.%s The new key is shown only now:\n", until.Format(time.RFC3339), replaced)
	fmt.Println(text)
	return nil
}
