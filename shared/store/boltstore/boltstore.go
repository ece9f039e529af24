// Package boltstore keeps a store.Table in one file, for a desk.
package boltstore

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"

	"verdetto/shared/store"
)

var bucket = []byte("items")

// Option chooses how the file is kept.
type Option func(*bolt.Options)

// Scratch is for a file that is thrown away at the end: writes are not waited for.
func Scratch(o *bolt.Options) { o.NoSync = true }

// Store is an open file.
type Store struct {
	db  *bolt.DB
	now func() time.Time
}

// Open opens or makes the file.
func Open(path string, now func() time.Time, options ...Option) (*Store, error) {
	o := &bolt.Options{Timeout: time.Second, FreelistType: bolt.FreelistMapType}
	for _, f := range options {
		f(o)
	}
	db, err := bolt.Open(path, 0o600, o)
	if errors.Is(err, bolt.ErrTimeout) {
		return nil, fmt.Errorf("open store %s: another process has it open", path)
	}
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	db.MaxBatchDelay = 2 * time.Millisecond
	if err := db.Update(func(tx *bolt.Tx) error { _, err := tx.CreateBucketIfNotExists(bucket); return err }); err != nil {
		db.Close()
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	return &Store{db, now}, nil
}

// Close closes the file.
func (s *Store) Close() error { return s.db.Close() }

func encodeKey(k store.Key) []byte { return []byte(k.Partition + "\x00" + k.Sort) }

func encode(version int64, expires time.Time, data []byte) []byte {
	b := binary.AppendVarint(nil, version)
	var e int64
	if !expires.IsZero() {
		e = expires.Unix()
	}
	return append(binary.AppendVarint(b, e), data...)
}

func decode(k store.Key, v []byte) (store.Item, error) {
	version, n := binary.Varint(v)
	if n <= 0 {
		return store.Item{}, errors.New("corrupt item")
	}
	e, m := binary.Varint(v[n:])
	if m <= 0 {
		return store.Item{}, errors.New("corrupt item")
	}
	i := store.Item{Key: k, Version: version, Data: append([]byte(nil), v[n+m:]...)}
	if e != 0 {
		i.Expires = time.Unix(e, 0).UTC()
	}
	return i, nil
}

// Get implements store.Table.
func (s *Store) Get(ctx context.Context, key store.Key, _ store.Consistency) (item store.Item, err error) {
	if err := ctx.Err(); err != nil {
		return item, err
	}
	err = s.db.View(func(tx *bolt.Tx) error {
		item, err = s.live(tx, key)
		if err == nil && item.Version == 0 {
			err = store.ErrNotFound
		}
		return err
	})
	return item, err
}

func (s *Store) live(tx *bolt.Tx, key store.Key) (store.Item, error) {
	v := tx.Bucket(bucket).Get(encodeKey(key))
	if v == nil {
		return store.Item{Key: key}, nil
	}
	i, err := decode(key, v)
	if err == nil && i.Expired(s.now()) {
		return store.Item{Key: key}, nil
	}
	return i, err
}

// Query implements store.Table.
func (s *Store) Query(ctx context.Context, r store.Range) (items []store.Item, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = s.db.View(func(tx *bolt.Tx) error {
		c := tx.Bucket(bucket).Cursor()
		part := r.Partition + "\x00"
		from := part + r.Prefix
		if after := part + r.After + "\x00"; r.After != "" && after > from {
			from = after
		}
		for k, v := c.Seek([]byte(from)); k != nil && strings.HasPrefix(string(k), part+r.Prefix); k, v = c.Next() {
			i, err := decode(store.Key{Partition: r.Partition, Sort: string(k[len(part):])}, v)
			if err != nil {
				return err
			}
			if i.Expired(s.now()) {
				continue
			}
			items = append(items, i)
			if r.Limit > 0 && len(items) == r.Limit {
				break
			}
		}
		return nil
	})
	return items, err
}

// Write implements store.Table.
func (s *Store) Write(ctx context.Context, ops ...store.Op) error {
	if err := store.Validate(ops); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.db.Batch(func(tx *bolt.Tx) error {
		b := tx.Bucket(bucket)
		for _, op := range ops {
			had, err := s.live(tx, op.Item.Key)
			if err != nil {
				return err
			}
			k := encodeKey(op.Item.Key)
			switch op.Mode {
			case store.Create:
				if had.Version != 0 {
					return store.ErrExists
				}
			case store.Replace, store.Check:
				if had.Version != op.Item.Version {
					return store.ErrConflict
				}
			}
			switch op.Mode {
			case store.Delete:
				err = b.Delete(k)
			case store.Check:
			default:
				err = b.Put(k, encode(had.Version+1, op.Item.Expires, op.Item.Data))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Take implements store.Table.
func (s *Store) Take(ctx context.Context, key store.Key, limit int64, expires time.Time) (count int64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	err = s.db.Batch(func(tx *bolt.Tx) error {
		had, err := s.live(tx, key)
		if err != nil {
			return err
		}
		count = 0
		if had.Version != 0 {
			count, _ = binary.Varint(had.Data)
			expires = had.Expires
		}
		if count >= limit {
			return store.ErrLimit
		}
		count++
		return tx.Bucket(bucket).Put(encodeKey(key), encode(had.Version+1, expires, binary.AppendVarint(nil, count)))
	})
	return count, err
}
