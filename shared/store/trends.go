package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"verdetto/shared/fare"
)

// Coverage is how much data there is for a route.
type Coverage struct {
	Observations int       `json:"n"`
	Sample       int       `json:"s"` // past days with a known cheapest fare
	Newest       time.Time `json:"at"`
	AsOf         fare.Day  `json:"on"` // the refresh that says so
}

// exceeds tells whether a refresh had more data for the route than another.
func (c Coverage) exceeds(than Coverage) bool {
	return c.AsOf > than.AsOf || c.AsOf == than.AsOf && c.Observations > than.Observations
}

// Trends gives the encoded trends of an origin and their version, or ErrNotFound.
func (f Fares) Trends(ctx context.Context, origin fare.City) ([]byte, int64, error) {
	item, err := f.Table.Get(ctx, trendsKey(origin), Eventual)
	if err != nil {
		return nil, 0, fmt.Errorf("read trends of %s: %w", origin, err)
	}
	return item.Data, item.Version, nil
}

func trendsKey(origin fare.City) Key { return Key{"ORIGIN#" + string(origin), "TRENDS"} }

// PutTrends writes the trends of an origin over the version they were made
// from, 0 where there were none, and the coverage of each changed route. The
// trends come last, so that a run that is stopped before them does all again.
func (f Fares) PutTrends(ctx context.Context, origin fare.City, data []byte, version int64, changed map[fare.City]Coverage) error {
	if err := f.Table.Write(ctx, Op{Mode: Set, Item: Item{Key: Key{"COVERED", string(origin)}}}); err != nil {
		return fmt.Errorf("write trends of %s: %w", origin, err)
	}
	for destination, c := range changed {
		if err := f.putCoverage(ctx, Key{"INTO#" + string(destination), string(origin)}, c); err != nil {
			return fmt.Errorf("write coverage of %s-%s: %w", origin, destination, err)
		}
	}
	last := Op{Mode: Replace, Item: Item{Key: trendsKey(origin), Version: version, Data: data}}
	if version == 0 {
		last.Mode = Create
	}
	if err := f.Table.Write(ctx, last); err != nil {
		return fmt.Errorf("write trends of %s: %w", origin, err)
	}
	return nil
}

// putCoverage writes the coverage of a route unless a refresh with more data has.
func (f Fares) putCoverage(ctx context.Context, key Key, c Coverage) error {
	c.Newest = c.Newest.UTC()
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	read := Eventual
	return RetryConflicts(ctx, func() error {
		op := Op{Mode: Create, Item: Item{Key: key, Data: data}}
		had, err := f.Table.Get(ctx, key, read)
		read = Strong // should this read turn out to have lagged behind
		if err == nil {
			var old Coverage
			if err := json.Unmarshal(had.Data, &old); err != nil {
				return err
			}
			if old.exceeds(c) || bytes.Equal(had.Data, data) {
				return nil
			}
			op.Mode, op.Item.Version = Replace, had.Version
		} else if !errors.Is(err, ErrNotFound) {
			return err
		}
		return f.Table.Write(ctx, op)
	})
}

// Covered lists the origins of which routes are stored, in alphabetical order, after one.
func (f Fares) Covered(ctx context.Context, after fare.City, limit int) ([]fare.City, error) {
	items, err := f.Table.Query(ctx, Range{Partition: "COVERED", After: string(after), Limit: limit})
	if err != nil {
		return nil, fmt.Errorf("list covered origins: %w", err)
	}
	origins := make([]fare.City, len(items))
	for i, item := range items {
		origins[i] = fare.City(item.Sort)
	}
	return origins, nil
}

// Into is a route into a destination.
type Into struct {
	Origin fare.City
	Coverage
}

// Into lists the routes into a destination by origin, after one.
func (f Fares) Into(ctx context.Context, destination, after fare.City, limit int) ([]Into, error) {
	items, err := f.Table.Query(ctx, Range{Partition: "INTO#" + string(destination), After: string(after), Limit: limit})
	if err != nil {
		return nil, fmt.Errorf("list routes into %s: %w", destination, err)
	}
	routes := make([]Into, len(items))
	for i, item := range items {
		routes[i].Origin = fare.City(item.Sort)
		if err := json.Unmarshal(item.Data, &routes[i].Coverage); err != nil {
			return nil, fmt.Errorf("read coverage of %s-%s: %w", item.Sort, destination, err)
		}
	}
	return routes, nil
}

var ratesKey = Key{"FARES", "RATES"}

// Rates gives the reference rates of the last refresh, or ErrNotFound.
func (f Fares) Rates(ctx context.Context) (fare.Rates, error) {
	var r fare.Rates
	item, err := f.Table.Get(ctx, ratesKey, Eventual)
	if err == nil {
		err = json.Unmarshal(item.Data, &r)
	}
	if err != nil {
		return fare.Rates{}, fmt.Errorf("read rates: %w", err)
	}
	return r, nil
}

// SetRates stores reference rates for those who convert what is stored.
func (f Fares) SetRates(ctx context.Context, r fare.Rates) error {
	data, err := json.Marshal(r)
	if err == nil {
		err = f.Table.Write(ctx, Op{Mode: Set, Item: Item{Key: ratesKey, Data: data}})
	}
	if err != nil {
		return fmt.Errorf("write rates: %w", err)
	}
	return nil
}

// demandPartition holds the series that were asked for.
const demandPartition = "DEMANDED"

// NoteDemand records until a moment that somebody asked for a series.
func (f Fares) NoteDemand(ctx context.Context, s fare.Series, until time.Time) error {
	if err := f.Table.Write(ctx, Op{Mode: Set, Item: Item{Key: Key{demandPartition, s.String()}, Expires: until}}); err != nil {
		return fmt.Errorf("note demand for %s: %w", s, err)
	}
	return nil
}

// Demanded lists the series that were asked for lately, and are in demand until a moment
// at most: what is in demand for longer was noted by a wrong clock.
func (f Fares) Demanded(ctx context.Context, most time.Time) ([]fare.Series, error) {
	items, err := f.Table.Query(ctx, Range{Partition: demandPartition})
	if err != nil {
		return nil, fmt.Errorf("list series in demand: %w", err)
	}
	items = slices.DeleteFunc(items, func(i Item) bool { return i.Expires.After(most) })
	series := make([]fare.Series, len(items))
	for i, item := range items {
		if series[i], err = fare.ParseSeries(item.Sort); err != nil {
			return nil, fmt.Errorf("list series in demand: %w", err)
		}
	}
	return series, nil
}

// RequestOrigin records until a moment that somebody asked for a route from an origin that is not covered.
func (f Fares) RequestOrigin(ctx context.Context, origin fare.City, until time.Time) error {
	if err := f.Table.Write(ctx, Op{Mode: Set, Item: Item{Key: Key{"WANTED", string(origin)}, Expires: until}}); err != nil {
		return fmt.Errorf("request origin %s: %w", origin, err)
	}
	return nil
}

// RequestedOrigins lists the origins that somebody asked for and that are not covered, until a moment at most: see Demanded.
func (f Fares) RequestedOrigins(ctx context.Context, most time.Time) ([]fare.City, error) {
	items, err := f.Table.Query(ctx, Range{Partition: "WANTED"})
	if err != nil {
		return nil, fmt.Errorf("list requested origins: %w", err)
	}
	items = slices.DeleteFunc(items, func(i Item) bool { return i.Expires.After(most) })
	origins := make([]fare.City, len(items))
	for i, item := range items {
		origins[i] = fare.City(item.Sort)
	}
	return origins, nil
}
