package refresh

import (
	"context"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
)

// Budget limits the calls to the source per day (UTC). It counts the calls of all processes,
// failed tries included. A call that cannot be counted is not made.
type Budget struct {
	Calls  store.Calls
	Source string // name of the source
	PerDay int64  // 0: no limit and no counting
	Now    func() time.Time
}

// discoveryShare is the divisor of the part reserved for discovering routes: calls for departures
// stop when one fifth of the budget remains.
const discoveryShare = 5

// Spend counts one call. It fails with upstream.ErrBudget if the budget is spent; departures says
// that the call asks for departures, which may not use the part reserved for discovery.
func (b Budget) Spend(ctx context.Context, departures bool) error {
	if b.PerDay <= 0 {
		return nil
	}
	most := b.PerDay
	if departures {
		most -= b.PerDay / discoveryShare
	}
	day := fare.DayOf(b.Now())
	_, err := b.Calls.Count(ctx, b.Source, day, most)
	switch {
	case errors.Is(err, store.ErrLimit):
		return fmt.Errorf("%w: %d calls were made on %s", upstream.ErrBudget, most, day)
	case err != nil:
		return fmt.Errorf("%w: %w", upstream.ErrUnavailable, err)
	}
	return nil
}
