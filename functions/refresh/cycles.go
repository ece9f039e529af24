package refresh

import (
	"context"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

const (
	contributionDays = 31
	// closeAfter is longer than a Lambda invocation may last: invocations that began before midnight have ended.
	closeAfter = time.Hour
)

// closeCycles can safely run repeatedly, and in several processes at once.
func (r *Refresher) closeCycles(ctx context.Context, now time.Time, rebuilds bool) (c departure.Cycle, err error) {
	last := fare.DayOf(now.Add(-closeAfter)) - 1
	err = store.RetryConflicts(ctx, func() (err error) {
		c, err = r.closeUntil(ctx, last, rebuilds)
		return err
	})
	if err != nil {
		return c, fmt.Errorf("close cycles: %w", err)
	}
	return c, nil
}

func (r *Refresher) closeUntil(ctx context.Context, last fare.Day, rebuilds bool) (c departure.Cycle, err error) {
	c, stored, err := r.storedPooled(ctx)
	if err != nil || stored.Exists() && (c.Day >= last || rebuilds && c.Pooled == nil) {
		return c, err
	}
	from := max(c.Day+1, last-contributionDays)
	tally := scoreTally{fares: r.Fares, source: r.Source.Name()}
	for day := from; day <= last; day++ {
		all, n, err := r.contributions(ctx, day)
		if err != nil {
			return c, err
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
				return c, err
			}
		}
	}
	if c.Pooled == nil {
		return c, nil
	}
	if err := tally.learn(ctx, c.Pooled, c.Day, last); err != nil {
		return c, err
	}
	c.Day, c.Warmed = last, 0
	now := store.Cycles.Pack(c)
	if err := r.Fares.PutPooled(ctx, stored, now, tally.changed()); err != nil {
		return c, err
	}
	return now.Value() // encoding rounds numbers
}

func (r *Refresher) contributions(ctx context.Context, day fare.Day) (*score.Contribution, int, error) {
	if r.Replay != nil && r.Replay.sums[day] != nil {
		return r.Replay.sums[day], 1, nil
	}
	stored, err := r.Fares.Contributions(ctx, day)
	if err != nil {
		return nil, 0, err
	}
	all, n := new(score.Contribution), 0
	for _, one := range stored {
		switch err := one.AddTo(all); {
		case err == nil:
			n++
		case !errors.Is(err, store.ErrNotFound):
			return nil, 0, fmt.Errorf("read contributions of %s: %w", day, err)
		}
	}
	return all, n, nil
}
