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

// storedSummary is the summary of a series (route and kind of trip), with its stored bytes and
// version. The zero value stands for a series without a summary.
type storedSummary struct {
	verdict.RouteSummary
	data    []byte
	version int64
}

func (r *Refresher) summary(ctx context.Context, of fare.Series, read store.Consistency) (s storedSummary, err error) {
	s.data, s.version, err = r.Fares.Summary(ctx, of, read)
	if errors.Is(err, store.ErrNotFound) {
		return storedSummary{}, nil
	}
	if err != nil {
		return s, err
	}
	if s.RouteSummary, err = verdict.Decode(s.data); err != nil {
		return s, fmt.Errorf("read summary of %s: %w", of, err)
	}
	s.RouteSummary = withoutAhead(s.RouteSummary, r.Now())
	return s, nil
}

// trends returns the trends of an origin. Version 0 means that no trends are stored: the origin's
// first refresh is incomplete.
func (r *Refresher) trends(ctx context.Context, origin fare.City) (o trends.Origin, version int64, err error) {
	data, version, err := r.Fares.Trends(ctx, origin)
	if errors.Is(err, store.ErrNotFound) {
		return o, 0, nil
	}
	if err != nil {
		return o, version, err
	}
	if o, err = trends.Decode(data); err != nil {
		return o, version, fmt.Errorf("read trends of %s: %w", origin, err)
	}
	return o, version, nil
}

// addDropped adds the numbers of dropped rows, by reason, to another count.
func addDropped(to *map[upstream.Reason]int, more map[upstream.Reason]int) {
	for reason, n := range more {
		if *to == nil {
			*to = map[upstream.Reason]int{}
		}
		(*to)[reason] += n
	}
}
