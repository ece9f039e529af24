package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/runtime/retry"
)

// TestFiftyAtOnce shows that maxTries is enough for 50 concurrent writers of one item.
const maxTries = 20

var waits = retry.Backoff{First: 20 * time.Millisecond, Longest: time.Second}

// RetryConflicts calls change again after ErrConflict or ErrExists, so change must read the item anew. After maxTries
// tries, RetryConflicts fails with ErrUnavailable.
func RetryConflicts(ctx context.Context, change func() error) error {
	return retryWhile(ctx, func(err error) int {
		if isConflict(err) {
			return maxTries
		}
		return 1
	}, change)
}

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
