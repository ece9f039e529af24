package outbox

import (
	"context"
	"errors"
	"time"
)

type Loop[J any] struct {
	Take func(context.Context) ([]J, error)
	// Jobs with the same Turn run one after another, in the order of Take. Jobs with an empty Turn
	// run in any order.
	Turn func(J) string
	// If Do returns an error, no further job starts.
	Do      func(context.Context, J) (ended bool, err error)
	Release func(context.Context, J) error
	Within  time.Duration // maximum time of one job
	Lease   time.Duration
	Margin  time.Duration // no jobs are taken within Margin of the context's deadline
	AtOnce  int           // concurrent jobs; 0 means 1
	Now     func() time.Time
}

// Work does not return ErrLater.
func (l Loop[J]) Work(ctx context.Context) (ended int, err error) {
	type outcome struct {
		turn  string
		ended bool
		err   error
	}
	var taken []J
	var leased time.Time
	var faults []error
	running, last, stop := 0, false, false // last: take no more jobs; stop: start no more jobs
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
			case stop || l.Now().Add(l.Within).After(leased): // the lease may end during the job
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
