// Package outbox does the work that waits to be sent: mails, messages to phones, events.
//
// Loop is the one mechanism: it takes leased jobs, and does several at a time until none
// is due. Worker adds the outbox of package store: a job that fails waits longer after each
// attempt, is delayed behind first attempts, and is given up in the end.
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

// Worker does the jobs of outboxes, each at least once.
type Worker struct {
	Boxes []store.Outbox // of the first attempts
	// Retries holds the jobs that have failed.
	Retries store.Outbox
	Do      func(context.Context, store.Job) error
	Within  time.Duration // more than a job takes
	// Waits are how long a job waits after each failure. It is given up if it fails after
	// the last. None: a job waits twice as long each time, and is given up after a day.
	Waits   []time.Duration
	AtOnce  int // how many jobs are done at a time; 0: one, as where a carrier takes few mails a second
	Now     func() time.Time
	Log     *slog.Logger
	Metrics metrics.Source
}

// ErrLater ends a Work whose next jobs would end like this one. It is no failure of
// the job, which stays.
var ErrLater = errors.New("no more jobs for now")

const (
	lease = time.Minute
	// A job that fails is given up after givenUpAfter and not before fewestTries: a
	// service that was down for a day has not tried.
	givenUpAfter = 24 * time.Hour
	fewestTries  = 8
	fewestTaken  = 8 // with one read
	// margin is how long before the deadline of a context no job is begun.
	margin = 10 * time.Second
)

var waits = retry.Backoff{First: 15 * time.Second, Longest: time.Hour}

// Work does jobs until none is due, ErrLater, a fault of the store or little time before
// the deadline of the context. It returns how many have ended: done or given up.
// Jobs about one address are done one after another.
func (w Worker) Work(ctx context.Context) (ended int, err error) {
	return Loop[store.Job]{
		Take: w.take, Do: w.do, Release: w.Retries.Release, Turn: func(j store.Job) string { return j.Email },
		Within: w.Within, Lease: lease, Margin: margin, AtOnce: w.AtOnce, Now: w.Now,
	}.Work(ctx)
}

// take takes first attempts, as many as there are places, and one job that has failed
// before, or as many as there are places left.
func (w Worker) take(ctx context.Context) (jobs []store.Job, err error) {
	places := max(w.AtOnce, fewestTaken)
	for _, box := range w.Boxes {
		more, fault := box.Take(ctx, max(1, places/len(w.Boxes)), w.Now(), lease)
		jobs, err = append(jobs, more...), errors.Join(err, fault)
	}
	more, fault := w.Retries.Take(ctx, max(1, places-len(jobs)), w.Now(), lease)
	return append(jobs, more...), errors.Join(err, fault)
}

// do does one job and records what became of it. An error ends the Work.
func (w Worker) do(ctx context.Context, j store.Job) (ended bool, err error) {
	short, cancel := context.WithTimeout(ctx, w.Within)
	defer cancel()
	err = w.Do(short, j)
	switch now := w.Now(); {
	case err == nil:
	case errors.Is(err, ErrLater), ctx.Err() != nil:
		return false, err // it is taken up again when its lease is over
	case w.isGivenUp(j, now):
		w.Log.LogAttrs(ctx, slog.LevelError, "job given up",
			append([]slog.Attr{slog.String("kind", j.Kind), slog.Int("tries", j.Tries+1), slog.Any("error", err)},
				w.Metrics.Attrs(now, metrics.Metric{Name: "JobsGivenUp", Unit: metrics.Count, Value: 1})...)...)
	default:
		w.Log.WarnContext(ctx, "job failed; it is tried again", "kind", j.Kind, "tries", j.Tries+1, "error", err)
		return false, w.Retries.Postpone(ctx, j, now.Add(w.wait(j.Tries)))
	}
	err = w.Retries.Done(ctx, j)
	return err == nil, err
}

// isGivenUp reports whether a job is not tried again that has failed now.
func (w Worker) isGivenUp(j store.Job, now time.Time) bool {
	if w.Waits != nil {
		return j.Tries >= len(w.Waits)
	}
	return now.Sub(j.At) >= givenUpAfter && j.Tries+1 >= fewestTries
}

// wait returns how long a job waits that failed after n attempts before. Without Waits, up to
// half of it is cut at random, so that jobs that failed together are not all due together.
func (w Worker) wait(tries int) time.Duration {
	if w.Waits != nil {
		return w.Waits[tries]
	}
	longest := waits.After(tries + 1)
	return longest - rand.N(longest/2)
}
