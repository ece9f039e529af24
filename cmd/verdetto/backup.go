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

// The store may be in use meanwhile.
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
