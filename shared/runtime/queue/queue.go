// Package queue is the interface to message queues.
//
// # What a Queue promises
//
//   - A Send that returned nil has put every message on the queue.
//   - A Send that failed may have queued some messages, unless the error is ErrInvalid.
//   - Messages are delivered at least once, in any order.
//   - A message whose worker fails or is killed is delivered again, or becomes a dead letter after too many deliveries.
package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
	"unicode/utf8"
)

// Queue is safe for concurrent use.
type Queue interface {
	Send(ctx context.Context, messages ...string) error
}

// A Queue may implement Postponer to delay the next delivery of a failed message.
type Postponer interface {
	Postpone(ctx context.Context, m Message, wait time.Duration) error
}

// Message is one delivery of a message.
type Message struct {
	ID       string // the same in every delivery
	Body     string
	Received int // number of deliveries, including this one
	Receipt  string
}

// Handler returns the IDs of the failed messages, which are delivered again.
type Handler func(ctx context.Context, messages []Message) (failed []string)

// MaxBody limits a message, in bytes.
const MaxBody = 64 << 10

// ErrInvalid means that Send has sent nothing, because a message can never be sent.
var ErrInvalid = errors.New("not a message")

// Each adapter's Send must call Validate first.
func Validate(messages []string) error {
	for i, m := range messages {
		switch {
		case m == "":
			return fmt.Errorf("%w: number %d is empty", ErrInvalid, i+1)
		case len(m) > MaxBody:
			return fmt.Errorf("%w: number %d has %d bytes, at most %d go", ErrInvalid, i+1, len(m), MaxBody)
		case !sendable(m):
			return fmt.Errorf("%w: number %d is no text", ErrInvalid, i+1)
		}
	}
	return nil
}

// SQS refuses most control characters.
func sendable(m string) bool {
	if !utf8.ValidString(m) {
		return false
	}
	for _, r := range m {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return false
		}
	}
	return true
}

// A schedule checks the outbox too, so a lost workSignal only delays work.
const workSignal = `{"work":true}`

// sendTimeout limits for how long a signal can delay an answer.
const sendTimeout = 2 * time.Second

func SignalWorker(q Queue, log *slog.Logger) func() {
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), sendTimeout)
		defer cancel()
		if err := q.Send(ctx, workSignal); err != nil {
			log.Error("the signal for new work in an outbox was not sent; the schedule finds the work", "error", err)
		}
	}
}

// WorkerHandler calls work again only if at least margin is left until the deadline.
const margin = 10 * time.Second

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
