package answer

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict/departure"
)

// Fares is what answers are made of, and where it is noted what callers asked for.
// Services have store.Fares; a stand-in of a test embeds the interface and has what the test asks for.
type Fares interface {
	Summary(ctx context.Context, s fare.Series, read store.Consistency) ([]byte, int64, error)
	Sheet(ctx context.Context, s fare.Series, nonStop bool) ([]byte, error)
	Pooled(ctx context.Context, read store.Consistency) ([]byte, int64, error)
	Blocks(ctx context.Context, s fare.Series, read store.Consistency) ([]store.StoredBlock, error)
	Rates(ctx context.Context) (fare.Rates, error)
	Trends(ctx context.Context, origin fare.City) ([]byte, int64, error)
	Deals(ctx context.Context, origin fare.City, trip fare.Trip) ([]byte, int64, error)
	Covered(ctx context.Context, after fare.City, limit int) ([]fare.City, error)
	Into(ctx context.Context, destination, after fare.City, limit int) ([]store.Into, error)
	NoteDemand(ctx context.Context, s fare.Series, until time.Time) error
	RequestOrigin(ctx context.Context, origin fare.City, until time.Time) error
}

// Reader answers questions. It is safe for concurrent use.
type Reader struct {
	Stored Fares
	Now    func() time.Time
	Log    *slog.Logger

	unrecorded bool // what is asked is not noted
	rates      store.Memo[fare.Rates]
	pooled     store.Memo[*departure.Pooled]
	noted      sync.Map // what this process has recorded: series and origins, each with the day
}

// NewReader returns a Reader over stored fares that records what callers ask for.
func NewReader(stored Fares, now func() time.Time, log *slog.Logger) *Reader {
	return &Reader{Stored: stored, Now: now, Log: log}
}

// NewUnrecorded returns a Reader that records no demand, for questions of the service itself.
func NewUnrecorded(stored Fares, now func() time.Time, log *slog.Logger) *Reader {
	return &Reader{Stored: stored, Now: now, Log: log, unrecorded: true}
}

// Rates returns the rates of the last refresh, which a process reads once an hour;
// before the first refresh, only the euro.
func (r *Reader) Rates(ctx context.Context) (fare.Rates, error) {
	now := r.Now()
	return r.rates.Get(now, func() (fare.Rates, time.Duration, error) {
		rates, err := r.Stored.Rates(ctx)
		if errors.Is(err, store.ErrNotFound) {
			return fare.Rates{Date: fare.DayOf(now)}, 0, nil
		}
		return rates, store.MemoTime, err
	})
}

// heldPooled returns the pooled part of the last complete cycle, or nil before the first one.
func (r *Reader) heldPooled(ctx context.Context) (*departure.Pooled, error) {
	return r.pooled.Get(r.Now(), func() (*departure.Pooled, time.Duration, error) {
		data, _, err := r.Stored.Pooled(ctx, store.Eventual)
		if errors.Is(err, store.ErrNotFound) {
			return nil, store.MemoTime, nil
		}
		if err != nil {
			return nil, 0, err
		}
		cycle, err := departure.DecodeCycle(data)
		return cycle.Pooled, store.MemoTime, err
	})
}

const (
	// OriginRequestDays is how long a request is remembered: two refreshes and two days.
	OriginRequestDays = 16
	// demandDays is how long a series is in demand after it was asked for: a cycle, and a day.
	demandDays = 8
)

// noteAsked notes that a series was asked for, of which a read returned an error or none: what is
// covered is then asked of the source every day, the origin of what is not at the next refresh.
func (r *Reader) noteAsked(ctx context.Context, of fare.Series, err error) {
	missing := errors.Is(err, store.ErrNotFound)
	switch {
	case missing && of.Trip == fare.OneWay:
		r.RequestOrigin(ctx, of.Origin)
	case err == nil || missing:
		r.note(ctx, of, func(today fare.Day) error {
			return r.Stored.NoteDemand(ctx, of, (today + demandDays).Time())
		})
	}
}

// RequestOrigin records an origin that is not covered for the next refresh.
func (r *Reader) RequestOrigin(ctx context.Context, origin fare.City) {
	r.note(ctx, origin, func(today fare.Day) error {
		return r.Stored.RequestOrigin(ctx, origin, (today + OriginRequestDays).Time())
	})
}

// note records something once a process and day. It never fails the answer: the next caller tries again.
func (r *Reader) note(ctx context.Context, what any, record func(today fare.Day) error) {
	today := fare.DayOf(r.Now())
	if last, ok := r.noted.Load(what); r.unrecorded || ok && last.(fare.Day) == today {
		return
	}
	if err := record(today); err != nil {
		r.Log.ErrorContext(ctx, "demand not noted", "error", err)
		return
	}
	r.noted.Store(what, today)
}
