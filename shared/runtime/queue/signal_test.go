package queue_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/runtime/queue"
)

type sink struct {
	sent []string
	fail func(context.Context) error
}

func (s *sink) Send(ctx context.Context, messages ...string) error {
	if s.fail != nil {
		return s.fail(ctx)
	}
	s.sent = append(s.sent, messages...)
	return nil
}

func TestSignalWorker(t *testing.T) {
	hangs := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	refuses := func(context.Context) error { return errors.New("no such queue") }
	for _, c := range []struct {
		name   string
		fail   func(context.Context) error
		sent   int
		logged string
		took   time.Duration
	}{
		{"sent", nil, 1, "", 0},
		{"refused", refuses, 0, "no such queue", 0},
		{"no answer", hangs, 0, "deadline exceeded", 2 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				s := &sink{fail: c.fail}
				began := time.Now()
				queue.SignalWorker(s, slog.New(slog.NewTextHandler(&log, nil)))()
				if len(s.sent) != c.sent || !strings.Contains(log.String(), c.logged) || (c.logged == "") != (log.Len() == 0) || time.Since(began) != c.took {
					t.Errorf("sent %q after %v, logged %s", s.sent, time.Since(began), &log)
				}
			})
		})
	}
}

func TestWorkerHandler(t *testing.T) {
	two := []queue.Message{{ID: "a"}, {ID: "b"}}
	for _, c := range []struct {
		name   string
		has    []int
		err    error
		takes  time.Duration
		calls  int
		failed []string
	}{
		{"nothing to do", []int{0}, nil, 0, 1, nil},
		{"until nothing is left", []int{25, 25, 3, 0}, nil, 0, 4, nil},
		{"until little time is", []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, nil, 8 * time.Second, 3, nil},
		{"failed", []int{1, 0}, errors.New("no mail today"), 0, 1, []string{"a", "b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				calls := 0
				failed := queue.WorkerHandler(func(context.Context) (int, error) {
					calls++
					time.Sleep(c.takes)
					return c.has[calls-1], c.err
				}, slog.New(slog.DiscardHandler))(ctx, two)
				if diff := cmp.Diff(c.failed, failed); diff != "" || calls != c.calls {
					t.Errorf("%d calls, want %d; failed: %s", calls, c.calls, diff)
				}
			})
		})
	}
}
