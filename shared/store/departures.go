package store

import (
	"context"
	"time"

	"verdetto/shared/fare"
)

// The departure states of a series lie beside each other, and that of its fares without
// stops first. So the first one answers a question about flights without stops,
// whether or not there are two, and it costs one read.
const (
	sheetPrefix = "DEPARTURES#"
	nonStopSort = sheetPrefix + "0"
	anySort     = sheetPrefix + "any"
	learnSort   = sheetPrefix + "learning"
)

// Sheet returns the encoded departure.State of a series, or ErrNotFound. With
// nonStop it is that of the fares without stops, where there is one, and else
// that of all fares, which says whether these are without stops.
func (f Fares) Sheet(ctx context.Context, s fare.Series, nonStop bool) ([]byte, error) {
	if !nonStop {
		data, _, err := f.get(ctx, Key{routePartition(s), anySort}, Eventual, "departures of %s", s)
		return data, err
	}
	items, err := f.Table.Query(ctx, Range{Partition: routePartition(s), Prefix: sheetPrefix, Limit: 1})
	if err == nil && len(items) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return nil, wrap(err, "read departures of %s", s)
	}
	return items[0].Data, nil
}

// Versioned is what an item holds, and the version that it was read at; 0 where there is none.
type Versioned struct {
	Data    []byte
	Version int64
}

// Departures is all that is kept of the departures of a series.
type Departures struct {
	Any, NonStop Versioned // departure.State
	Learning     Versioned // departure.Learning; no answer needs it
}

// parts are what is kept, by sort key.
func (d *Departures) parts() []departuresPart {
	return []departuresPart{{anySort, &d.Any}, {nonStopSort, &d.NonStop}, {learnSort, &d.Learning}}
}

type departuresPart struct {
	sort string
	*Versioned
}

// Departures reads for a refresh (strongly) what is kept of the departures of a series.
func (f Fares) Departures(ctx context.Context, s fare.Series) (d Departures, err error) {
	items, err := f.Table.Query(ctx, Range{Partition: routePartition(s), Prefix: sheetPrefix, Read: Strong})
	for _, item := range items {
		for _, part := range d.parts() {
			if part.sort == item.Sort {
				*part.Versioned = Versioned{item.Data, item.Version}
			}
		}
	}
	return d, wrap(err, "read departures of %s", s)
}

// Left is what a series adds in a cycle to the pooled part: an encoded score.Left.
type Left struct {
	Cycle   fare.Day
	Data    []byte
	Expires time.Time
}

// PutDepartures writes together what is kept of the departures of a series, each over the
// version it was read at, and what they add to a cycle in place of what they had added.
// What has no data is not written.
func (f Fares) PutDepartures(ctx context.Context, s fare.Series, d Departures, left Left) error {
	var w writes
	for _, part := range d.parts() {
		if part.Data != nil {
			w.add(over(Item{Key: Key{routePartition(s), part.sort}, Version: part.Version, Data: part.Data}))
		}
	}
	if left.Data != nil {
		w.add(set(Item{Key: leftKey(s, left.Cycle), Data: left.Data, Expires: left.Expires}))
	}
	return wrap(w.to(ctx, f.Table), "write departures of %s", s)
}

func leftPartition(cycle fare.Day) string { return "LEFT#" + cycle.String() }

func leftKey(s fare.Series, cycle fare.Day) Key { return Key{leftPartition(cycle), s.String()} }

// Left lists what all series have left for a cycle.
func (f Fares) Left(ctx context.Context, cycle fare.Day) ([][]byte, error) {
	data := func(item Item) ([]byte, error) { return item.Data, nil }
	left, err := list(ctx, f.Table, Range{Partition: leftPartition(cycle)}, data)
	return left, wrap(err, "read what was left on %s", cycle)
}

// LeftBy returns what a series has left for a cycle, or ErrNotFound.
func (f Fares) LeftBy(ctx context.Context, s fare.Series, cycle fare.Day) ([]byte, error) {
	data, _, err := f.get(ctx, leftKey(s, cycle), Strong, "what %s left on %s", s, cycle)
	return data, err
}

var pooledKey = Key{"FARES", "POOLED"}

// Pooled returns the encoded departure.Cycle that was completed last, and its version, or ErrNotFound.
func (f Fares) Pooled(ctx context.Context, read Consistency) ([]byte, int64, error) {
	return f.get(ctx, pooledKey, read, "the pooled part")
}

// PutPooled writes a completed cycle over the version it was made from; 0 where
// there was none. What the cycle adds to the score takes effect with it or not at all.
func (f Fares) PutPooled(ctx context.Context, data []byte, version int64, s Score) error {
	pooled := over(Item{Key: pooledKey, Version: version, Data: data})
	return wrap(f.Table.Write(ctx, append(s.ops(), pooled)...), "write the pooled part")
}
