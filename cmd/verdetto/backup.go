package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/onemachine"
)

func backupCommand() *cobra.Command {
	var store, to string
	c := newCommand("backup", "copy a store into a file, also while it is served", func(ctx context.Context) error {
		return backup(ctx, store, to)
	})
	takeSettings(c, map[string]*string{"store": &store})
	c.Flags().StringVar(&to, "to", "", "the new `file`")
	return c
}

// The store may be in use meanwhile.
func backup(ctx context.Context, store, to string) error {
	if store == "" || to == "" {
		return errors.New("backup needs -store bolt:FILE or dynamodb:TABLE, and -to FILE")
	}
	if strings.HasPrefix(store, "dynamodb:") {
		items, err := onemachine.Export(ctx, store, to)
		if err != nil {
			return err
		}
		fmt.Printf("%d items of %s\n", items, store)
	} else if err := onemachine.Backup(ctx, store, to); err != nil {
		return err
	}
	info, err := os.Stat(to)
	if err != nil {
		return fmt.Errorf("read the backup: %w", err)
	}
	fmt.Printf("%s, %d bytes; to use it: verdetto restore -from %[1]s -store %[3]s\n", to, info.Size(), store)
	return nil
}
