package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/runtime/retry"
)

// How a write that depends on what was read is tried again. Fifty writers of
// one item all get through where a read and a write take 50 ms each; a caller
// that has less time ends its context.
const maxTries = 20

var waits = retry.Backoff{First: 20 * time.Millisecond, Longest: time.Second}

// RetryConflicts runs a change that reads, decides and writes over what it read, and runs it again
// where another writer came between (ErrConflict, ErrExists), after a random wait that grows.
// After maxTries, or where ctx ends first, the error is ErrUnavailable. Any other error ends it.
func RetryConflicts(ctx context.Context, change func() error) error {
	return retryWhile(ctx, func(err error) int {
		if isConflict(err) {
			return maxTries
		}
		return 1
	}, change)
}

// retryWhile runs a change as often as the error it ends with allows.
func retryWhile(ctx context.Context, tries func(error) int, change func() error) error {
	for try := 1; ; try++ {
		err := change()
		switch {
		case err == nil:
			return nil
		case try < tries(err):
		case isConflict(err):
			return fmt.Errorf("%w: others wrote the same at each of %d tries: %v", ErrUnavailable, try, err)
		default:
			return err
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
}

func isConflict(err error) bool { return errors.Is(err, ErrConflict) || errors.Is(err, ErrExists) }

// pause waits after a try that failed.
func pause(ctx context.Context, try int) error {
	if retry.Sleep(ctx, waits.Jittered(try)) != nil {
		return fmt.Errorf("%w: wait for another writer: %w", ErrUnavailable, context.Cause(ctx))
	}
	return nil
}

// createOrGet writes an item where there is none, and gives the data of the one that is there then.
func createOrGet(ctx context.Context, table Table, item Item) (data []byte, err error) {
	err = RetryConflicts(ctx, func() error {
		err := table.Write(ctx, Op{Mode: Create, Item: item})
		if !errors.Is(err, ErrExists) {
			data = item.Data
			return err
		}
		had, readErr := table.Get(ctx, item.Key, Strong)
		if errors.Is(readErr, ErrNotFound) {
			return err // it has expired just now
		}
		data = had.Data
		return readErr
	})
	return data, err
}
