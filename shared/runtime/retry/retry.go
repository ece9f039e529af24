// Package retry holds what retries share: the growing wait between tries, the sleep, and the parsing of
// Retry-After.
package retry

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

type Backoff struct{ First, Longest time.Duration }

// After returns how long to wait after n >= 1 tries.
func (b Backoff) After(n int) time.Duration {
	wait := b.First
	for ; n > 1 && wait < b.Longest; n-- {
		wait *= 2
	}
	return min(wait, b.Longest)
}

// Jittered is random, so that callers that failed at the same time do not retry at the same time.
func (b Backoff) Jittered(n int) time.Duration { return rand.N(b.After(n)) }

func Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// The wait is negative if the header holds a past date.
func ParseAfter(value string, now time.Time) (wait time.Duration, ok bool) {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, longest.Seconds()) * float64(time.Second)), true
	}
	if date, err := http.ParseTime(value); err == nil {
		return date.Sub(now), true
	}
	return 0, false
}

const longest = 100 * 365 * 24 * time.Hour
