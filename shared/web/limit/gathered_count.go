package limit

import (
	"context"
	"errors"
	"time"

	"verdetto/shared/store"
)

// While a counter is being written, further calls of the same subject wait, and the next write
// counts them together. Each call gets its own number, so the limit is exact, although the stored
// count may exceed the limit.

type counter struct {
	key     store.Key
	limit   int64
	to      time.Time
	expires time.Time
}

type waiter struct {
	ctx   context.Context
	n     int64
	count int64
	err   error
	done  chan struct{}
}

// The returned count includes the n calls and may exceed the limit.
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
	case <-ctx.Done(): // the call may be counted nevertheless
		return 0, context.Cause(ctx)
	}
}

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

// forAll keeps the deadline of the first call, but not its cancellation, so that one disconnecting
// caller does not cancel the others.
func forAll(first context.Context) (context.Context, context.CancelFunc) {
	ctx := context.WithoutCancel(first)
	if end, ok := first.Deadline(); ok {
		return context.WithDeadline(ctx, end)
	}
	return ctx, func() {}
}

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

// isOver must be called with l.mu held.
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
			clear(l.over) // each forgotten subject costs one write if it calls again
		}
	}
	l.over[key] = until
}
