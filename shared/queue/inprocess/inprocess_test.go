package inprocess_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/queue"
	"verdetto/shared/queue/inprocess"
	"verdetto/shared/queue/queuetest"
)

// box is a queue on a clock that the suite sets forward.
type box struct {
	*inprocess.Queue
	at *time.Time
}

func (b box) Receive(_ *testing.T, most int) []queue.Message { return b.Queue.Receive(most) }

func (b box) Done(_ *testing.T, messages ...queue.Message) {
	for _, m := range messages {
		b.Queue.Done(m.ID)
	}
}

func (b box) Lapse(*testing.T) { *b.at = b.at.Add(30 * time.Second) }

func (b box) Dead(*testing.T) []string { return b.Queue.Dead() }

func TestPromises(t *testing.T) {
	queuetest.Run(t, func(*testing.T) queuetest.Box {
		at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		return box{inprocess.New(inprocess.Config{Receives: queuetest.Receives, Now: func() time.Time { return at }}), &at}
	})
}

// TestWork: failed messages and those of a worker that panicked come back after
// the visibility, those that never succeed end as dead letters, and draining ends.
func TestWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := inprocess.New(inprocess.Config{})
		if err := q.Send(t.Context(), "good", "fails once", "panics once", "never", "good", "good"); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		seen := map[string][]time.Duration{}
		began := time.Now()
		q.Work(t.Context(), inprocess.Work{Workers: 3, Batch: 2, Timeout: time.Second, Drain: true, Log: slog.New(slog.DiscardHandler)},
			func(ctx context.Context, messages []queue.Message) (failed []string) {
				if d, ok := ctx.Deadline(); !ok || time.Until(d) != time.Second || len(messages) > 2 {
					t.Errorf("%d messages with the deadline %v", len(messages), d)
				}
				for _, m := range messages {
					mu.Lock()
					seen[m.Body] = append(seen[m.Body], time.Since(began))
					mu.Unlock()
				}
				for _, m := range messages {
					if m.Body == "panics once" && m.Received == 1 {
						panic("killed")
					}
					if m.Body == "never" || m.Body == "fails once" && m.Received == 1 {
						failed = append(failed, m.ID)
					}
				}
				return failed
			})
		if got := time.Since(began); got != 90*time.Second {
			t.Errorf("drained after %v", got)
		}
		if diff := cmp.Diff([]string{"never"}, q.Dead()); diff != "" || q.Left() != 0 {
			t.Error(diff, q.Left())
		}
		const round = 30 * time.Second
		for body, want := range map[string][]time.Duration{"fails once": {0, round}, "panics once": {0, round}, "never": {0, round, 2 * round}} {
			if !slices.Equal(seen[body], want) {
				t.Errorf("%s: delivered after %v, want %v", body, seen[body], want)
			}
		}
	})
}

// TestWorkUntilCancelled: without Drain a worker waits for what is sent later.
func TestWorkUntilCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := inprocess.New(inprocess.Config{})
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan string)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			q.Work(ctx, inprocess.Work{}, func(_ context.Context, messages []queue.Message) []string {
				got <- messages[0].Body
				return nil
			})
		}()
		for _, m := range []string{"first", "second"} {
			synctest.Wait()
			if err := q.Send(ctx, m); err != nil {
				t.Fatal(err)
			}
			if g := <-got; g != m {
				t.Errorf("worked %q, want %q", g, m)
			}
		}
		cancel()
		<-ended
		if q.Left() != 0 {
			t.Errorf("%d left", q.Left())
		}
	})
}
