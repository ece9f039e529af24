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
	"verdetto/shared/store/socketstore"
)

// OpenStore opens bolt:FILE or dynamodb:TABLE, or for an empty name a temporary file that Close deletes. OpenStore
// fails for the target of an incomplete copy.
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
		return nil, stopFirst(err)
	}
	from, err := store.IncompleteCopyOf(ctx, table)
	if from != "" {
		err = fmt.Errorf("it is an incomplete copy; complete it with verdetto copy -from %s -to %s", from, name)
	}
	if err == nil && strings.HasPrefix(name, "bolt:") {
		// Only one process can open the file, so whoever held a lease has ended.
		err = store.DropLeases(ctx, table)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open -store %s: %w", name, err), table.Close())
	}
	return table, nil
}

func stopFirst(err error) error {
	if errors.Is(err, boltstore.ErrInUse) {
		return fmt.Errorf("%w; stop that process first", err)
	}
	return err
}

func openPermanent(ctx context.Context, name string, now func() time.Time) (store.Whole, error) {
	kind, at, _ := strings.Cut(name, ":")
	switch {
	case kind == "bolt" && at != "":
		sweepParts(filepath.Dir(at))
		_, missing := os.Stat(at)
		table, err := boltstore.Open(at, now)
		if err == nil && errors.Is(missing, os.ErrNotExist) {
			if err = giveOwner(at, filepath.Dir(at)); err != nil {
				err = errors.Join(err, table.Close())
			}
		}
		return table, err
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

// If a service has the file open, OpenShared goes through that service, so that a command can write meanwhile.
func OpenShared(ctx context.Context, name string, now func() time.Time) (store.Table, error) {
	file, isFile := strings.CutPrefix(name, "bolt:")
	if !isFile || served(ctx, file) == nil {
		return OpenStore(ctx, name, now)
	}
	return socketstore.Dial(socket(file)), nil
}

// OpenExisting does not create a file, so that a mistyped name creates no store.
func OpenExisting(ctx context.Context, name string, now func() time.Time) (store.Table, error) {
	if err := exists(name); err != nil {
		return nil, err
	}
	return OpenShared(ctx, name, now)
}

func OpenAlone(ctx context.Context, name string, now func() time.Time) (store.Table, error) {
	if err := exists(name); err != nil {
		return nil, err
	}
	if file, ok := strings.CutPrefix(name, "bolt:"); ok {
		if err := served(ctx, file); err != nil {
			return nil, err
		}
	}
	return OpenStore(ctx, name, now)
}

func exists(name string) error {
	file, ok := strings.CutPrefix(name, "bolt:")
	if !ok || file == "" {
		return nil
	}
	if _, err := os.Stat(file); err != nil {
		return fmt.Errorf("open -store %s: %w; check the name; serve and refresh create stores", name, err)
	}
	return nil
}

type scratch struct {
	store.Table
	dir string
}

func (s *scratch) Close() error {
	return errors.Join(s.Table.Close(), os.RemoveAll(s.dir))
}
