package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/runtime/retry"
)

// maxTries limits the tries of a conditional write. If a read and a write take 50 ms each, 50
// writers of one item all succeed. A caller with less time passes a context that ends earlier.
const maxTries = 20

var waits = retry.Backoff{First: 20 * time.Millisecond, Longest: time.Second}

// RetryConflicts runs a change that reads an item, decides, and writes the item if it is still at
// the version that was read. On ErrConflict and ErrExists it runs the change again, after a random
// wait that grows. After maxTries, or when ctx ends, it fails with ErrUnavailable. It returns any
// other error at once.
func RetryConflicts(ctx context.Context, change func() error) error {
	return retryWhile(ctx, func(err error) int {
		if isConflict(err) {
			return maxTries
		}
		return 1
	}, change)
}

// retryWhile runs a change again as long as the function tries allows it. That function returns
// how often to try for the error of the change.
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

// pause waits after a failed try.
func pause(ctx context.Context, try int) error {
	if retry.Sleep(ctx, waits.Jittered(try)) != nil {
		return fmt.Errorf("%w: wait for another writer: %w", ErrUnavailable, context.Cause(ctx))
	}
	return nil
}

// createOrGet creates an item and returns its data, or the data of an existing item.
func createOrGet(ctx context.Context, table Table, item Item) (data []byte, err error) {
	err = RetryConflicts(ctx, func() error {
		err := table.Write(ctx, Op{Mode: Create, Item: item})
		if !errors.Is(err, ErrExists) {
			data = item.Data
			return err
		}
		had, readErr := table.Get(ctx, item.Key, Strong)
		if errors.Is(readErr, ErrNotFound) {
			return err // it has just expired
		}
		data = had.Data
		return readErr
	})
	return data, err
}
