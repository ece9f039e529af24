// Package outbox does the jobs that outboxes hold.
//
// Several jobs are done at a time, until none is due. A job that fails waits, twice
// as long after each attempt, in an outbox of its own, and is given up after a day.
// Most attempts are first ones wherever first ones are due: jobs that fail again and
// again delay the others little. Worker is where to start reading.
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
	AtOnce  int           // how many jobs are done at a time; 0: one, as where a carrier takes few mails a second
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
func (w Worker) Work(ctx context.Context) (ended int, err error) {
	type outcome struct {
		email string
		ended bool
		err   error
	}
	var taken []store.Job
	var faults []error
	running, last, stop := 0, false, false // last: no more are taken; stop: no more are begun
	busy := map[string]bool{}              // jobs about one address are done one after another
	outcomes := make(chan outcome)
	for {
		if deadline, limited := ctx.Deadline(); ctx.Err() != nil || limited && time.Until(deadline) < margin {
			stop = true
		}
		if len(taken) == 0 && !last && !stop {
			taken, err = w.take(ctx)
			last, faults = err != nil, append(faults, err)
		}
		var waiting []store.Job
		for _, j := range taken {
			switch {
			case stop || w.Now().Add(w.Within).After(j.Leased): // somebody else may soon take it
				faults = append(faults, w.Retries.Release(ctx, j))
			case running == max(w.AtOnce, 1) || busy[j.Email]:
				waiting = append(waiting, j)
			default:
				running++
				busy[j.Email] = j.Email != ""
				go func() {
					ended, err := w.do(ctx, j)
					outcomes <- outcome{j.Email, ended, err}
				}()
			}
		}
		taken = waiting
		if running == 0 {
			return ended, errors.Join(faults...)
		}
		o := <-outcomes
		running--
		delete(busy, o.email)
		if o.ended {
			ended++
		}
		if stop = stop || o.err != nil; !errors.Is(o.err, ErrLater) {
			faults = append(faults, o.err)
		}
	}
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
	case now.Sub(j.At) >= givenUpAfter && j.Tries+1 >= fewestTries:
		w.Log.LogAttrs(ctx, slog.LevelError, "job given up", append([]slog.Attr{slog.String("kind", j.Kind), slog.Int("tries", j.Tries+1), slog.Any("error", err)},
			w.Metrics.Attrs(now, metrics.Metric{Name: "JobsGivenUp", Unit: metrics.Count, Value: 1})...)...)
	default:
		w.Log.WarnContext(ctx, "job failed; it is tried again", "kind", j.Kind, "tries", j.Tries+1, "error", err)
		return false, w.Retries.Postpone(ctx, j, now.Add(wait(j.Tries)))
	}
	err = w.Retries.Done(ctx, j)
	return err == nil, err
}

// wait is how long a job waits that failed after so many attempts before. Up to half of it is
// cut at random, so that jobs that failed together are not all due together.
func wait(tries int) time.Duration {
	longest := waits.After(tries + 1)
	return longest - rand.N(longest/2)
}
