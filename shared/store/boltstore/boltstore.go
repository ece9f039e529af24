// Package boltstore implements store.Table in one file of the database bbolt, for one machine. Start with Open.
// Open changes no file that is found to be damaged or of another program.
package boltstore

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"verdetto/shared/store"
)

var bucket = []byte("items")

type Option func(*bolt.Options)

// Scratch makes writes fast but not durable, for temporary files.
func Scratch(o *bolt.Options) { o.NoSync = true }

type Store struct {
	db     *bolt.DB
	now    func() time.Time
	group  group
	failed atomic.Int64 // Unix nanoseconds of the last write that failed with ErrUnavailable
}

var _ store.Table = (*Store)(nil)

// Without NoFreelistSync, each commit would write the list of free pages, which is slow for a large file.
func writable() *bolt.Options {
	return &bolt.Options{Timeout: time.Second, FreelistType: bolt.FreelistMapType, NoFreelistSync: true}
}

// Open creates a missing file, and removes the checksum at the end of a backup.
func Open(path string, now func() time.Time, options ...Option) (*Store, error) {
	o := writable()
	for _, f := range options {
		f(o)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := create(path); err != nil {
			return nil, openError(path, err)
		}
	case err == nil && info.Mode().IsRegular():
		db, _, err := verified(path)
		if err != nil {
			return nil, err
		}
		db.Close()
	}
	db, err := bolt.Open(path, 0o600, o)
	if err != nil {
		return nil, openError(path, err)
	}
	if err := unseal(path); err != nil {
		db.Close()
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	s := &Store{db: db, now: now, group: group{db: db, most: mostTogether}}
	if err := s.prepare(path); err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

// create renames the file when it is complete, so that a killed process leaves no incomplete store at path.
func create(path string) error {
	begun := path + ".new"
	if err := os.Remove(begun); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	db, err := bolt.Open(begun, 0o600, writable())
	if err == nil {
		err = cmp.Or(db.Update(createBucket), db.Close())
	}
	if err == nil {
		err = os.Rename(begun, path)
	}
	if err != nil {
		_ = os.Remove(begun)
	}
	return err
}

var ErrInUse = errors.New("another process has it open")

func advice(err error) string {
	if errors.Is(err, syscall.ENOSPC) {
		return "; free some space on the disk, then start again"
	}
	return ""
}

func openError(path string, err error) error {
	var system *fs.PathError
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return fmt.Errorf("open store %s: %w", path, ErrInUse)
	case errors.As(err, &system):
		return fmt.Errorf("open store %s: %w%s", path, err, advice(err))
	}
	return notAStore(path, err)
}

// sealed is true for a backup, whose checksum Read has verified.
func Read(path string, now func() time.Time) (s *Store, sealed bool, err error) {
	db, sealed, err := verified(path)
	if err != nil {
		return nil, false, err
	}
	err = db.View(func(tx *bolt.Tx) error {
		if tx.Bucket(bucket) == nil {
			return notAStore(path, errors.New("it is the database of another program"))
		}
		return nil
	})
	if err != nil {
		db.Close()
		return nil, false, err
	}
	return &Store{db: db, now: now, group: group{db: db, most: mostTogether}}, sealed, nil
}

func verified(path string) (db *bolt.DB, sealed bool, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("open store %s: %w", path, err)
	case info.Size() == 0:
		return nil, false, notAStore(path, errors.New("it is empty")) // bolt.Open would make an empty file a database
	}
	// bolt.Open checks only the two meta pages.
	db, err = bolt.Open(path, 0o600, &bolt.Options{Timeout: time.Second, ReadOnly: true})
	if err != nil {
		return nil, false, openError(path, err)
	}
	if sealed, err = checkSeal(path); err == nil {
		err = verifyPages(path, db.Info().PageSize)
	}
	if err != nil {
		db.Close()
		return nil, false, notAStore(path, err)
	}
	return db, sealed, nil
}

func createBucket(tx *bolt.Tx) error { _, err := tx.CreateBucket(bucket); return err }

func notAStore(path string, why error) error {
	return fmt.Errorf("open store %s: it is not a store, or it is damaged (%w); nothing was changed", path, why)
}

func (s *Store) prepare(path string) error {
	made := false
	err := s.db.View(func(tx *bolt.Tx) error {
		made = tx.Bucket(bucket) != nil
		if first, _ := tx.Cursor().First(); !made && first != nil {
			return notAStore(path, fmt.Errorf("it is the database of another program, with a bucket %.40q", first))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !made {
		err = s.db.Update(createBucket)
	} else {
		_, err = s.Sweep(context.Background())
	}
	if err != nil {
		return fmt.Errorf("open store %s: %w%s", path, err, advice(err))
	}
	return nil
}

func (s *Store) Len() (n int) {
	_ = s.db.View(func(tx *bolt.Tx) error {
		n = tx.Bucket(bucket).Stats().KeyN
		return nil
	})
	return n
}

func (s *Store) Close() error { return s.db.Close() }

func (s *Store) Path() string { return s.db.Path() }

func (s *Store) view(ctx context.Context, f func(*bolt.Bucket) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return translate(s.db.View(func(tx *bolt.Tx) error { return f(tx.Bucket(bucket)) }))
}

func (s *Store) change(ctx context.Context, c change) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	err := translate(s.group.run(c))
	if errors.Is(err, store.ErrUnavailable) {
		s.failed.Store(time.Now().UnixNano())
	}
	return err
}

func (s *Store) WriteFailed() time.Time {
	if at := s.failed.Load(); at != 0 {
		return time.Unix(0, at)
	}
	return time.Time{}
}

func translate(err error) error {
	for _, ours := range []error{store.ErrNotFound, store.ErrExists, store.ErrConflict, store.ErrLimit} {
		if err == nil || errors.Is(err, ours) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
}

// encodeKey joins partition and sort key with a zero byte, so that the items of a partition are
// adjacent, in order of their sort keys.
func encodeKey(k store.Key) []byte { return []byte(k.Partition + "\x00" + k.Sort) }

func encode(version int64, expires time.Time, data []byte) []byte {
	b := binary.AppendVarint(make([]byte, 0, 2*binary.MaxVarintLen64+len(data)), version)
	var unix int64
	if !expires.IsZero() {
		unix = expires.Unix()
	}
	return append(binary.AppendVarint(b, unix), data...)
}

func split(v []byte) (version, expires int64, data []byte, err error) {
	version, n := binary.Varint(v)
	if n > 0 {
		v = v[n:]
		expires, n = binary.Varint(v)
	}
	if n <= 0 {
		return 0, 0, nil, errors.New("damaged item")
	}
	return version, expires, v[n:], nil
}

func decode(k store.Key, v []byte) (store.Item, error) {
	version, expires, data, err := split(v)
	if err != nil {
		return store.Item{}, fmt.Errorf("item %s/%s: %w", k.Partition, k.Sort, err)
	}
	i := store.Item{Key: k, Version: version, Data: bytes.Clone(data)}
	if expires != 0 {
		i.Expires = time.Unix(expires, 0).UTC()
	}
	return i, nil
}

// live returns version 0 if the item is missing or expired.
func (s *Store) live(b *bolt.Bucket, key store.Key) (store.Item, error) {
	v := b.Get(encodeKey(key))
	if v == nil {
		return store.Item{Key: key}, nil
	}
	i, err := decode(key, v)
	if err == nil && i.Expired(s.now()) {
		return store.Item{Key: key}, nil
	}
	return i, err
}

func (s *Store) Get(ctx context.Context, key store.Key, _ store.Consistency) (item store.Item, err error) {
	if err := key.Validate(); err != nil {
		return store.Item{}, err
	}
	err = s.view(ctx, func(b *bolt.Bucket) error {
		item, err = s.live(b, key)
		if err == nil && item.Version == 0 {
			return store.ErrNotFound
		}
		return err
	})
	return item, err
}

func (s *Store) Query(ctx context.Context, r store.Range) (items []store.Item, err error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	err = s.view(ctx, func(b *bolt.Bucket) error {
		partition := encodeKey(store.Key{Partition: r.Partition})
		prefix := append(bytes.Clone(partition), r.Prefix...)
		from := prefix
		if after := append(append(bytes.Clone(partition), r.After...), 0); r.After != "" &&
			bytes.Compare(after, from) > 0 {
			from = after
		}
		c := b.Cursor()
		for k, v := c.Seek(from); bytes.HasPrefix(k, prefix); k, v = c.Next() {
			i, err := decode(store.Key{Partition: r.Partition, Sort: string(k[len(partition):])}, v)
			if err != nil {
				return err
			}
			if i.Expired(s.now()) {
				continue
			}
			items = append(items, i)
			if len(items) == r.Limit {
				break
			}
		}
		return nil
	})
	return items, err
}

func (s *Store) Write(ctx context.Context, ops ...store.Op) error {
	if err := store.Validate(ops); err != nil {
		return err
	}
	return s.change(ctx, func(b *bolt.Bucket) error {
		stored := make([]store.Item, len(ops))
		for i, op := range ops {
			var err error
			if stored[i], err = s.live(b, op.Item.Key); err == nil {
				err = op.Refuses(stored[i])
			}
			if err != nil {
				return err
			}
		}
		for i, op := range ops {
			if err := put(b, op, stored[i].Version); err != nil {
				return err
			}
		}
		return nil
	})
}

// put stores an item with version+1.
func put(b *bolt.Bucket, op store.Op, version int64) (err error) {
	switch op.Mode {
	case store.Check:
	case store.Delete, store.Remove:
		err = b.Delete(encodeKey(op.Item.Key))
	default:
		err = b.Put(encodeKey(op.Item.Key), encode(version+1, op.Item.Expires, op.Item.Data))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errHalfWritten, err)
	}
	return nil
}

func (s *Store) Take(ctx context.Context, key store.Key, n, limit int64, expires time.Time) (count int64, err error) {
	if err := store.ValidateTake(key, n); err != nil {
		return 0, err
	}
	err = s.change(ctx, func(b *bolt.Bucket) error {
		stored, err := s.live(b, key)
		if err != nil {
			return err
		}
		count = 0
		if stored.Version != 0 {
			var ok bool
			if count, ok = stored.Count(); !ok {
				return fmt.Errorf("item %s/%s is not a counter", key.Partition, key.Sort)
			}
			expires = stored.Expires
		}
		if count >= limit {
			return store.ErrLimit
		}
		count += n
		return put(
			b, store.Op{Item: store.Item{Key: key, Expires: expires, Data: store.CounterData(count)}}, stored.Version,
		)
	})
	if err != nil {
		return 0, err
	}
	return count, nil
}
