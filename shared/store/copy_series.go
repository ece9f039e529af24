package store

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"verdetto/shared/fare"
)

func (f Fares) SeriesItems(ctx context.Context, s fare.Series) ([]Item, error) {
	items, err := f.Table.Query(ctx, Range{Partition: routePartition(s), Read: Strong})
	return items, wrap(err, "read %s", s)
}

func (i Item) IsSummary() bool { return i.Sort == summaryKey(fare.Series{}).Sort }

const rebuiltBytes = 3 << 20

// PutSeriesItems fails with ErrConflict if the stored version of a changed item differs from the
// version that the parameter versions holds. An interrupted call can be repeated.
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
		var old Item
		if at, ok := slices.BinarySearchFunc(stored, i.Sort, bySort); ok {
			old = stored[at]
		}
		if old.Version > 0 && slices.Equal(old.Data, i.Data) && old.Expires.Equal(i.Expires) {
			continue
		}
		if old.Version != versions[i.Sort] {
			return written, wrap(ErrConflict, "write %s", s)
		}
		if size += len(i.Data); len(w.ops) == MaxWrites || size > rebuiltBytes && len(w.ops) > 0 {
			if err := write(); err != nil {
				return written, err
			}
			size = len(i.Data)
		}
		i.Version = old.Version
		w.add(replace(i))
	}
	return written, write()
}

func bySort(i Item, sort string) int { return cmp.Compare(i.Sort, sort) }

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
