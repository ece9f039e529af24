package limit

import (
	"context"
	"errors"
	"time"

	"verdetto/shared/store"
)

// Calls of one subject take turns, so that a flood meets the memory of its first
// refusal. While a counter is written the next calls gather, and one write counts them
// all. Each has a number of its own, so the cap stays exact; the counter may pass it.

type counter struct {
	key     store.Key
	limit   int64
	to      time.Time // when the window ends
	expires time.Time
}

// waiter is a call that waits to be counted with others. It may stand for several.
type waiter struct {
	ctx   context.Context
	n     int64
	count int64
	err   error
	done  chan struct{}
}

// count counts n calls and gives the number of the last, which may be beyond the limit.
func (l *Limiter) count(ctx context.Context, c counter, n int64) (int64, error) {
	l.mu.Lock()
	if l.isOver(c.key) {
		l.mu.Unlock()
		return 0, store.ErrLimit
	}
	waiting, busy := l.counting[c]
	if !busy {
		l.counting[c] = nil
		l.mu.Unlock()
		defer func() {
			if next := l.next(c); next != nil {
				go l.countAll(c, next)
			}
		}()
		return l.write(ctx, c, n)
	}
	w := &waiter{ctx: ctx, n: n, done: make(chan struct{})}
	l.counting[c] = append(waiting, w)
	l.mu.Unlock()
	select {
	case <-w.done:
		return w.count, w.err
	case <-ctx.Done(): // it is counted all the same
		return 0, context.Cause(ctx)
	}
}

// next gives the calls that have gathered; none, and then nobody is counting any more.
func (l *Limiter) next(c counter) []*waiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := l.counting[c]
	if next == nil {
		delete(l.counting, c)
	} else {
		l.counting[c] = nil
	}
	return next
}

func (l *Limiter) countAll(c counter, waiting []*waiter) {
	for ; waiting != nil; waiting = l.next(c) {
		ctx, cancel := forAll(waiting[0].ctx)
		all := int64(0)
		for _, w := range waiting {
			all += w.n
		}
		count, err := l.write(ctx, c, all)
		cancel()
		count -= all
		for _, w := range waiting {
			count += w.n
			w.count, w.err = count, err
			close(w.done)
		}
	}
}

// forAll is a context for several calls: it has the time of the first, whose
// caller may hang up and takes nobody along.
func forAll(first context.Context) (context.Context, context.CancelFunc) {
	ctx := context.WithoutCancel(first)
	if end, ok := first.Deadline(); ok {
		return context.WithDeadline(ctx, end)
	}
	return ctx, func() {}
}

// write counts n calls in the store, unless the subject is known to be over its cap, and
// remembers when it is.
func (l *Limiter) write(ctx context.Context, c counter, n int64) (int64, error) {
	l.mu.Lock()
	over := l.isOver(c.key)
	l.mu.Unlock()
	if over {
		return 0, store.ErrLimit
	}
	count, err := l.counters.Take(ctx, c.key, n, c.limit, c.expires)
	if errors.Is(err, store.ErrLimit) || err == nil && count > c.limit {
		l.remember(c.key, c.to)
	}
	return count, err
}

// isOver tells whether a subject is known to be over its cap. l.mu is held.
func (l *Limiter) isOver(key store.Key) bool {
	until, ok := l.over[key]
	return ok && l.now().Before(until)
}

func (l *Limiter) remember(key store.Key, until time.Time) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.over) >= remembered {
		for k, u := range l.over {
			if !now.Before(u) {
				delete(l.over, k)
			}
		}
		if len(l.over) >= remembered {
			clear(l.over) // forgetting costs one write for each subject that calls again
		}
	}
	l.over[key] = until
}
