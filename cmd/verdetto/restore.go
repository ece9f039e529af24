package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/onemachine"
)

func restoreCommand() *cobra.Command {
	var store, from string
	var out output
	c := newCommand("restore", "replace a store by a backup", func(ctx context.Context) error {
		return restore(ctx, store, from, out)
	})
	out.flag(c)
	takeSettings(c, map[string]*string{"store": &store})
	c.Flags().StringVar(&from, "from", "", "the `file` of the backup")
	return c
}

func restore(ctx context.Context, store, from string, out output) error {
	if store == "" || from == "" {
		return fmt.Errorf("restore needs -from FILE (the backup) and -store bolt:FILE (the store that it replaces)")
	}
	status, aside, err := onemachine.Restore(ctx, from, store, time.Now)
	if err != nil {
		return err
	}
	if aside != "" {
		fmt.Fprintf(out.notes(), "the former store is now %s\n", aside)
	}
	fmt.Fprintf(out.notes(), "restored from %s; to use it: verdetto serve -store %s\n", from, store)
	return out.print(status, status.PrintStore)
}

func verifyCommand() *cobra.Command {
	var store string
	var out output
	c := newCommand("verify", "read a whole backup or store to find damage", func(ctx context.Context) error {
		if store == "" {
			return errors.New("verify needs -store bolt:FILE: a backup, or a store without a running service")
		}
		return verify(ctx, store, out)
	})
	takeSettings(c, map[string]*string{"store": &store})
	out.flag(c)
	return c
}

func verify(ctx context.Context, store string, out output) error {
	bar := newMeter("items", nil)
	status, sealed, err := onemachine.Verify(ctx, store, time.Now, func(read int) { bar.show(read, 0, "") })
	bar.clear()
	if err != nil {
		return err
	}
	if sealed {
		fmt.Fprintln(out.notes(), "the checksum is right, and every page and item can be read: the backup is unchanged")
	} else {
		fmt.Fprintln(out.notes(), "every page and item can be read. This file has no checksum, so a changed value may stay unseen: it is a store, or a backup of an earlier version")
	}
	return out.print(status, status.PrintStore)
}
