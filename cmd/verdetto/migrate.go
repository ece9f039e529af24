package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"verdetto/cmd/verdetto/onemachine"
)

func migrateCommand() *cobra.Command {
	var m onemachine.Migration
	var now string
	c := newCommand("migrate", "move a store into another, while it is served", func(ctx context.Context) error {
		return migrate(ctx, m, now)
	})
	f := c.Flags()
	f.StringVar(&m.From, "from", "", "the store that is moved: `bolt:FILE` or dynamodb:TABLE; it may be served meanwhile")
	f.StringVar(&m.To, "to", "", "where to: `dynamodb:TABLE` or bolt:FILE, which holds nothing yet, or what an earlier run has put there")
	f.BoolVar(&m.Finish, "finish", false, "the last run, when nobody serves -from any more: both are compared item by item, and -to can be served")
	f.BoolVar(&m.Create, "create", false, "make the table of DynamoDB where there is none")
	f.StringVar(&now, "now", "", "set the clock to this `time` (RFC 3339, or a day), for a store that is served so")
	return c
}

// migrate copies the contents of one store into another.
func migrate(ctx context.Context, m onemachine.Migration, now string) error {
	if m.From == "" || m.To == "" {
		return errors.New("migrate needs -from and -to: bolt:FILE or dynamodb:TABLE")
	}
	var err error
	if m.Now, err = onemachine.Clock(now); err != nil {
		return err
	}
	terminal := term.IsTerminal(int(os.Stderr.Fd()))
	if terminal {
		m.Progress = func(read, written int) {
			fmt.Fprintf(os.Stderr, "\r%d items read, %d written ", read, written)
		}
	}
	begun := time.Now()
	report, err := m.Run(ctx)
	if terminal {
		fmt.Fprint(os.Stderr, "\r\033[K")
	}
	if err != nil {
		return err
	}
	fmt.Printf("%d items in %s; %d written, %d deleted in %.1f s\n", report.Items, m.From, report.Written,
		report.Deleted, time.Since(begun).Seconds())
	if m.Finish {
		fmt.Printf("compared item by item: %s holds the same. Serve that from now on (-store %[1]s), and %s no more\n",
			m.To, m.From)
		moved, err := m.PepperMoved(ctx)
		switch {
		case err != nil:
			return err
		case moved:
			fmt.Printf("its pepper came with it. The functions on AWS want it in the Parameter Store: verdetto pepper export -store %s -to pepper.txt, then put that as /verdetto/pepper\n", m.To)
		default:
			fmt.Println("the pepper is not in it: the service had it by VERDETTO_PEPPER. Give the same to whatever serves the new store")
		}
		return nil
	}
	fmt.Printf("%s is not complete: run this again as often as you like; then stop whoever serves %s, and run it with -finish\n", m.To, m.From)
	return nil
}
