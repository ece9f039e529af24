package onemachine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/migration"
)

// Export copies all items of a DynamoDB table, with their versions and expiries, into a new file.
// It returns the number of items. If a service writes to the table meanwhile, the copies of
// different items may be from different moments of the export.
func Export(ctx context.Context, name, to string) (items int, err error) {
	if _, err := os.Lstat(to); err == nil {
		return 0, fmt.Errorf("export store: %s exists already; choose another name", to)
	}
	// The temporary folder is readable by the user alone.
	dir, err := os.MkdirTemp(filepath.Dir(to), filepath.Base(to)+".exporting-*")
	if err != nil {
		return 0, fmt.Errorf("export store: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "export.db")
	if items, err = fill(ctx, name, file); err != nil {
		return 0, fmt.Errorf("export store: %w", err)
	}
	return items, Backup(ctx, "bolt:"+file, to)
}

// fill copies a store into a new file.
func fill(ctx context.Context, name, file string) (items int, err error) {
	from, err := openPermanent(ctx, name, time.Now)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	target, err := boltstore.Open(file, time.Now, boltstore.Scratch)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	mover := &migration.Mover{From: from, To: target, Name: name, Now: time.Now}
	report, err := mover.Copy(ctx)
	if err != nil {
		return 0, err
	}
	return report.Items, store.Migration{Table: target}.Finish(ctx)
}
