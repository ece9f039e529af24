package refresh

import (
	"context"
	"errors"
	"fmt"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/trends"
)

type storedSummary struct {
	verdict.RouteSummary
	stored store.Stored[verdict.RouteSummary]
}

func (r *Refresher) summary(ctx context.Context, series fare.Series, read store.Consistency) (s storedSummary, err error) {
	if r.Replay != nil {
		replayed, err := r.Replay.series(ctx, r, series)
		if err == nil {
			s.RouteSummary, err = replayed.summary.Value()
		}
		return s, err
	}
	if s.stored, err = r.Fares.StoredSummary(ctx, series, read); err != nil {
		return s, err
	}
	if s.RouteSummary, err = s.stored.Value(); errors.Is(err, store.ErrNotFound) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("read summary of %s: %w", series, err)
	}
	s.RouteSummary = withoutAhead(s.RouteSummary, r.Now())
	return s, nil
}

// trends returns version 0 if the origin has no trends.
func (r *Refresher) trends(ctx context.Context, origin fare.City) (o trends.Origin, version int64, err error) {
	if o, version, err = r.Fares.Trends(ctx, origin); errors.Is(err, store.ErrNotFound) {
		return o, version, nil
	}
	if err != nil {
		return o, version, fmt.Errorf("read trends of %s: %w", origin, err)
	}
	return o, version, nil
}

func addDropped(to *map[upstream.Reason]int, more map[upstream.Reason]int) {
	for reason, n := range more {
		if *to == nil {
			*to = map[upstream.Reason]int{}
		}
		(*to)[reason] += n
	}
}
