package limit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/store"
)

type tally struct {
	until   time.Time
	total   int64
	pending int64
	wrote   time.Time
}

const (
	// minPending is how many unwritten calls a process collects before it writes, so that a subject
	// with few calls causes no write.
	minPending = 16
	// minSharedLimit is the smallest limit counted in memory. With a smaller limit, the unwritten
	// calls of other processes would matter too much.
	minSharedLimit = 512
	writeEvery     = time.Minute
)

// CountShared counts one call, mostly in memory if the limit is 512 or more. Such a large limit is not
// exact, because a process does not see what other processes have not written yet.
//
// If CountShared returns an error, the call is allowed, and the caller logs the error.
func (l *Limiter) CountShared(ctx context.Context, limit Limit, subject string) (Decision, error) {
	limit = l.Set(limit)
	if limit.Calls < minSharedLimit {
		return l.Take(ctx, limit, subject)
	}
	now := l.now()
	key, d, due := l.countInMemory(limit, subject, now)
	if due == 0 {
		return d, nil
	}
	_, to := limit.window(now)
	total, err := l.counters.Take(ctx, key, due, limit.Calls, to)
	if errors.Is(err, store.ErrLimit) {
		total, err = limit.Calls, nil // other processes reached the limit; this call is still allowed
	}
	if err != nil {
		return d, fmt.Errorf("count calls under %s: %w", limit.Name, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.shared[key]; t != nil {
		t.total = max(t.total, total+t.pending)
	}
	return d, nil
}

// Uncount takes back a call that CountShared counted in memory. Uncount has no effect under a limit
// below 512.
func (l *Limiter) Uncount(limit Limit, subject string) {
	limit = l.Set(limit)
	from, _ := limit.window(l.now())
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.shared[limit.key(subject, from)]; t != nil && t.total > 0 {
		t.total--
		t.pending--
	}
}

func (l *Limiter) countInMemory(limit Limit, subject string, now time.Time) (key store.Key, d Decision, due int64) {
	limit = l.Set(limit)
	from, to := limit.window(now)
	key = limit.key(subject, from)
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.shared[key]
	if t == nil {
		l.makeRoom(now)
		t = &tally{until: to}
		l.shared[key] = t
	}
	if t.total >= limit.Calls {
		return key, decide(limit, limit.Calls, true, now), 0
	}
	t.total++
	t.pending++
	// A process whose limit is reached counts no more calls, so it must write its pending calls
	// now.
	if t.pending >= minPending && now.Sub(t.wrote) >= writeEvery || t.total >= limit.Calls && t.pending > 0 {
		due, t.pending, t.wrote = t.pending, 0, now
	}
	return key, decide(limit, t.total, false, now), due
}

func (l *Limiter) Full(limit Limit, subject string) (Decision, bool) {
	limit = l.Set(limit)
	now := l.now()
	from, _ := limit.window(now)
	l.mu.Lock()
	defer l.mu.Unlock()
	key := limit.key(subject, from)
	t := l.shared[key]
	full := t != nil && t.total >= limit.Calls || l.isOver(key)
	return decide(limit, limit.Calls, full, now), full
}

func (l *Limiter) makeRoom(now time.Time) {
	if len(l.shared) < remembered {
		return
	}
	var sum int64
	for k, t := range l.shared {
		if !now.Before(t.until) {
			delete(l.shared, k)
			continue
		}
		sum += t.total
	}
	if n := int64(len(l.shared)); n >= remembered {
		for k, t := range l.shared {
			if t.total <= sum/n {
				delete(l.shared, k)
			}
		}
	}
}
