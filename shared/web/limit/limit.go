// Package limit decides whether a call is within its quota. Calls are counted by conditional writes
// to the store, so two simultaneous calls cannot both be the last allowed one. Calls under
// some large limits, such as that of a network, are mostly counted in memory: see CountShared.
//
// A call that cannot be counted is allowed, because the failure is not the caller's fault.
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

// Limit is a maximum number of calls per window. Windows start at multiples of Window in Unix time:
// a day is a UTC day.
type Limit struct {
	Name   string // never change a name: stored keys contain it
	Calls  int64
	Window time.Duration
	// Keep, if longer than Window, is the length of the periods at whose end counters expire, so that
	// Limiter.Usage can add up, for example, all minutes of a day.
	Keep time.Duration
}

func (l Limit) window(now time.Time) (from, to time.Time) { return span(l.Window, now) }

func span(length time.Duration, now time.Time) (from, to time.Time) {
	from = time.Unix(now.Unix()-now.Unix()%int64(length/time.Second), 0).UTC()
	return from, from.Add(length)
}

func (l Limit) Ends(now time.Time) time.Time {
	_, to := l.window(now)
	return to
}

func (l Limit) partition(subject string) string { return "LIMIT#" + l.Name + "#" + subject }

func (l Limit) key(subject string, from time.Time) store.Key {
	return store.Key{Partition: l.partition(subject), Sort: from.Format(time.RFC3339)}
}

type Decision struct {
	Limit     Limit
	Allowed   bool
	Granted   int64
	Counted   bool // false if the counter could not be reached
	Remaining int64
	Reset     time.Time
}

// If the parameter over is true, the call is refused.
func decide(l Limit, count int64, over bool, now time.Time) Decision {
	_, reset := l.window(now)
	return Decision{Limit: l, Allowed: !over, Counted: true, Remaining: max(0, l.Calls-count), Reset: reset}
}

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

func (d Decision) RetryAfter(now time.Time) int64 {
	return max(1, int64((d.Reset.Sub(now)+time.Second-1)/time.Second))
}

type Counters interface {
	Take(ctx context.Context, key store.Key, n, limit int64, expires time.Time) (int64, error)
	Query(ctx context.Context, r store.Range) ([]store.Item, error)
}

// Limiter counts calls against limits. Except for With, the methods are safe for concurrent use.
// Several Limiters may share one store of Counters.
type Limiter struct {
	counters Counters
	now      func() time.Time
	mu       sync.Mutex
	over     map[store.Key]time.Time
	counting map[counter][]*waiter
	shared   map[store.Key]*tally
	calls    map[string]int64
}

// A Limiter remembers at most this many subjects that are over their limit, and this many tallies.
const remembered = 10_000

func New(counters Counters, now func() time.Time) *Limiter {
	return &Limiter{counters: counters, now: now, over: map[store.Key]time.Time{}, counting: map[counter][]*waiter{},
		shared: map[store.Key]*tally{}}
}

// With replaces the maxima of the named limits.
func (l *Limiter) With(calls map[string]int64) *Limiter {
	l.calls = calls
	return l
}

// Set returns the limit with the maximum given to With. A nil Limiter changes nothing.
func (l *Limiter) Set(limit Limit) Limit {
	if l == nil {
		return limit
	}
	if calls, ok := l.calls[limit.Name]; ok {
		limit.Calls = calls
	}
	return limit
}

// If Take returns an error, the call is allowed, and the caller logs the error.
func (l *Limiter) Take(ctx context.Context, limit Limit, subject string) (Decision, error) {
	return l.TakeSeveral(ctx, limit, subject, 1)
}

// TakeSeveral counts n >= 1 calls of a subject in at most one write. If fewer calls are left, only
// those are allowed, and the limit is then reached.
func (l *Limiter) TakeSeveral(ctx context.Context, limit Limit, subject string, n int64) (Decision, error) {
	limit = l.Set(limit)
	now := l.now()
	from, to := limit.window(now)
	c := counter{limit.key(subject, from), limit.Calls, to, to}
	if limit.Keep > limit.Window {
		_, c.expires = span(limit.Keep, now)
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

// Usage returns how many calls are counted in the current window, and in the current period of
// length limit.Keep.
func (l *Limiter) Usage(ctx context.Context, limit Limit, subject string) (window, kept int64, err error) {
	limit = l.Set(limit)
	now := l.now()
	begins, _ := limit.window(now)
	from, _ := span(max(limit.Keep, limit.Window), now)
	items, err := l.counters.Query(ctx, store.Range{Partition: limit.partition(subject),
		After: from.Add(-time.Second).Format(time.RFC3339)})
	if err != nil {
		return 0, 0, fmt.Errorf("read what was counted under %s: %w", limit.Name, err)
	}
	for _, i := range items {
		count, _ := i.Count()
		count = min(count, limit.Calls) // calls that were refused may have been counted with others
		kept += count
		if i.Sort == begins.Format(time.RFC3339) {
			window = count
		}
	}
	return window, kept, nil
}
