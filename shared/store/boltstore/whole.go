package boltstore

import (
	"context"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"verdetto/shared/store"
)

var _ store.Whole = (*Store)(nil)

// Each implements store.Whole.
func (s *Store) Each(ctx context.Context, f func(store.Item) error) error {
	now := s.now()
	return s.All(ctx, func(i store.Item) error {
		if i.Expired(now) {
			return nil
		}
		return f(i)
	})
}

// placed is the approximate number of bytes that Place writes in one transaction: 8 MiB.
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
