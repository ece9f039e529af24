package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/verdict/trends"
)

type Coverage struct {
	Observations int       `json:"n"`
	Sample       int       `json:"s"`
	Newest       time.Time `json:"at"`
	AsOf         fare.Day  `json:"on"`
}

func (c Coverage) exceeds(than Coverage) bool {
	return c.AsOf > than.AsOf || c.AsOf == than.AsOf && c.Observations > than.Observations
}

var (
	trendsOfOrigin = &record[trends.Origin]{"trends", trends.Decode, trends.Origin.Encode}
	dealsOfOrigin  = &record[deals.Origin]{"deals", deals.Decode, deals.Origin.Encode}
)

func (f Fares) Trends(ctx context.Context, origin fare.City) (trends.Origin, int64, error) {
	return trendsOfOrigin.value(ctx, f.Table, originKey(origin, "TRENDS"), Eventual)
}

// PutTrends writes the trends last, so that a refresh after an interrupted PutTrends finds the same changes again.
// PutTrends fails if the stored trends have another version than the given one, where 0 means that no trends are
// stored.
func (f Fares) PutTrends(
	ctx context.Context, origin fare.City, o trends.Origin, version int64, changed map[fare.City]Coverage,
) error {
	if err := f.Table.Write(ctx, set(Item{Key: Key{"COVERED", string(origin)}})); err != nil {
		return wrap(err, "write trends of %s", origin)
	}
	for destination, c := range changed {
		if err := f.putCoverage(ctx, coverageKey(fare.Route{Origin: origin, Destination: destination}), c); err != nil {
			return wrap(err, "write coverage of %s-%s", origin, destination)
		}
	}
	_, err := trendsOfOrigin.put(ctx, f.Table, originKey(origin, "TRENDS"), Stored[trends.Origin]{Version: version},
		trendsOfOrigin.Pack(o))
	return err
}

func coverageKey(r fare.Route) Key { return Key{"INTO#" + string(r.Destination), string(r.Origin)} }

func (f Fares) IsCovered(ctx context.Context, r fare.Route) (bool, error) {
	_, err := f.Table.Get(ctx, coverageKey(r), Eventual)
	return err == nil, wrap(unless(err, ErrNotFound), "read coverage of %s", r)
}

func (f Fares) putCoverage(ctx context.Context, key Key, c Coverage) error {
	c.Newest = c.Newest.UTC()
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	read := Eventual
	return RetryConflicts(ctx, func() error {
		old, stored, err := get[Coverage](ctx, f.Table, key, read)
		read = Strong // the first read may have returned an old version
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		if stored.Version > 0 && (old.exceeds(c) || bytes.Equal(stored.Data, data)) {
			return nil
		}
		return f.Table.Write(ctx, replace(Item{Key: key, Version: stored.Version, Data: data}))
	})
}

func cityOf(item Item) (fare.City, error) { return fare.City(item.Sort), nil }

// Covered returns origins in alphabetical order. A limit of 0 means no limit.
func (f Fares) Covered(ctx context.Context, after fare.City, limit int) ([]fare.City, error) {
	r := Range{Partition: "COVERED", After: string(after), Limit: limit}
	origins, err := list(ctx, f.Table, r, cityOf)
	return origins, wrap(err, "list covered origins")
}

type Into struct {
	Origin fare.City
	Coverage
}

func (f Fares) Into(ctx context.Context, destination, after fare.City, limit int) ([]Into, error) {
	r := Range{Partition: "INTO#" + string(destination), After: string(after), Limit: limit}
	routes, err := list(ctx, f.Table, r, func(item Item) (Into, error) {
		route := Into{Origin: fare.City(item.Sort)}
		return route, wrap(json.Unmarshal(item.Data, &route.Coverage), "coverage from %s", item.Sort)
	})
	return routes, wrap(err, "list routes into %s", destination)
}

func dealsKey(origin fare.City, trip fare.Trip) Key {
	if trip == fare.OneWay {
		return originKey(origin, "DEALS")
	}
	return originKey(origin, "DEALS#"+trip.String())
}

func (f Fares) Deals(ctx context.Context, origin fare.City, trip fare.Trip) (deals.Origin, int64, error) {
	return dealsOfOrigin.value(ctx, f.Table, dealsKey(origin, trip), Eventual)
}

func (f Fares) DealsNow(ctx context.Context, origin fare.City, trip fare.Trip) (deals.Origin, int64, error) {
	return dealsOfOrigin.value(ctx, f.Table, dealsKey(origin, trip), Strong)
}

func (f Fares) UpdateDeals(ctx context.Context, origin fare.City, trip fare.Trip,
	change func(deals.Origin) deals.Origin) error {
	return dealsOfOrigin.update(ctx, f.Table, dealsKey(origin, trip), change)
}

type OriginLists struct {
	Trends     trends.Origin
	Coverage   map[fare.City]Coverage
	Deals      map[fare.Trip]deals.Origin
	LastAnswer time.Time
}

// PutOrigin keeps a stored LastAnswer that is later. The result written does not count the
// coverage.
func (f Fares) PutOrigin(ctx context.Context, origin fare.City, l OriginLists) (written int, err error) {
	var items []Item
	for _, trip := range fare.Trips() {
		if listed, is := l.Deals[trip]; is {
			items = append(items, Item{Key: dealsKey(origin, trip), Data: listed.Encode()})
		}
	}
	for _, destination := range slices.Sorted(maps.Keys(l.Coverage)) {
		key := Key{"INTO#" + string(destination), string(origin)}
		if err := f.putCoverage(ctx, key, l.Coverage[destination]); err != nil {
			return 0, wrap(err, "write coverage of %s-%s", origin, destination)
		}
	}
	items = append(items, Item{Key: Key{"COVERED", string(origin)}},
		Item{Key: originKey(origin, "TRENDS"), Data: l.Trends.Encode()})
	for _, i := range items {
		stored, err := f.Table.Get(ctx, i.Key, Strong)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return written, wrap(err, "read lists of %s", origin)
		}
		if stored.Version > 0 && slices.Equal(stored.Data, i.Data) {
			continue
		}
		i.Version = stored.Version
		if err := f.Table.Write(ctx, replace(i)); err != nil {
			return written, wrap(err, "write lists of %s", origin)
		}
		written++
	}
	if last, err := f.LastAnswer(ctx, origin); err != nil || !l.LastAnswer.After(last) {
		return written, err
	}
	return written + 1, f.SetLastAnswer(ctx, origin, l.LastAnswer)
}
