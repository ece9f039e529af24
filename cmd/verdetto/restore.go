package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/cmd/verdetto/settings"
)

// storeFlags are of commands that work on the file of a store.
func storeFlags(name string) (flags *flag.FlagSet, store *string) {
	flags, store = flag.NewFlagSet(name, flag.ContinueOnError), new(string)
	takeSettings(flags)
	settings.Flags(flags, map[string]*string{"store": store})
	return flags, store
}

// runRestore puts a backup in the place of a store.
func runRestore(ctx context.Context, args []string) error {
	flags, store := storeFlags("restore")
	from := flags.String("from", "", "the backup, a `file`")
	if err := parse(flags, args); err != nil {
		return err
	}
	if *store == "" || *from == "" {
		return fmt.Errorf("restore needs -from FILE, a backup, and -store bolt:FILE, which it is put in the place of")
	}
	status, aside, err := onemachine.Restore(ctx, *from, *store, time.Now)
	if err != nil {
		return err
	}
	if aside != "" {
		fmt.Printf("what was there is %s now\n", aside)
	}
	fmt.Printf("restored from %s; to use it: verdetto serve -store %s\n", *from, *store)
	status.Print(os.Stdout)
	return nil
}

// runVerify reads everything that a file holds.
func runVerify(ctx context.Context, args []string) error {
	flags, store := storeFlags("verify")
	if err := parse(flags, args); err != nil {
		return err
	}
	if *store == "" {
		return fmt.Errorf("verify needs -store bolt:FILE: a backup, or a store that nobody serves")
	}
	status, sealed, err := onemachine.Verify(ctx, *store, time.Now)
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

// runCompact gives what is free in a file back to the disk.
func runCompact(ctx context.Context, args []string) error {
	flags, store := storeFlags("compact")
	if err := parse(flags, args); err != nil {
		return err
	}
	if *store == "" {
		return fmt.Errorf("compact needs -store bolt:FILE, which nobody serves meanwhile")
	}
	before, after, err := onemachine.Compact(ctx, *store, time.Now)
	if err != nil {
		return err
	}
	fmt.Printf("%.1f MB, before %.1f MB\n", float64(after)/1e6, float64(before)/1e6)
	return nil
}
