package limit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/store"
)

// tally is what a process knows of a count that many keep together.
type tally struct {
	until   time.Time // when its window ends
	known   int64     // what was counted by anybody, as far as it has learnt, and by itself
	pending int64     // of these, what it has not written yet
	wrote   time.Time
}

const (
	// fewest is how many calls a process counts before it writes them: what is seldom asked writes nothing.
	fewest = 16
	// soft is the least limit that is counted so. Below it what the processes do not know of each
	// other would be much of it.
	soft = 512
	// writeEvery is how long a process waits before it writes a tally again.
	writeEvery = time.Minute
)

// Join counts one call of a subject that stands for many, such as a network. Calls are
// counted in memory and written 16 at a time, at most once a minute, and at the ceiling:
// it is a soft one, which can be passed by what other processes count in a minute.
// A limit below 512 is exact, as with Take.
//
// The error, if any, is for the log: the call is let through.
func (l *Limiter) Join(ctx context.Context, limit Limit, subject string) (Decision, error) {
	if limit.Calls < soft {
		return l.Take(ctx, limit, subject)
	}
	now := l.now()
	key, d, due := l.join(limit, subject, now)
	if due == 0 {
		return d, nil
	}
	_, to := limit.window(now)
	total, err := l.counters.Take(ctx, key, due, limit.Calls, to)
	if errors.Is(err, store.ErrLimit) {
		total, err = limit.Calls, nil // others have reached it; this call is the last to pass
	}
	if err != nil {
		return d, fmt.Errorf("count calls under %s: %w", limit.Name, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.joined[key]; t != nil {
		t.known = max(t.known, total+t.pending)
	}
	return d, nil
}

// Leave takes back one call of Join that came to nothing. It is taken back where it was
// counted, in memory: of what was written before, the next calls make up for it. A limit below
// 512 takes back nothing.
func (l *Limiter) Leave(limit Limit, subject string) {
	from, _ := limit.window(l.now())
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.joined[limit.key(subject, from)]; t != nil && t.known > 0 {
		t.known--
		t.pending--
	}
}

// join counts in memory, and says how many calls are to be written now.
func (l *Limiter) join(limit Limit, subject string, now time.Time) (key store.Key, d Decision, due int64) {
	from, to := limit.window(now)
	key = limit.key(subject, from)
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.joined[key]
	if t == nil {
		l.makeRoom(now)
		t = &tally{until: to}
		l.joined[key] = t
	}
	if t.known >= limit.Calls {
		return key, decide(limit, limit.Calls, true, now), 0
	}
	t.known++
	t.pending++
	// At the ceiling a process counts no more calls, so others would never learn of its last ones.
	if t.pending >= fewest && now.Sub(t.wrote) >= writeEvery || t.known >= limit.Calls && t.pending > 0 {
		due, t.pending, t.wrote = t.pending, 0, now
	}
	return key, decide(limit, t.known, false, now), due
}

// Full tells, from memory alone, whether a subject of Join has reached its ceiling, and what follows.
func (l *Limiter) Full(limit Limit, subject string) (Decision, bool) {
	now := l.now()
	from, _ := limit.window(now)
	l.mu.Lock()
	defer l.mu.Unlock()
	key := limit.key(subject, from)
	t := l.joined[key]
	full := t != nil && t.known >= limit.Calls || l.isOver(key)
	return decide(limit, limit.Calls, full, now), full
}

// makeRoom forgets tallies where there are too many: first those whose window has
// ended, then those that have counted least.
func (l *Limiter) makeRoom(now time.Time) {
	if len(l.joined) < remembered {
		return
	}
	var sum int64
	for k, t := range l.joined {
		if !now.Before(t.until) {
			delete(l.joined, k)
			continue
		}
		sum += t.known
	}
	if n := int64(len(l.joined)); n >= remembered {
		for k, t := range l.joined {
			if t.known <= sum/n {
				delete(l.joined, k)
			}
		}
	}
}
