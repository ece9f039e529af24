package refresh

import (
	"context"
	"fmt"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

const (
	// keepLeft is for how many days what was left for a cycle is kept, should cycles not be closed.
	keepLeft = 31
	// closeAfter is how long after its end a day is closed: longer than an
	// invocation lasts that began on it.
	closeAfter = time.Hour
)

// closeCycles adds to the pooled part, cycle after cycle, what the refreshes of
// past days have left, and to the score with it. Several may do it at once and
// again. What is left for a cycle after it was closed is not counted.
func (r *Refresher) closeCycles(ctx context.Context, now time.Time) error {
	last := fare.DayOf(now.Add(-closeAfter)) - 1
	err := store.RetryConflicts(ctx, func() error { return r.closeUntil(ctx, last) })
	if err != nil {
		return fmt.Errorf("close cycles: %w", err)
	}
	return nil
}

func (r *Refresher) closeUntil(ctx context.Context, last fare.Day) error {
	c, version, err := r.pooledVersion(ctx, store.Strong)
	if err != nil || version > 0 && c.Day >= last {
		return err
	}
	from := max(c.Day+1, last-keepLeft) // what was left before has expired
	tally := scoreTally{fares: r.Fares, source: r.Source.Name()}
	for day := from; day <= last; day++ {
		all, n, err := r.leftOn(ctx, day)
		if err != nil {
			return err
		}
		if n > 0 {
			if c.Pooled == nil {
				c.Pooled = departure.Start(day)
			}
			for _, h := range departure.Horizons() {
				c.Pooled.Learn(h, day, &all.Learned)
			}
			c.Pooled.Fold(day, &all.Learned)
			if err := tally.add(ctx, day, &all.Counts); err != nil {
				return err
			}
		}
	}
	if c.Pooled == nil {
		return nil // nothing was ever left
	}
	if err := tally.learn(ctx, c.Pooled, c.Day, last); err != nil {
		return err
	}
	c.Day, c.Warmed = last, 0
	return r.Fares.PutPooled(ctx, c.Encode(), version, tally.written())
}

// leftOn sums what was left for a cycle, and counts who left it.
func (r *Refresher) leftOn(ctx context.Context, day fare.Day) (*score.Left, int, error) {
	left, err := r.Fares.Left(ctx, day)
	if err != nil {
		return nil, 0, err
	}
	all := new(score.Left)
	for _, data := range left {
		one, err := score.DecodeLeft(data)
		if err != nil {
			return nil, 0, fmt.Errorf("read what was left on %s: %w", day, err)
		}
		all.Add(one)
	}
	return all, len(left), nil
}
