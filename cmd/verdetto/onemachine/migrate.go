package onemachine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/store/migration"
)

// Migration copies one store into another: see package migration.
type Migration struct {
	From, To string // bolt:FILE or dynamodb:TABLE
	Finish   bool   // the last pass, after the source has stopped
	Create   bool   // create a missing DynamoDB table
	Now      func() time.Time
	Progress func(read, written int)
}

// Run copies all items that have changed since the previous run.
func (m Migration) Run(ctx context.Context) (report migration.Report, err error) {
	if m.From == m.To {
		return report, errors.New("migrate: -from and -to are the same store")
	}
	if file, ok := strings.CutPrefix(m.From, "bolt:"); ok {
		if _, err := os.Stat(file); err != nil {
			return report, fmt.Errorf("open -from %s: %w; check the name", m.From, err)
		}
	}
	if table, ok := strings.CutPrefix(m.To, "dynamodb:"); ok && m.Create {
		client, err := dynamoClient(ctx)
		if err != nil {
			return report, err
		}
		if err := dynamostore.Create(ctx, client, table); err != nil {
			return report, err
		}
	}
	from, err := m.source(ctx)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := openPermanent(ctx, m.To, m.Now)
	if err != nil {
		return report, fmt.Errorf("open -to: %w", err)
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	if strings.HasPrefix(m.To, "bolt:") {
		if err := store.DropLeases(ctx, to); err != nil { // see OpenStore
			return report, err
		}
	}
	mover := &migration.Mover{From: from, To: to, Name: m.From, Now: m.Now, Progress: m.Progress}
	if !m.Finish {
		return mover.Copy(ctx)
	}
	if report, err = mover.Finish(ctx); err != nil {
		return report, err
	}
	kept, err := store.StoredPepper(ctx, to)
	if errors.Is(err, store.ErrNotFound) {
		return report, nil
	}
	if err == nil { // then a service with another pepper over -to fails at start
		err = CheckPepper(ctx, to, kept, true)
	}
	return report, err
}

// PepperMoved reports whether the target store keeps the same pepper (the secret that derives
// pseudonyms) as the source.
func (m Migration) PepperMoved(ctx context.Context) (bool, error) {
	to, err := ReadStore(ctx, m.To, m.Now)
	if err != nil {
		return false, err
	}
	_, err = store.StoredPepper(ctx, to)
	if errors.Is(err, store.ErrNotFound) {
		return false, to.Close()
	}
	return err == nil, errors.Join(err, to.Close())
}

// source opens the source store. If a process serves its file, the file is locked, so every run but
// the last reads a copy. The last run opens the file itself, so no process can write to it.
func (m Migration) source(ctx context.Context) (store.Whole, error) {
	file, isFile := strings.CutPrefix(m.From, "bolt:")
	if !isFile || m.Finish {
		table, err := openPermanent(ctx, m.From, m.Now)
		if err != nil && isFile {
			err = fmt.Errorf("%w; stop its service before the last run", err)
		}
		if err != nil {
			return nil, fmt.Errorf("open -from: %w", err)
		}
		return table, nil
	}
	dir, err := os.MkdirTemp(filepath.Dir(file), filepath.Base(file)+".migrating-*")
	if err != nil {
		return nil, fmt.Errorf("copy -from: %w", err)
	}
	// The deleted copy can still be read while it is open. So no copy remains on the disk, unless
	// this process is killed during the copy.
	defer os.RemoveAll(dir)
	copied := filepath.Join(dir, "copy.db")
	if err := Backup(ctx, m.From, copied); err != nil {
		return nil, fmt.Errorf("copy -from: %w", err)
	}
	return boltstore.Open(copied, m.Now, boltstore.Scratch)
}
