package inprocess

import (
	"cmp"
	"context"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"verdetto/shared/queue"
)

// Work is how a queue is worked off.
type Work struct {
	Workers int           // at a time; 1
	Batch   int           // messages at a time for each; 1
	Timeout time.Duration // the deadline of a batch; none
	Drain   bool          // end when the queue is empty, rather than when the context ends
	Log     *slog.Logger  // of panics; slog.Default()
}

// Work hands messages to a handler until the context ends. A handler that panics
// has not reported: its messages come back, as those of a killed process would.
func (q *Queue) Work(ctx context.Context, w Work, handle queue.Handler) {
	var workers sync.WaitGroup
	for range max(1, w.Workers) {
		workers.Go(func() {
			for ctx.Err() == nil {
				messages, changed, next := q.receive(max(1, w.Batch))
				if len(messages) > 0 {
					q.one(ctx, w, handle, messages)
					continue
				}
				if w.Drain && q.Left() == 0 {
					return
				}
				q.wait(ctx, changed, next)
			}
		})
	}
	workers.Wait()
}

// one works a batch.
func (q *Queue) one(ctx context.Context, w Work, handle queue.Handler, messages []queue.Message) {
	defer func() {
		if v := recover(); v != nil {
			cmp.Or(w.Log, slog.Default()).ErrorContext(ctx, "worker panicked; its messages come back", "value", v, "stack", string(debug.Stack()))
		}
	}()
	if w.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, w.Timeout)
		defer cancel()
	}
	failed := handle(ctx, messages)
	var done []string
	for _, m := range messages {
		if !slices.Contains(failed, m.ID) {
			done = append(done, m.ID)
		}
	}
	q.Done(done...)
}

// wait returns when there may be something to deliver.
func (q *Queue) wait(ctx context.Context, changed <-chan struct{}, next time.Time) {
	var due <-chan time.Time
	if !next.IsZero() {
		timer := time.NewTimer(max(0, next.Sub(q.config.Now())))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-ctx.Done():
	case <-changed:
	case <-due:
	}
}
