package answer

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/trends"
)

// Fares is implemented by store.Fares. Test fakes embed the interface and implement only the
// methods that a test needs.
type Fares interface {
	Summary(ctx context.Context, s fare.Series) (verdict.RouteSummary, error)
	Sheet(ctx context.Context, s fare.Series, nonStop bool) (*departure.State, error)
	Pooled(ctx context.Context) (departure.Cycle, error)
	Blocks(ctx context.Context, s fare.Series, read store.Consistency) ([]store.StoredBlock, error)
	Rates(ctx context.Context) (fare.Rates, error)
	Trends(ctx context.Context, origin fare.City) (trends.Origin, int64, error)
	Deals(ctx context.Context, origin fare.City, trip fare.Trip) (deals.Origin, int64, error)
	Covered(ctx context.Context, after fare.City, limit int) ([]fare.City, error)
	LastRun(ctx context.Context, r store.Run) (time.Time, int64, error)
	Into(ctx context.Context, destination, after fare.City, limit int) ([]store.Into, error)
	NoteDemand(ctx context.Context, s fare.Series, until time.Time) error
	RequestOrigin(ctx context.Context, origin fare.City, until time.Time) error
}

type Reader struct {
	Stored Fares
	Now    func() time.Time
	Log    *slog.Logger

	unrecorded   bool
	rates        store.Memo[fare.Rates]
	pooled       store.Memo[*departure.Pooled]
	recordedDays sync.Map // the last day recorded, by series or origin
	hasFares     atomic.Bool
	origins      store.Memo[[]fare.City]
	destinations sync.Map
}

func NewReader(stored Fares, now func() time.Time, log *slog.Logger) *Reader {
	return &Reader{Stored: stored, Now: now, Log: log}
}

// NewUnrecorded returns a Reader that does not record demand, for questions of the service itself.
func NewUnrecorded(stored Fares, now func() time.Time, log *slog.Logger) *Reader {
	return &Reader{Stored: stored, Now: now, Log: log, unrecorded: true}
}

// Rates caches the exchange rates for 1 hour. Before rates are stored, it returns only the rate of
// the euro.
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

func (r *Reader) cachedPooled(ctx context.Context) (*departure.Pooled, error) {
	return r.pooled.Get(r.Now(), func() (*departure.Pooled, time.Duration, error) {
		cycle, err := r.Stored.Pooled(ctx)
		if errors.Is(err, store.ErrNotFound) {
			return nil, store.MemoTime, nil
		}
		return cycle.Pooled, store.MemoTime, err
	})
}

const (
	// OriginRequestDays is how many days a request for an uncovered origin is stored: two weekly
	// refreshes, with two days to spare.
	OriginRequestDays = 16
	// demandDays is how many days a series stays in demand after a question: a week, with one day
	// to spare.
	demandDays = 8
)

// err is the error of reading the series. If a one-way series is not stored, recordDemand requests
// its origin instead.
func (r *Reader) recordDemand(ctx context.Context, series fare.Series, err error) {
	missing := errors.Is(err, store.ErrNotFound) && !errors.Is(err, packed.ErrVersion)
	switch {
	case missing && series.Trip == fare.OneWay:
		r.RequestOrigin(ctx, series.Origin)
	case err == nil || errors.Is(err, store.ErrNotFound):
		r.note(ctx, series, func(today fare.Day) error {
			return r.Stored.NoteDemand(ctx, series, (today + demandDays).Time())
		})
	}
}

func (r *Reader) RequestOrigin(ctx context.Context, origin fare.City) {
	r.note(ctx, origin, func(today fare.Day) error {
		return r.Stored.RequestOrigin(ctx, origin, (today + OriginRequestDays).Time())
	})
}

// note does not call record if record has succeeded today in this process for the same series or
// origin.
func (r *Reader) note(ctx context.Context, what any, record func(today fare.Day) error) {
	today := fare.DayOf(r.Now())
	if last, ok := r.recordedDays.Load(what); r.unrecorded || ok && last.(fare.Day) == today {
		return
	}
	if err := record(today); err != nil {
		r.Log.ErrorContext(ctx, "demand not noted", "error", err)
		return
	}
	r.recordedDays.Store(what, today)
}
