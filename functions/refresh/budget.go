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

// Budget limits the calls to the fare source per UTC day across all processes. Failed calls count
// too. A call that cannot be counted is not made.
type Budget struct {
	Calls  store.Calls
	Source string
	PerDay int64 // 0: no limit and no counting
	Now    func() time.Time
}

// discoveryShare reserves 1/5 of the day's calls for finding new routes. Calls for departures of a
// known route stop when only this fifth is left.
const discoveryShare = 5

// Spend counts one call before it is made; it fails with upstream.ErrBudget if the budget is spent.
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
