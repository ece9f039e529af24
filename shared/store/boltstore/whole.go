package boltstore

import (
	"context"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"verdetto/shared/store"
)

var _ store.Whole = (*Store)(nil)

func (s *Store) Scan(ctx context.Context, after store.Key) (page []store.Item, next store.Key, err error) {
	var from []byte
	if after != (store.Key{}) {
		from = encodeKey(after)
	}
	now := s.now()
	last, more, err := s.page(ctx, from, func(k, v []byte) error {
		i, err := decodeItem(k, v)
		if err == nil && !i.Expired(now) {
			page = append(page, i)
		}
		return err
	})
	if err == nil && more {
		next, err = decodeKey(last)
	}
	return page, next, err
}

const placed = 8 << 20

func (s *Store) Place(ctx context.Context, items []store.Item) error {
	for len(items) > 0 {
		n := 0
		for size := 0; n < len(items) && size < placed && n < mostTogether; n++ {
			size += len(items[n].Data)
		}
		err := s.change(ctx, func(b *bolt.Bucket) error {
			for _, i := range items[:n] {
				stored, err := s.live(b, i.Key)
				if err == nil && stored.Version != 0 && stored.Version != i.Version {
					err = store.ErrConflict
				}
				if err != nil {
					return err
				}
			}
			for _, i := range items[:n] {
				if err := put(b, store.Op{Item: i}, i.Version-1); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("place items: %w", err)
		}
		items = items[n:]
	}
	return nil
}
