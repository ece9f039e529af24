package boltstore

import (
	"bytes"
	"context"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"verdetto/shared/store"
)

var _ store.Whole = (*Store)(nil)

// Each implements store.Whole. It sees what the file holds at one moment.
func (s *Store) Each(ctx context.Context, f func(store.Item) error) error {
	return s.view(ctx, func(b *bolt.Bucket) error {
		now := s.now()
		return b.ForEach(func(k, v []byte) error {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
			}
			partition, sort, ok := bytes.Cut(k, []byte{0})
			if !ok {
				return fmt.Errorf("item %q has no sort key", k)
			}
			item, err := decode(store.Key{Partition: string(partition), Sort: string(sort)}, v)
			if err != nil || item.Expired(now) {
				return err
			}
			return f(item)
		})
	})
}

// placed is how many bytes, about, one transaction of Place holds.
const placed = 8 << 20

// Place implements store.Whole.
func (s *Store) Place(ctx context.Context, items []store.Item, deleted []store.Key) error {
	for len(items)+len(deleted) > 0 {
		var now []store.Item
		for size := 0; len(items) > 0 && size < placed && len(now) < mostTogether; items = items[1:] {
			size += len(items[0].Data)
			now = append(now, items[0])
		}
		n := min(len(deleted), mostTogether)
		gone := deleted[:n]
		deleted = deleted[n:]
		err := s.change(ctx, func(b *bolt.Bucket) error {
			for _, i := range now {
				if err := put(b, store.Op{Item: i}, i.Version-1); err != nil {
					return err
				}
			}
			for _, k := range gone {
				if err := put(b, store.Op{Mode: store.Delete, Item: store.Item{Key: k}}, 0); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("place items: %w", err)
		}
	}
	return nil
}
