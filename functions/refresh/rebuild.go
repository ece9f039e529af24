package refresh

import (
	"context"
	"errors"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
)

// rebuild recomputes an origin's summaries, without those of airport pairs, if another version of
// the program computed them. The first route of the trends comes last, because isOutdated looks at
// no other route.
func (r *Refresher) rebuild(ctx context.Context, origin fare.City, now time.Time) error {
	known, version, err := r.trends(ctx, origin)
	if err != nil || version == 0 {
		return err
	}
	var to []fare.City
	if n := len(known.Entries); n == 0 { // the trends have an unknown format
		to, err = r.destinations(ctx, origin)
	} else {
		var is bool
		is, err = r.isOutdated(ctx, fare.Route{Origin: origin, Destination: known.Entries[0].Destination})
		if err == nil && !is {
			return nil
		}
		for _, e := range slices.Backward(known.Entries) {
			to = append(to, e.Destination)
		}
	}
	if err != nil {
		return err
	}
	pooled, err := r.pooled(ctx)
	if err != nil {
		return err
	}
	built := summaries{}
	for _, destination := range to {
		for _, trip := range fare.Trips() {
			series := fare.Series{Route: fare.Route{Origin: origin, Destination: destination}, Trip: trip}
			s, err := r.summary(ctx, series, store.Strong)
			if err != nil {
				return err
			}
			if !s.stored.Exists() {
				continue
			}
			m, err := r.mergeSeries(ctx, series, nil, pooled, now, false)
			if err != nil {
				return err
			}
			built.add(series, m)
		}
	}
	return r.updateLists(ctx, origin, built, nil, pooled)
}

func (r *Refresher) isOutdated(ctx context.Context, route fare.Route) (bool, error) {
	series := fare.Series{Route: route}
	_, _, inDeals := r.Fares.Deals(ctx, route.Origin, fare.OneWay)
	_, inSummary := r.Fares.Summary(ctx, series)
	_, inState := r.Fares.Sheet(ctx, series, false)
	for _, err := range []error{inDeals, inSummary, inState} {
		switch {
		case errors.Is(err, packed.ErrVersion):
			return true, nil
		case err != nil && !errors.Is(err, store.ErrNotFound):
			return false, err
		}
	}
	return false, nil
}

func (r *Refresher) destinations(ctx context.Context, origin fare.City) (all []fare.City, err error) {
	for city := range places.Cities() {
		is, err := r.Fares.IsCovered(ctx, fare.Route{Origin: origin, Destination: city})
		if err != nil {
			return nil, err
		}
		if is {
			all = append(all, city)
		}
	}
	return all, nil
}
