package onemachine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/dynamostore"
)

// OpenStore opens a store by its name: bolt:FILE or dynamodb:TABLE. Without a name, it creates
// a temporary file that Close deletes. It refuses a store whose migration is not complete.
func OpenStore(ctx context.Context, name string, now func() time.Time) (store.Table, error) {
	if name == "" {
		dir, err := os.MkdirTemp("", "verdetto-*")
		if err != nil {
			return nil, fmt.Errorf("make a folder for the store: %w", err)
		}
		table, err := boltstore.Open(filepath.Join(dir, "verdetto.db"), now, boltstore.Scratch)
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
		return &scratch{table, dir}, nil
	}
	table, err := openPermanent(ctx, name, now)
	if err != nil {
		return nil, err
	}
	from, unfinished, err := store.Migration{Table: table}.Unfinished(ctx)
	if unfinished {
		err = fmt.Errorf("it is being filled from %s and is not complete: verdetto migrate -from %[1]s -to %[2]s -finish",
			from, name)
	}
	if err == nil && strings.HasPrefix(name, "bolt:") {
		// Only one process can open a file, so any holder of a lease in it is gone.
		err = store.DropLeases(ctx, table)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open -store %s: %w", name, err), table.Close())
	}
	return table, nil
}

// openPermanent opens a permanent store, whatever its state.
func openPermanent(ctx context.Context, name string, now func() time.Time) (store.Whole, error) {
	kind, at, _ := strings.Cut(name, ":")
	switch {
	case kind == "bolt" && at != "":
		return boltstore.Open(at, now)
	case kind == "dynamodb" && at != "":
		client, err := dynamoClient(ctx)
		if err != nil {
			return nil, err
		}
		return dynamostore.New(client, at, now), nil
	}
	return nil, fmt.Errorf("store %q: want bolt:FILE or dynamodb:TABLE", name)
}

func dynamoClient(ctx context.Context) (*dynamodb.Client, error) {
	settings, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("load AWS configuration: %w", err)
	}
	return dynamodb.NewFromConfig(settings), nil
}

// OpenExisting is OpenStore for an existing store: a mistyped name creates no new one.
func OpenExisting(ctx context.Context, name string, now func() time.Time) (store.Table, error) {
	if file, ok := strings.CutPrefix(name, "bolt:"); ok && file != "" {
		if _, err := os.Stat(file); err != nil {
			return nil, fmt.Errorf("open -store %s: %w; serve and refresh make one, so check the name", name, err)
		}
	}
	return OpenStore(ctx, name, now)
}

// scratch is a temporary store, deleted by Close.
type scratch struct {
	store.Table
	dir string
}

func (s *scratch) Close() error {
	return errors.Join(s.Table.Close(), os.RemoveAll(s.dir))
}
