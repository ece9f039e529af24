package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/onemachine"
)

func restoreCommand() *cobra.Command {
	var store, from string
	c := newCommand("restore", "put a backup in the place of a store", func(ctx context.Context) error {
		return restore(ctx, store, from)
	})
	takeSettings(c, map[string]*string{"store": &store})
	c.Flags().StringVar(&from, "from", "", "the backup, a `file`")
	return c
}

// restore replaces a store by a backup.
func restore(ctx context.Context, store, from string) error {
	if store == "" || from == "" {
		return fmt.Errorf("restore needs -from FILE, a backup, and -store bolt:FILE, which it is put in the place of")
	}
	status, aside, err := onemachine.Restore(ctx, from, store, time.Now)
	if err != nil {
		return err
	}
	if aside != "" {
		fmt.Printf("what was there is %s now\n", aside)
	}
	fmt.Printf("restored from %s; to use it: verdetto serve -store %s\n", from, store)
	status.Print(os.Stdout)
	return nil
}

// storeCommand returns a command with a single flag, which names the store to work on.
func storeCommand(name, does, needs string, run func(ctx context.Context, store string) error) *cobra.Command {
	var store string
	c := newCommand(name, does, func(ctx context.Context) error {
		if store == "" {
			return fmt.Errorf("%s needs -store bolt:FILE%s", name, needs)
		}
		return run(ctx, store)
	})
	takeSettings(c, map[string]*string{"store": &store})
	return c
}

func verifyCommand() *cobra.Command {
	return storeCommand("verify", "read everything that a backup, or a store, holds",
		": a backup, or a store that nobody serves", verify)
}

func verify(ctx context.Context, store string) error {
	status, sealed, err := onemachine.Verify(ctx, store, time.Now)
	if err != nil {
		return err
	}
	if sealed {
		fmt.Println("every byte is as it was backed up: the checksum is right; every page and every item can be read")
	} else {
		fmt.Println("every page and every item can be read; this file has no checksum, so a changed value may go unseen: it is a store, or a backup of an earlier version. New backups have one")
	}
	status.Print(os.Stdout)
	return nil
}

func compactCommand() *cobra.Command {
	return storeCommand("compact", "give what is free in the file of a store back to the disk",
		", which nobody serves meanwhile", compact)
}

func compact(ctx context.Context, store string) error {
	before, after, err := onemachine.Compact(ctx, store, time.Now)
	if err != nil {
		return err
	}
	fmt.Printf("%.1f MB, before %.1f MB\n", float64(after)/1e6, float64(before)/1e6)
	return nil
}
