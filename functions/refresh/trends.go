package refresh

import (
	"context"
	"reflect"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict/trends"
)

func (r *Refresher) updateTrends(ctx context.Context, origin fare.City, entries []trends.Entry) error {
	return store.RetryConflicts(ctx, func() error { return r.updateTrendsOnce(ctx, origin, entries) })
}

func (r *Refresher) updateTrendsOnce(ctx context.Context, origin fare.City, entries []trends.Entry) error {
	old, version, err := r.trends(ctx, origin)
	if err != nil {
		return err
	}
	old.Entries = slices.DeleteFunc(old.Entries,
		func(e trends.Entry) bool { return isDayAhead(e.AsOf, fare.DayOf(r.Now())) })
	var newer []trends.Entry
	changed := map[fare.City]store.Coverage{}
	for _, e := range entries {
		previous, ok := old.Entry(e.Destination)
		if ok && (reflect.DeepEqual(previous, e) || previous.AsOf > e.AsOf || previous.AsOf == e.AsOf &&
			previous.Observations > e.Observations) {
			continue
		}
		newer = append(newer, e)
		changed[e.Destination] = store.Coverage{Observations: e.Observations, Sample: e.Sample,
			Newest: time.Unix(e.Newest, 0), AsOf: e.AsOf}
	}
	if len(newer) == 0 {
		return nil
	}
	if r.Replay != nil {
		changed = nil // a Replay does not store the coverage of routes
	}
	return r.Fares.PutTrends(ctx, origin, old.Merge(newer), version, changed)
}
