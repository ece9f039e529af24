package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/runtime/retry"
)

// maxTries is the maximum number of tries of a conditional write. TestFiftyAtOnce shows that it is
// enough for 50 concurrent writers of one item. A caller with less time passes a context that ends
// earlier.
const maxTries = 20

var waits = retry.Backoff{First: 20 * time.Millisecond, Longest: time.Second}

// RetryConflicts calls change, which reads an item, decides, and writes the item with its version
// as condition. If change fails with ErrConflict or ErrExists, RetryConflicts waits for a random,
// growing time and calls it again. After maxTries tries, or when ctx ends, it fails with
// ErrUnavailable. It returns any other error at once.
func RetryConflicts(ctx context.Context, change func() error) error {
	return retryWhile(ctx, func(err error) int {
		if isConflict(err) {
			return maxTries
		}
		return 1
	}, change)
}

// retryWhile calls change until it succeeds, or has failed as often as tries allows for its error.
func retryWhile(ctx context.Context, tries func(error) int, change func() error) error {
	for try := 1; ; try++ {
		err := change()
		switch {
		case err == nil:
			return nil
		case try < tries(err):
		case isConflict(err):
			//nolint:errorlint // not wrapped: callers take a conflict for the sign to try again
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

func pause(ctx context.Context, try int) error {
	if retry.Sleep(ctx, waits.Jittered(try)) != nil {
		return fmt.Errorf("%w: wait for another writer: %w", ErrUnavailable, context.Cause(ctx))
	}
	return nil
}
