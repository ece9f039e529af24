package store

import (
	"context"
	"time"

	"verdetto/shared/fare"
)

const (
	demanded  = "DEMANDED"
	requested = "WANTED"
)

func (f Fares) NoteDemand(ctx context.Context, s fare.Series, until time.Time) error {
	err := f.Table.Write(ctx, set(Item{Key: Key{demanded, s.String()}, Expires: until}))
	return wrap(err, "note demand for %s", s)
}

func (f Fares) RequestOrigin(ctx context.Context, origin fare.City, until time.Time) error {
	err := f.Table.Write(ctx, set(Item{Key: Key{requested, string(origin)}, Expires: until}))
	return wrap(err, "request origin %s", origin)
}

// Demanded omits items that expire after the parameter most, because only a wrong clock stores
// such items.
func (f Fares) Demanded(ctx context.Context, most time.Time) ([]fare.Series, error) {
	series, err := unexpired(ctx, f.Table, demanded, most, fare.ParseSeries)
	return series, wrap(err, "list series in demand")
}

func (f Fares) RequestedOrigins(ctx context.Context, most time.Time) ([]fare.City, error) {
	origins, err := unexpired(
		ctx, f.Table, requested, most, func(city string) (fare.City, error) { return fare.City(city), nil },
	)
	return origins, wrap(err, "list requested origins")
}

func unexpired[T any](
	ctx context.Context, table Table, partition string, most time.Time, parse func(string) (T, error),
) ([]T, error) {
	items, err := table.Query(ctx, Range{Partition: partition})
	if err != nil {
		return nil, err
	}
	all := []T{}
	for _, item := range items {
		if item.Expires.After(most) {
			continue
		}
		one, err := parse(item.Sort)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}
