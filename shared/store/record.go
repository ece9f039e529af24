package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"verdetto/shared/fare/packed"
)

// ErrUnreadable means that a stored item is malformed: another read does not help.
var ErrUnreadable = errors.New("malformed")

func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}

func unless(err error, expected ...error) error {
	for _, e := range expected {
		if errors.Is(err, e) {
			return nil
		}
	}
	return err
}

func get[T any](ctx context.Context, table Table, key Key, read Consistency) (record T, item Item, err error) {
	item, err = table.Get(ctx, key, read)
	if err == nil {
		err = json.Unmarshal(item.Data, &record)
	}
	return record, item, err
}

type record[T any] struct {
	what   string
	decode func([]byte) (T, error)
	encode func(T) []byte
}

type Stored[T any] struct {
	Version int64
	data    []byte
	kind    *record[T]
}

func (r *record[T]) Pack(value T) Stored[T] { return Stored[T]{data: r.encode(value), kind: r} }

func (r *record[T]) Of(item Item) Stored[T] { return Stored[T]{item.Version, item.Data, r} }

func (r *record[T]) Change(item *Item, change func(*T)) error {
	value, err := r.Of(*item).Value()
	if err == nil {
		change(&value)
		item.Data = r.encode(value)
	}
	return err
}

func (s Stored[T]) Exists() bool { return s.data != nil }

func (s Stored[T]) Compact() Stored[T] {
	s.data = bytes.Clone(s.data)
	return s
}

// Value fails with ErrNotFound if there is no item, or if the item has an unknown format. In the second case, Value may
// return a part of the record.
func (s Stored[T]) Value() (value T, err error) {
	if !s.Exists() {
		return value, ErrNotFound
	}
	if value, err = s.kind.decode(s.data); errors.Is(err, packed.ErrVersion) {
		err = fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return value, err
}

func (r *record[T]) read(ctx context.Context, t Table, key Key, read Consistency) (Stored[T], error) {
	item, err := t.Get(ctx, key, read)
	if err = unless(err, ErrNotFound); err != nil {
		return Stored[T]{}, r.wrap(err, "read", key)
	}
	return r.Of(item), nil
}

// If the item has an unknown format, value returns ErrNotFound together with the item's version, so that the item can
// be replaced.
func (r *record[T]) value(ctx context.Context, t Table, key Key, read Consistency) (value T, version int64, err error) {
	s, err := r.read(ctx, t, key, read)
	if err == nil {
		value, err = s.Value()
		err = r.wrap(err, "read", key)
	}
	return value, s.Version, err
}

func (r *record[T]) wrap(err error, did string, key Key) error {
	return wrap(err, "%s %s of %s", did, r.what, key.Partition[strings.IndexByte(key.Partition, '#')+1:])
}

// put does not write unchanged data. If the data changed, put fails unless the stored version is was.Version, where 0
// means no item.
func (r *record[T]) put(ctx context.Context, t Table, key Key, was, now Stored[T]) (changed bool, err error) {
	var w writes
	change(&w, key, was, now)
	return len(w.ops) > 0, r.wrap(w.commit(ctx, t), "write", key)
}

func change[T any](w *writes, key Key, was, now Stored[T]) {
	if now.Exists() && !(was.Version > 0 && bytes.Equal(was.data, now.data)) {
		w.add(replace(Item{Key: key, Version: was.Version, Data: now.data}))
	}
}

// Without an item, change gets the zero value.
func (r *record[T]) update(ctx context.Context, t Table, key Key, change func(T) T) error {
	return RetryConflicts(ctx, func() error {
		was, err := r.read(ctx, t, key, Eventual)
		if err != nil {
			return err
		}
		old, err := was.Value()
		if err = unless(err, ErrNotFound); err == nil {
			_, err = r.put(ctx, t, key, was, r.Pack(change(old)))
		}
		return err
	})
}

func list[T any](ctx context.Context, table Table, r Range, record func(Item) (T, error)) ([]T, error) {
	items, err := table.Query(ctx, r)
	if err != nil {
		return nil, err
	}
	all := make([]T, len(items))
	for i, item := range items {
		if all[i], err = record(item); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func set(i Item) Op { return Op{Mode: Set, Item: i} }

// replace requires the stored version i.Version; version 0 creates a new item.
func replace(i Item) Op {
	if i.Version == 0 {
		return Op{Mode: Create, Item: i}
	}
	return Op{Mode: Replace, Item: i}
}

func remove(key Key) Op { return Op{Mode: Delete, Item: Item{Key: key}} }

// If encoding a record failed, writes carries out nothing.
type writes struct {
	ops []Op
	err error
}

func (w *writes) add(ops ...Op) { w.ops = append(w.ops, ops...) }

func (w *writes) addRecord(op Op, record any) {
	data, err := json.Marshal(record)
	op.Item.Data, w.err = data, errors.Join(w.err, err)
	w.add(op)
}

func (w *writes) commit(ctx context.Context, table Table) error {
	if w.err != nil || len(w.ops) == 0 {
		return w.err
	}
	return table.Write(ctx, w.ops...)
}

// If inTurn fails, some operations may be carried out.
func (w *writes) inTurn(ctx context.Context, table Table) error {
	if w.err != nil {
		return w.err
	}
	for batch := range slices.Chunk(w.ops, MaxWrites) {
		if err := table.Write(ctx, batch...); err != nil {
			return err
		}
	}
	return nil
}

func write(ctx context.Context, table Table, op Op, record any) error {
	var w writes
	w.addRecord(op, record)
	return w.commit(ctx, table)
}

// A removed record stays removed, and rewrite returns no error.
func rewrite[T any](ctx context.Context, record T, change func(T) error, read func() (T, error)) error {
	err := RetryConflicts(ctx, func() error {
		err := change(record)
		if errors.Is(err, ErrConflict) {
			current, readErr := read()
			if readErr != nil {
				return readErr
			}
			record = current
		}
		return err
	})
	return unless(err, ErrNotFound)
}

// If the item exists, createOrGet changes nothing and returns the stored data.
func createOrGet(ctx context.Context, table Table, item Item, with ...Item) (data []byte, err error) {
	ops := []Op{{Mode: Create, Item: item}}
	for _, i := range with {
		ops = append(ops, set(i))
	}
	err = RetryConflicts(ctx, func() error {
		err := table.Write(ctx, ops...)
		if !errors.Is(err, ErrExists) {
			data = item.Data
			return err
		}
		stored, readErr := table.Get(ctx, item.Key, Strong)
		if errors.Is(readErr, ErrNotFound) {
			return err
		}
		data = stored.Data
		return readErr
	})
	return data, err
}
