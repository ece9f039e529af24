package store

import (
	"context"
	"fmt"
	"time"

	"verdetto/shared/fare"
)

// The sheets of a series lie beside each other, and that of its fares without
// stops first: so the first of them is the one that answers a question about
// flights without stops, whether or not there are two, and it costs one read.
const (
	sheetPrefix = "DEPARTURES#"
	nonStopSort = sheetPrefix + "0"
	anySort     = sheetPrefix + "any"
	learnSort   = sheetPrefix + "learning"
)

func sheetKey(s fare.Series, sort string) Key { return Key{routePartition(s), sort} }

// Sheet gives the encoded departure.State of a series, or ErrNotFound. With
// nonStop it is that of the fares without stops, where there is one, and else
// that of all fares, which says whether these are without stops.
func (f Fares) Sheet(ctx context.Context, s fare.Series, nonStop bool) ([]byte, error) {
	var item Item
	var err error
	if nonStop {
		var items []Item
		items, err = f.Table.Query(ctx, Range{Partition: routePartition(s), Prefix: sheetPrefix, Limit: 1})
		if err == nil && len(items) == 0 {
			err = ErrNotFound
		}
		if err == nil {
			item = items[0]
		}
	} else {
		item, err = f.Table.Get(ctx, sheetKey(s, anySort), Eventual)
	}
	if err != nil {
		return nil, fmt.Errorf("read departures of %s: %w", s, err)
	}
	return item.Data, nil
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

// Departures reads for a refresh (strongly) what is kept of the departures of a series.
func (f Fares) Departures(ctx context.Context, s fare.Series) (Departures, error) {
	items, err := f.Table.Query(ctx, Range{Partition: routePartition(s), Prefix: sheetPrefix, Read: Strong})
	if err != nil {
		return Departures{}, fmt.Errorf("read departures of %s: %w", s, err)
	}
	var d Departures
	for _, item := range items {
		switch item.Sort {
		case anySort:
			d.Any = Versioned{item.Data, item.Version}
		case nonStopSort:
			d.NonStop = Versioned{item.Data, item.Version}
		case learnSort:
			d.Learning = Versioned{item.Data, item.Version}
		}
	}
	return d, nil
}

// Left is what a series leaves in a cycle for the pooled part: an encoded score.Left.
type Left struct {
	Cycle   fare.Day
	Data    []byte
	Expires time.Time
}

// PutDepartures writes what is kept of the departures of a series, each over the
// version it was read at, and what they leave for a cycle in place of what they
// had left for it. All of it takes effect together or nothing does. What has no
// data is not written.
func (f Fares) PutDepartures(ctx context.Context, s fare.Series, d Departures, left Left) error {
	var ops []Op
	for _, w := range []struct {
		sort string
		Versioned
	}{{anySort, d.Any}, {nonStopSort, d.NonStop}, {learnSort, d.Learning}} {
		if w.Data == nil {
			continue
		}
		op := Op{Mode: Replace, Item: Item{Key: sheetKey(s, w.sort), Version: w.Version, Data: w.Data}}
		if w.Version == 0 {
			op.Mode = Create
		}
		ops = append(ops, op)
	}
	if left.Data != nil {
		ops = append(ops, Op{Mode: Set, Item: Item{Key: Key{leftPartition(left.Cycle), s.String()}, Data: left.Data, Expires: left.Expires}})
	}
	if len(ops) == 0 {
		return nil
	}
	if err := f.Table.Write(ctx, ops...); err != nil {
		return fmt.Errorf("write departures of %s: %w", s, err)
	}
	return nil
}

func leftPartition(cycle fare.Day) string { return "LEFT#" + cycle.String() }

// Left lists what all series have left for a cycle.
func (f Fares) Left(ctx context.Context, cycle fare.Day) ([][]byte, error) {
	items, err := f.Table.Query(ctx, Range{Partition: leftPartition(cycle)})
	if err != nil {
		return nil, fmt.Errorf("read what was left on %s: %w", cycle, err)
	}
	left := make([][]byte, len(items))
	for i, item := range items {
		left[i] = item.Data
	}
	return left, nil
}

// LeftBy gives what a series has left for a cycle, or ErrNotFound.
func (f Fares) LeftBy(ctx context.Context, s fare.Series, cycle fare.Day) ([]byte, error) {
	item, err := f.Table.Get(ctx, Key{leftPartition(cycle), s.String()}, Strong)
	if err != nil {
		return nil, fmt.Errorf("read what %s left on %s: %w", s, cycle, err)
	}
	return item.Data, nil
}

var pooledKey = Key{"FARES", "POOLED"}

// Pooled gives the encoded departure.Cycle that was completed last, and its version, or ErrNotFound.
func (f Fares) Pooled(ctx context.Context, read Consistency) ([]byte, int64, error) {
	item, err := f.Table.Get(ctx, pooledKey, read)
	if err != nil {
		return nil, 0, fmt.Errorf("read the pooled part: %w", err)
	}
	return item.Data, item.Version, nil
}

// PutPooled writes a completed cycle over the version it was made from; 0 where
// there was none. What the cycle adds to the score takes effect with it or not at all.
func (f Fares) PutPooled(ctx context.Context, data []byte, version int64, s Score) error {
	op := Op{Mode: Replace, Item: Item{Key: pooledKey, Version: version, Data: data}}
	if version == 0 {
		op.Mode = Create
	}
	if err := f.Table.Write(ctx, append(s.ops(), op)...); err != nil {
		return fmt.Errorf("write the pooled part: %w", err)
	}
	return nil
}
