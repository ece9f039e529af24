package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"verdetto/cmd/verdetto/onemachine"
)

// runBackup copies the file of a store, or a table of DynamoDB into a file, while it is served or not.
func runBackup(ctx context.Context, args []string) error {
	flags, store := storeFlags("backup")
	to := flags.String("to", "", "the new `file`")
	if err := parse(flags, args); err != nil {
		return err
	}
	if *store == "" || *to == "" {
		return errors.New("backup needs -store bolt:FILE or dynamodb:TABLE, and -to FILE")
	}
	if strings.HasPrefix(*store, "dynamodb:") {
		items, err := onemachine.Export(ctx, *store, *to)
		if err != nil {
			return err
		}
		fmt.Printf("%d items of %s\n", items, *store)
	} else if err := onemachine.Backup(ctx, *store, *to); err != nil {
		return err
	}
	info, err := os.Stat(*to)
	if err != nil {
		return fmt.Errorf("look at the backup: %w", err)
	}
	fmt.Printf("%s, %d bytes; to use it: verdetto restore -from %[1]s -store %[3]s\n", *to, info.Size(), *store)
	return nil
}
