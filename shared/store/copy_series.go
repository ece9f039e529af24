package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/verdict/trends"
)

// A rebuilt series was refreshed in another table, from its own fares and recorded ones. Its items
// are then copied here, unless a refresh changed them meanwhile.

// SeriesItems returns all items of a series: blocks, summary and departure data. The read is
// strong.
func (f Fares) SeriesItems(ctx context.Context, s fare.Series) ([]Item, error) {
	items, err := f.Table.Query(ctx, Range{Partition: routePartition(s), Read: Strong})
	return items, wrap(err, "read %s", s)
}

// IsSummary reports whether the item is the summary of a series.
func (i Item) IsSummary() bool { return i.Sort == summaryKey(fare.Series{}).Sort }

// rebuiltBytes bounds the data of one write, below MaxTogether.
const rebuiltBytes = 3 << 20

// PutSeriesItems makes the items of a series equal to those of another table and returns how many
// it wrote. versions holds the version of each item that they were rebuilt from; it fails with
// ErrConflict if another process has changed an item since. An interrupted call can be repeated:
// equal items are left alone.
func (f Fares) PutSeriesItems(
	ctx context.Context, s fare.Series, items []Item, versions map[string]int64,
) (written int, err error) {
	stored, err := f.SeriesItems(ctx, s)
	if err != nil {
		return 0, err
	}
	var w writes
	size := 0
	write := func() error {
		if err := w.commit(ctx, f.Table); err != nil {
			if errors.Is(err, ErrExists) {
				err = ErrConflict
			}
			return wrap(err, "write %s", s)
		}
		written += len(w.ops)
		w.ops, size = nil, 0
		return nil
	}
	for _, i := range items {
		var had Item
		if at, ok := slices.BinarySearchFunc(stored, i.Sort, bySort); ok {
			had = stored[at]
		}
		if had.Version > 0 && slices.Equal(had.Data, i.Data) && had.Expires.Equal(i.Expires) {
			continue
		}
		if had.Version != versions[i.Sort] {
			return written, wrap(ErrConflict, "write %s", s)
		}
		if size += len(i.Data); len(w.ops) == MaxWrites || size > rebuiltBytes && len(w.ops) > 0 {
			if err := write(); err != nil {
				return written, err
			}
			size = len(i.Data)
		}
		i.Version = had.Version
		w.add(replace(i))
	}
	return written, write()
}

func bySort(i Item, sort string) int { return cmp.Compare(i.Sort, sort) }

// CopyContributions copies the contributions of all series to a cycle from another table. It
// returns how many items it wrote.
func (f Fares) CopyContributions(ctx context.Context, from Fares, cycle fare.Day) (written int, err error) {
	r := Range{Partition: contributionPartition(cycle), Read: Strong}
	items, err := from.Table.Query(ctx, r)
	if err != nil {
		return 0, wrap(err, "read contributions of %s", cycle)
	}
	stored, err := f.Table.Query(ctx, r)
	if err != nil {
		return 0, wrap(err, "read contributions of %s", cycle)
	}
	var w writes
	for _, i := range items {
		at, ok := slices.BinarySearchFunc(stored, i.Sort, bySort)
		if !ok || !slices.Equal(stored[at].Data, i.Data) || !stored[at].Expires.Equal(i.Expires) {
			w.add(set(i))
		}
	}
	return len(w.ops), wrap(w.inTurn(ctx, f.Table), "write contributions of %s", cycle)
}

// Source returns the name of the fare source of the store. It is empty if the store holds no fares,
// or only imported ones.
func (f Fares) Source(ctx context.Context) (string, error) {
	claimed, err := f.Table.Get(ctx, sourceKey, Strong)
	if string(claimed.Data) == imported {
		claimed = Item{}
	}
	return string(claimed.Data), wrap(unless(err, ErrNotFound), "read the source of the fares")
}

// ClaimImported marks a store without a source as one of imported fares. It fails with
// ErrOtherSource if the store holds invented fares.
func (f Fares) ClaimImported(ctx context.Context) error {
	claimed, err := createOrGet(ctx, f.Table, Item{Key: sourceKey, Data: []byte(imported)})
	if err == nil && string(claimed) == Invented {
		err = fmt.Errorf("%w: invented ones; recorded fares need another store", ErrOtherSource)
	}
	return wrap(err, "mark store with its source")
}

// OriginLists holds what an origin's refresh stores beside its series.
type OriginLists struct {
	Trends     trends.Origin
	Coverage   map[fare.City]Coverage
	Deals      map[fare.Trip]deals.Origin
	LastAnswer time.Time
}

// PutOrigin writes the lists of a covered origin and returns how many items it wrote. It leaves
// equal items alone, and keeps a later LastAnswer.
func (f Fares) PutOrigin(ctx context.Context, origin fare.City, l OriginLists) (written int, err error) {
	var items []Item
	for _, trip := range fare.Trips() {
		if of, is := l.Deals[trip]; is {
			items = append(items, Item{Key: dealsKey(origin, trip), Data: of.Encode()})
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
		had, err := f.Table.Get(ctx, i.Key, Strong)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return written, wrap(err, "read lists of %s", origin)
		}
		if had.Version > 0 && slices.Equal(had.Data, i.Data) {
			continue
		}
		i.Version = had.Version
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
