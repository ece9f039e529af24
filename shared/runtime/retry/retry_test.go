package retry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"verdetto/shared/runtime/retry"
)

func TestBackoff(t *testing.T) {
	b := retry.Backoff{First: 2 * time.Second, Longest: 15 * time.Second}
	for n, want := range map[int]time.Duration{1: 2, 2: 4, 3: 8, 4: 15, 5: 15, 1 << 20: 15} {
		if got := b.After(n); got != want*time.Second {
			t.Errorf("after %d tries %s, want %ds", n, got, want)
		}
		for range 100 {
			if got := b.Jittered(n); got < 0 || got >= want*time.Second {
				t.Fatalf("after %d tries %s, want less than %ds", n, got, want)
			}
		}
	}
}

func TestSleep(t *testing.T) {
	for name, c := range map[string]struct {
		sleep, deadline, took time.Duration
		err                   error
	}{
		"to its end":    {time.Minute, time.Hour, time.Minute, nil},
		"cut off":       {time.Hour, time.Minute, time.Minute, context.DeadlineExceeded},
		"not at all":    {0, time.Hour, 0, nil},
		"after the end": {0, -time.Second, 0, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				ctx, cancel := context.WithDeadline(t.Context(), began.Add(c.deadline))
				defer cancel()
				err := retry.Sleep(ctx, c.sleep)
				if took := time.Since(began); took != c.took || !errors.Is(err, c.err) {
					t.Errorf("%v after %s, want %v after %s", err, took, c.err, c.took)
				}
			})
		})
	}
}

func TestParseAfter(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"7": 7 * time.Second, " 0 ": 0, "1.5": 1500 * time.Millisecond, "Fri, 20 Nov 2026 12:00:33 GMT": 33 * time.Second,
		"Fri, 20 Nov 2026 11:59:00 GMT": -time.Minute, "1e300": 100 * 365 * 24 * time.Hour,
	} {
		if got, ok := retry.ParseAfter(value, now); !ok || got != want {
			t.Errorf("%q: %s, %v; want %s", value, got, ok, want)
		}
	}
	for _, value := range []string{"", "-7", "soon", "NaN"} {
		if got, ok := retry.ParseAfter(value, now); ok {
			t.Errorf("%q is %s", value, got)
		}
	}
}
