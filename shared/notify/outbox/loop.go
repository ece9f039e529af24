package outbox

import (
	"context"
	"errors"
	"time"
)

// Loop does jobs, several at a time, until none is due.
type Loop[J any] struct {
	// Take returns jobs that are due, each leased for the time of Lease.
	Take func(context.Context) ([]J, error)
	// Turn names the jobs that are done one after another, in the order in which they were taken; "": at any time.
	Turn func(J) string
	// Do does a job and records what became of it. After an error no other job is begun.
	Do func(context.Context, J) (ended bool, err error)
	// Release gives back a job that was taken and not begun.
	Release func(context.Context, J) error
	Within  time.Duration // more than a job takes
	Lease   time.Duration
	Margin  time.Duration // how long before the deadline of a context no job is begun
	AtOnce  int           // how many jobs are done at a time; 0: one
	Now     func() time.Time
}

// Work does jobs until none is due, an error, or little time before the deadline of the
// context. It returns how many have ended. ErrLater is no fault.
func (l Loop[J]) Work(ctx context.Context) (ended int, err error) {
	type outcome struct {
		turn  string
		ended bool
		err   error
	}
	var taken []J
	var leased time.Time // until when those are
	var faults []error
	running, last, stop := 0, false, false // last: no more are taken; stop: no more are begun
	busy := map[string]bool{}
	outcomes := make(chan outcome)
	for {
		if deadline, limited := ctx.Deadline(); ctx.Err() != nil || limited && time.Until(deadline) < l.Margin {
			stop = true
		}
		if len(taken) == 0 && !last && !stop {
			leased = l.Now().Add(l.Lease)
			taken, err = l.Take(ctx)
			last, faults = err != nil, append(faults, err)
		}
		var waiting []J
		for _, j := range taken {
			turn := l.Turn(j)
			switch {
			case stop || l.Now().Add(l.Within).After(leased): // somebody else may soon take it
				faults = append(faults, l.Release(ctx, j))
			case running == max(l.AtOnce, 1) || busy[turn]:
				waiting = append(waiting, j)
			default:
				running++
				busy[turn] = turn != ""
				go func() {
					ended, err := l.Do(ctx, j)
					outcomes <- outcome{turn, ended, err}
				}()
			}
		}
		taken = waiting
		if running == 0 {
			return ended, errors.Join(faults...)
		}
		o := <-outcomes
		running--
		delete(busy, o.turn)
		if o.ended {
			ended++
		}
		if stop = stop || o.err != nil; !errors.Is(o.err, ErrLater) {
			faults = append(faults, o.err)
		}
	}
}
