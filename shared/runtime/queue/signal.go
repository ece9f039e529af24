package queue

import (
	"context"
	"log/slog"
	"time"
)

// workSignal tells a function that there is work in its outbox. It carries nothing:
// the outbox has it all, and a schedule looks there as well, so a signal that gets
// lost costs time and nothing else, and one too many finds nothing to do.
const workSignal = `{"work":true}`

// sendTimeout is how long a signal may delay an answer.
const sendTimeout = 2 * time.Second

// SignalWorker gives the function to call when work was left in an outbox. Where
// the queue does not take the signal, that is logged: the schedule finds the work.
func SignalWorker(q Queue, log *slog.Logger) func() {
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), sendTimeout)
		defer cancel()
		if err := q.Send(ctx, workSignal); err != nil {
			log.Error("signal not sent; the schedule will find the work", "error", err)
		}
	}
}

// margin is how long before its deadline a worker begins nothing more.
const margin = 10 * time.Second

// WorkerHandler handles signals with a function that does some of the work in an
// outbox and says how much it did: again and again, until nothing is left or little
// time is. Several signals at once are one. Where work fails the signals have
// failed, and are delivered again.
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
