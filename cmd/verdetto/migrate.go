package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/onemachine"
)

func migrateCommand() *cobra.Command {
	var m onemachine.Migration
	var now string
	c := newCommand("migrate", "copy a store into another, also while it is served", func(ctx context.Context) error {
		return migrate(ctx, m, now)
	})
	f := c.Flags()
	f.StringVar(&m.From, "from", "", "the source: `bolt:FILE` or dynamodb:TABLE; a service may use it meanwhile")
	f.StringVar(&m.To, "to", "", "the target: `dynamodb:TABLE` or bolt:FILE, empty or from an earlier run")
	f.BoolVar(&m.Finish, "finish", false, "the last run, after every service on -from has stopped: compare both stores item by item, then allow services on -to")
	f.BoolVar(&m.Create, "create", false, "create the DynamoDB table if it does not exist")
	f.StringVar(&now, "now", "", "the time of a store that is served with -now: a `time` (RFC 3339) or a day")
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
	bar, begun := newMeter("items", nil), time.Now()
	m.Progress = func(read, written int) { bar.show(read, 0, fmt.Sprintf("%d written", written)) }
	report, err := m.Run(ctx)
	bar.clear()
	if err != nil {
		return err
	}
	fmt.Printf("%d items in %s; %d written, %d deleted in %.1f s\n", report.Items, m.From, report.Written,
		report.Deleted, time.Since(begun).Seconds())
	if m.Finish {
		fmt.Printf("compared item by item: %s is equal. From now on serve -store %[1]s, and no longer %s\n",
			m.To, m.From)
		moved, err := m.PepperMoved(ctx)
		switch {
		case err != nil:
			return err
		case moved:
			fmt.Printf("the target holds the pepper. Functions on AWS read it from the Parameter Store: run verdetto pepper export -store %s -to pepper.txt, and store it as /verdetto/pepper\n", m.To)
		default:
			fmt.Println("the target does not hold the pepper: set VERDETTO_PEPPER for its services as before")
		}
		return nil
	}
	fmt.Printf("%s is not complete. Run this again as often as you like. Then stop all services on %s, and run it with -finish\n", m.To, m.From)
	return nil
}
