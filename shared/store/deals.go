package store

import (
	"context"
	"fmt"

	"verdetto/shared/fare"
)

func dealsKey(origin fare.City, trip fare.Trip) Key {
	sort := "DEALS"
	if trip != fare.OneWay {
		sort += "#" + trip.String()
	}
	return Key{"ORIGIN#" + string(origin), sort}
}

// Deals gives the encoded deals.Origin of an origin and a kind of trip, and its version, or ErrNotFound.
func (f Fares) Deals(ctx context.Context, origin fare.City, trip fare.Trip) ([]byte, int64, error) {
	return f.deals(ctx, origin, trip, Eventual)
}

// DealsNow is Deals with all that was written before.
func (f Fares) DealsNow(ctx context.Context, origin fare.City, trip fare.Trip) ([]byte, int64, error) {
	return f.deals(ctx, origin, trip, Strong)
}

func (f Fares) deals(ctx context.Context, origin fare.City, trip fare.Trip, read Consistency) ([]byte, int64, error) {
	item, err := f.Table.Get(ctx, dealsKey(origin, trip), read)
	if err != nil {
		return nil, 0, fmt.Errorf("read deals of %s: %w", origin, err)
	}
	return item.Data, item.Version, nil
}

// PutDeals writes the deals of an origin and a kind of trip over the version they were made from; 0 where there were none.
func (f Fares) PutDeals(ctx context.Context, origin fare.City, trip fare.Trip, data []byte, version int64) error {
	op := Op{Mode: Replace, Item: Item{Key: dealsKey(origin, trip), Version: version, Data: data}}
	if version == 0 {
		op.Mode = Create
	}
	if err := f.Table.Write(ctx, op); err != nil {
		return fmt.Errorf("write deals of %s: %w", origin, err)
	}
	return nil
}
