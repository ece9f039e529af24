// Package outbox runs the jobs that wait to be sent: mails, messages to phones, events.
//
// A failed job is retried after a pause, and is given up in the end.
package outbox

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"verdetto/shared/runtime/metrics"
	"verdetto/shared/runtime/retry"
	"verdetto/shared/store"
)

type Worker struct {
	Boxes   []store.Outbox
	Retries store.Outbox
	Do      func(context.Context, store.Job) error
	Within  time.Duration
	// Waits holds the pause after each failure; a job that fails after the last pause is given up.
	// If Waits is nil, the variable waits and the constants maxAge and fewestTries apply.
	Waits   []time.Duration
	AtOnce  int // concurrent jobs; 0 means 1
	Now     func() time.Time
	Log     *slog.Logger
	Metrics metrics.Source
}

// ErrLater ends a call of Work, because the next jobs would fail in the same way. A job that
// returned ErrLater is due again when its lease ends.
var ErrLater = errors.New("no more jobs for now")

const (
	lease = time.Minute
	// A failed job is given up after maxAge, but not before fewestTries attempts, because this
	// service may have been down.
	maxAge      = 24 * time.Hour
	fewestTries = 8
	minTaken    = 8
	margin      = 10 * time.Second
)

var waits = retry.Backoff{First: 15 * time.Second, Longest: time.Hour}

// A call of Work runs jobs with the same Email one after another, unless Email is empty.
func (w Worker) Work(ctx context.Context) (ended int, err error) {
	return Loop[store.Job]{
		Take: w.take, Do: w.do, Release: w.Retries.Release, Turn: func(j store.Job) string { return j.Email },
		Within: w.Within, Lease: lease, Margin: margin, AtOnce: w.AtOnce, Now: w.Now,
	}.Work(ctx)
}

// take always leaves a place for a failed job, so that first attempts do not crowd out retries.
func (w Worker) take(ctx context.Context) (jobs []store.Job, err error) {
	places := max(w.AtOnce, minTaken)
	for _, box := range w.Boxes {
		more, fault := box.Take(ctx, max(1, places/len(w.Boxes)), w.Now(), lease)
		jobs, err = append(jobs, more...), errors.Join(err, fault)
	}
	more, fault := w.Retries.Take(ctx, max(1, places-len(jobs)), w.Now(), lease)
	return append(jobs, more...), errors.Join(err, fault)
}

func (w Worker) do(ctx context.Context, j store.Job) (ended bool, err error) {
	short, cancel := context.WithTimeout(ctx, w.Within)
	defer cancel()
	err = w.Do(short, j)
	switch now := w.Now(); {
	case err == nil:
	case errors.Is(err, ErrLater), ctx.Err() != nil:
		return false, err
	case w.isGivenUp(j, now):
		w.Log.LogAttrs(ctx, slog.LevelError, "a mail or message of the outbox was given up; its reader may ask again",
			append([]slog.Attr{slog.String("kind", j.Kind), slog.Int("tries", j.Tries+1), slog.Any("error", err)},
				w.Metrics.Attrs(now, metrics.Metric{Name: "JobsGivenUp", Unit: metrics.Count, Value: 1})...)...)
	default:
		w.Log.WarnContext(ctx, "a mail or message of the outbox was not sent; it is tried again for a day", "kind", j.Kind, "tries", j.Tries+1, "error", err)
		return false, w.Retries.Postpone(ctx, j, now.Add(w.wait(j.Tries)))
	}
	err = w.Retries.Delete(ctx, j)
	return err == nil, err
}

func (w Worker) isGivenUp(j store.Job, now time.Time) bool {
	if w.Waits != nil {
		return j.Tries >= len(w.Waits)
	}
	return now.Sub(j.At) >= maxAge && j.Tries+1 >= fewestTries
}

// tries is the number of earlier failures. If Waits is nil, up to half of the pause is cut at
// random, so that jobs that failed together are not retried together.
func (w Worker) wait(tries int) time.Duration {
	if w.Waits != nil {
		return w.Waits[tries]
	}
	longest := waits.After(tries + 1)
	return longest - rand.N(longest/2)
}
