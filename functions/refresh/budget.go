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

// Budget counts the calls that are made to the source on a day (UTC), whichever
// process makes them, tries that fail included. A call that cannot be counted is
// not made.
type Budget struct {
	Counters store.Table
	Source   string // its name
	PerDay   int64  // 0: no limit, and nothing is counted
	Now      func() time.Time
}

// discoveryShare is the part of a budget, one in so many, that is kept for finding
// out which routes there are: asking for departures stops short of it.
const discoveryShare = 5

// Spend counts one call, of a question for departures or of another kind, and
// refuses with upstream.ErrBudget what is over the budget.
func (b Budget) Spend(ctx context.Context, departures bool) error {
	if b.PerDay <= 0 {
		return nil
	}
	most := b.PerDay
	if departures {
		most -= b.PerDay / discoveryShare
	}
	day := fare.DayOf(b.Now())
	key := store.Key{Partition: "LIMIT#calls#" + b.Source, Sort: day.String()}
	_, err := b.Counters.Take(ctx, key, 1, most, (day + 2).Time())
	switch {
	case errors.Is(err, store.ErrLimit):
		return fmt.Errorf("%w: %d calls were made on %s", upstream.ErrBudget, most, day)
	case err != nil:
		return fmt.Errorf("%w: count a call: %w", upstream.ErrUnavailable, err)
	}
	return nil
}
