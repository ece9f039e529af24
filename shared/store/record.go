package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"verdetto/shared/fare/packed"
)

// wrap adds the name of the failed action to an error. It returns nil for nil.
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

// Decode decodes an item that a refresh computed, or returns the error with which it was read. An
// item of another version of the program counts as absent: the next refresh computes it anew.
func Decode[T any](data []byte, err error, decode func([]byte) (T, error)) (record T, _ error) {
	if err == nil {
		record, err = decode(data)
	}
	if errors.Is(err, packed.ErrVersion) {
		err = fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return record, err
}

// record is a kind of item that a refresh computes, with its codec.
type record[T any] struct {
	what   string
	decode func([]byte) (T, error)
	encode func(T) []byte
}

// get returns ErrNotFound with the version of an item of another version of the program, which put replaces.
func (r record[T]) get(ctx context.Context, t Table, key Key, read Consistency) (value T, version int64, err error) {
	item, err := t.Get(ctx, key, read)
	value, err = Decode(item.Data, err, r.decode)
	return value, item.Version, wrap(err, "read %s in %s", r.what, key.Partition)
}

// put fails if the stored version is not the given one; version 0 requires that there is no item.
func (r record[T]) put(ctx context.Context, t Table, key Key, value T, version int64) error {
	err := t.Write(ctx, replace(Item{Key: key, Version: version, Data: r.encode(value)}))
	return wrap(err, "write %s in %s", r.what, key.Partition)
}

// update writes nothing if change leaves the item as it is. If another process changes the item
// meanwhile, it tries again. Without an item, change gets the zero value.
func (r record[T]) update(ctx context.Context, t Table, key Key, change func(T) T) error {
	return RetryConflicts(ctx, func() error {
		item, err := t.Get(ctx, key, Eventual)
		old, err := Decode(item.Data, err, r.decode)
		if err = unless(err, ErrNotFound); err != nil {
			return wrap(err, "read %s in %s", r.what, key.Partition)
		}
		value := change(old)
		if bytes.Equal(r.encode(value), item.Data) {
			return nil
		}
		return r.put(ctx, t, key, value, item.Version)
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

// writes collects writes that take effect together, or not at all if encoding a record failed.
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

func (w *writes) addJobs(o Outbox, jobs ...Job) {
	for _, job := range jobs {
		op, err := o.put(job)
		w.err = errors.Join(w.err, err)
		w.add(op)
	}
}

func (w *writes) commit(ctx context.Context, table Table) error {
	if w.err != nil || len(w.ops) == 0 {
		return w.err
	}
	return table.Write(ctx, w.ops...)
}

// inTurn carries out the writes in batches of at most MaxWrites, which are not one transaction.
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

// rewrite changes a record and writes it. If another process has written the record meanwhile, it
// reads the record again and retries. A removed record stays removed, without an error.
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
