package boltstore

import (
	"bytes"
	"context"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"verdetto/shared/store"
)

// atOnce limits the items in one transaction, because a long delete transaction blocks writers.
const atOnce = 2000

// All includes expired items, and may or may not include changes written during the call.
func (s *Store) All(ctx context.Context, give func(store.Item) error) error {
	for after, more := []byte(nil), true; more; {
		var err error
		after, more, err = s.page(ctx, after, func(k, v []byte) error {
			i, err := decodeItem(k, v)
			if err != nil {
				return err
			}
			return give(i)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func decodeKey(k []byte) (store.Key, error) {
	partition, sort, ok := bytes.Cut(k, []byte{0})
	if !ok {
		return store.Key{}, fmt.Errorf("item %q has no sort key", k)
	}
	return store.Key{Partition: string(partition), Sort: string(sort)}, nil
}

func decodeItem(k, v []byte) (store.Item, error) {
	key, err := decodeKey(k)
	if err != nil {
		return store.Item{}, err
	}
	return decode(key, v)
}

// The slices k and v are valid only during the call of give.
func (s *Store) page(
	ctx context.Context, after []byte, give func(k, v []byte) error,
) (last []byte, more bool, err error) {
	err = s.view(ctx, func(b *bolt.Bucket) error {
		last = after
		c, n := b.Cursor(), 0
		k, v := c.Seek(after)
		if bytes.Equal(k, after) {
			k, v = c.Next()
		}
		for ; k != nil; k, v = c.Next() {
			if n == atOnce {
				more = true
				break
			}
			n++
			if err := give(k, v); err != nil {
				return err
			}
			last = k
		}
		last = bytes.Clone(last)
		return nil
	})
	return last, more, err
}

func (s *Store) Sweep(ctx context.Context) (swept int, err error) {
	for after, more := []byte(nil), true; more; {
		var dead [][]byte
		now := s.now().Unix()
		after, more, err = s.page(ctx, after, func(k, v []byte) error {
			_, expires, _, err := split(v)
			if err != nil {
				return fmt.Errorf("item %q: %w", k, err)
			}
			if expires != 0 && expires <= now {
				dead = append(dead, bytes.Clone(k))
			}
			return nil
		})
		if err != nil {
			return swept, err
		}
		if len(dead) == 0 {
			continue
		}
		err = s.db.Update(func(tx *bolt.Tx) error {
			b := tx.Bucket(bucket)
			for _, k := range dead {
				// The item may have been rewritten or deleted since the read.
				if _, expires, _, err := split(b.Get(k)); err != nil || expires == 0 || expires > now {
					continue
				}
				if err := b.Delete(k); err != nil {
					return err
				}
				swept++
			}
			return nil
		})
		if err != nil {
			return swept, fmt.Errorf("sweep store: %w", translate(err))
		}
	}
	return swept, nil
}
