// Package limit decides whether a call is within its cap. Counting is one conditional
// write to the store, so that no call slips through between reading and writing; what
// many subjects do together is counted in memory: see Join.
//
// A Limiter remembers subjects over their cap until the window ends. When the counter
// cannot be reached the call is let through: our fault is not charged to the caller.
package limit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"verdetto/shared/store"
)

// Limit is so many calls in each window. Windows are counted from the zero of
// Unix time, so a day is a UTC day and a minute begins with its first second.
type Limit struct {
	Name   string // stable: it is part of the stored key (LIMIT, in package store)
	Calls  int64
	Window time.Duration
	// Kept, where it is longer than Window, is the span to whose end counters are
	// kept, so that Used can add them up: a day's minutes to the end of the day.
	Kept time.Duration
}

func (l Limit) window(now time.Time) (from, to time.Time) { return span(l.Window, now) }

func span(of time.Duration, now time.Time) (from, to time.Time) {
	from = time.Unix(now.Unix()-now.Unix()%int64(of/time.Second), 0).UTC()
	return from, from.Add(of)
}

// Ends is when the window that a moment lies in ends.
func (l Limit) Ends(now time.Time) time.Time {
	_, to := l.window(now)
	return to
}

func (l Limit) partition(subject string) string { return "LIMIT#" + l.Name + "#" + subject }

func (l Limit) key(subject string, from time.Time) store.Key {
	return store.Key{Partition: l.partition(subject), Sort: from.Format(time.RFC3339)}
}

// Decision is the outcome for one call, or for several that were counted together.
type Decision struct {
	Limit     Limit
	Allowed   bool  // of several: at least one
	Granted   int64 // of several: how many, the first of them
	Counted   bool  // false where the counter could not be reached
	Remaining int64
	Reset     time.Time // when the window ends
}

// decide says what follows from a count after the call; over is a call that was not counted because
// the cap was reached.
func decide(l Limit, count int64, over bool, now time.Time) Decision {
	_, reset := l.window(now)
	return Decision{Limit: l, Allowed: !over, Counted: true, Remaining: max(0, l.Calls-count), Reset: reset}
}

// Headers writes X-RateLimit-*, and the same as the draft of the IETF has it
// (draft-ietf-httpapi-ratelimit-headers). A refused call is told in Retry-After how many
// whole seconds to wait.
func (d Decision) Headers(h http.Header, now time.Time) {
	h.Set("X-RateLimit-Limit", strconv.FormatInt(d.Limit.Calls, 10))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(d.Reset.Unix(), 10))
	h.Set("RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=%d", d.Limit.Name, d.Limit.Calls,
		int64(d.Limit.Window/time.Second)))
	if d.Counted {
		h.Set("X-RateLimit-Remaining", strconv.FormatInt(d.Remaining, 10))
		h.Set("RateLimit", fmt.Sprintf("%q;r=%d;t=%d", d.Limit.Name, d.Remaining, d.RetryAfter(now)))
	}
	if !d.Allowed {
		h.Set("Retry-After", strconv.FormatInt(d.RetryAfter(now), 10))
	}
}

// RetryAfter is how many whole seconds to wait; after that many, a call is counted in the next window.
func (d Decision) RetryAfter(now time.Time) int64 {
	return max(1, int64((d.Reset.Sub(now)+time.Second-1)/time.Second))
}

// Counters is where calls are counted; store.Table provides it.
type Counters interface {
	Take(ctx context.Context, key store.Key, n, limit int64, expires time.Time) (int64, error)
	Query(ctx context.Context, r store.Range) ([]store.Item, error)
}

// Limiter counts calls. It is safe for concurrent use; any number of them may share the counters.
type Limiter struct {
	counters Counters
	now      func() time.Time
	mu       sync.Mutex
	over     map[store.Key]time.Time // subjects over their cap, and until when
	counting map[counter][]*waiter   // calls of subjects whose counter is being written, which wait for the next write
	joined   map[store.Key]*tally    // see Join
}

// remembered is how many subjects over their cap a Limiter remembers, and how many tallies: about 2 MB of each.
const remembered = 10_000

// New makes a Limiter.
func New(counters Counters, now func() time.Time) *Limiter {
	return &Limiter{counters: counters, now: now, over: map[store.Key]time.Time{}, counting: map[counter][]*waiter{},
		joined: map[store.Key]*tally{}}
}

// Take counts one call of a subject. The error, if any, is for the log: the call is let through.
func (l *Limiter) Take(ctx context.Context, limit Limit, subject string) (Decision, error) {
	return l.TakeSeveral(ctx, limit, subject, 1)
}

// TakeSeveral counts n calls of a subject, which is 1 or more, in one conditional
// write. Where fewer are left than n, those are granted and the cap is reached.
func (l *Limiter) TakeSeveral(ctx context.Context, limit Limit, subject string, n int64) (Decision, error) {
	now := l.now()
	from, to := limit.window(now)
	c := counter{limit.key(subject, from), limit.Calls, to, to}
	if limit.Kept > limit.Window {
		_, c.expires = span(limit.Kept, now)
	}
	count, err := l.count(ctx, c, n)
	switch {
	case err == nil:
		granted := max(0, n-max(0, count-limit.Calls))
		d := decide(limit, count, granted == 0, now)
		d.Granted = granted
		return d, nil
	case errors.Is(err, store.ErrLimit):
		return decide(limit, limit.Calls, true, now), nil
	}
	return Decision{Limit: limit, Allowed: true, Granted: n, Reset: to},
		fmt.Errorf("count a call under %s: %w", limit.Name, err)
}

// Used gives how many calls of a subject were counted in the present window and in
// the present span of Kept. It counts none.
func (l *Limiter) Used(ctx context.Context, limit Limit, subject string) (window, kept int64, err error) {
	now := l.now()
	begins, _ := limit.window(now)
	from, _ := span(max(limit.Kept, limit.Window), now)
	items, err := l.counters.Query(ctx, store.Range{Partition: limit.partition(subject),
		After: from.Add(-time.Second).Format(time.RFC3339)})
	if err != nil {
		return 0, 0, fmt.Errorf("read what was counted under %s: %w", limit.Name, err)
	}
	for _, i := range items {
		count, _ := i.Count()
		count = min(count, limit.Calls) // calls beyond it were counted with others, and refused
		kept += count
		if i.Sort == begins.Format(time.RFC3339) {
			window = count
		}
	}
	return window, kept, nil
}
