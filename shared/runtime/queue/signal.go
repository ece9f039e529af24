package queue

import (
	"context"
	"log/slog"
	"time"
)

// workSignal tells a function that its outbox contains work. A schedule checks the outbox too: a
// lost signal only delays work, and one too many finds none.
const workSignal = `{"work":true}`

// sendTimeout is the longest that a signal may delay an answer.
const sendTimeout = 2 * time.Second

// SignalWorker returns a function that sends the signal. It only logs an error, because the
// schedule finds the work later.
func SignalWorker(q Queue, log *slog.Logger) func() {
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), sendTimeout)
		defer cancel()
		if err := q.Send(ctx, workSignal); err != nil {
			log.Error("the signal for new work in an outbox was not sent; the schedule finds the work", "error", err)
		}
	}
}

// margin is how long before its deadline a worker starts no more work.
const margin = 10 * time.Second

// WorkerHandler calls work, which runs some jobs of the outbox and returns how many, until the
// outbox is empty or little time remains. Several signals count as one. If work fails, all signals
// are delivered again.
func WorkerHandler(work func(context.Context) (done int, err error), log *slog.Logger) Handler {
	return func(ctx context.Context, messages []Message) (failed []string) {
		deadline, limited := ctx.Deadline()
		for {
			done, err := work(ctx)
			if err != nil {
				log.ErrorContext(ctx, "work in the outbox failed; it is tried again", "error", err)
				for _, m := range messages {
					failed = append(failed, m.ID)
				}
				return failed
			}
			if done == 0 || limited && time.Until(deadline) < margin {
				return nil
			}
		}
	}
}
