package main

import (
	"context"
	"errors"
	"fmt"
	"os"
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

func backupCommand() *cobra.Command {
	var store, to string
	var keep int
	c := newCommand("backup", "copy a store into a file, also while it is served", func(ctx context.Context) error {
		if to == "" {
			if to = os.Getenv("VERDETTO_BACKUPS"); to != "" {
				if err := os.MkdirAll(to, 0o700); err != nil {
					return fmt.Errorf("make VERDETTO_BACKUPS: %w", err)
				}
			}
		}
		info, err := os.Stat(to)
		if err != nil || !info.IsDir() {
			return backup(ctx, store, to)
		}
		if err := backup(ctx, store, onemachine.BackupIn(to, time.Now())); err != nil {
			return err
		}
		return onemachine.KeepBackups(to, time.Now().AddDate(0, 0, -keep))
	})
	takeSettings(c, map[string]*string{"store": &store})
	c.Flags().StringVar(&to, "to", "", "the new `file`, or a folder, in which it is named by the time (VERDETTO_BACKUPS)")
	c.Flags().IntVar(&keep, "keep", 30, "in a folder, delete the backups of more than this many `days` ago, once the new one is complete")
	return c
}

func backup(ctx context.Context, store, to string) error {
	if store == "" || to == "" {
		return errors.New("backup needs -store bolt:FILE, and -to FILE or a folder")
	}
	if err := onemachine.Backup(ctx, store, to); err != nil {
		return err
	}
	info, err := os.Stat(to)
	if err != nil {
		return fmt.Errorf("read the backup: %w", err)
	}
	fmt.Printf("%s, %d bytes; to use it: verdetto restore -from %[1]s -store %[3]s\n", to, info.Size(), store)
	return nil
}

func copyCommand() *cobra.Command {
	var from, to string
	c := newCommand("copy", "copy a store into another, while no process uses them", func(ctx context.Context) error {
		if from == "" || to == "" {
			return errors.New("copy needs -from and -to: bolt:FILE or dynamodb:TABLE")
		}
		bar, begun := newMeter("items", nil), time.Now()
		items, err := onemachine.Copy(ctx, from, to, func(items int, doing string) { bar.show(items, 0, doing) })
		bar.clear()
		if err != nil {
			return err
		}
		fmt.Printf("%d items copied and compared in %.1f s; from now on serve -store %s\n", items, time.Since(begun).Seconds(), to)
		return nil
	})
	c.Flags().StringVar(&from, "from", "", "the source: `bolt:FILE` or dynamodb:TABLE")
	c.Flags().StringVar(&to, "to", "", "the target: `dynamodb:TABLE` or bolt:FILE; missing, empty, or from an interrupted copy")
	return c
}
