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

// Budget limits the calls to the fare source per UTC day, across all processes. Failed calls count too.
type Budget struct {
	Calls  store.Calls
	Source string
	PerDay int64 // no limit if 0
	Now    func() time.Time
}

// discoveryShare reserves a fifth of the day's calls for discovery.
const discoveryShare = 5

// Spend counts one call to the source, which must not be made if Spend fails.
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
