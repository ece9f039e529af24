package store

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
)

type Whole interface {
	Table

	// Scan returns unexpired items after a key, with strong reads. next is the key to continue after, or the zero Key
	// at the end. A page may be empty although more items follow.
	Scan(ctx context.Context, after Key) (page []Item, next Key, err error)

	// Place writes items at their own versions, and fails with ErrConflict if the table holds an item in another
	// version. After an error, some items may be written.
	Place(ctx context.Context, items []Item) error
}

// EachPage is no snapshot: the pages may or may not include writes during the call.
func EachPage(ctx context.Context, t Whole, f func(page []Item) error) error {
	return eachPage(ctx, t, Key{}, func(page []Item, _ Key) error { return f(page) })
}

func eachPage(ctx context.Context, t Whole, after Key, f func(page []Item, next Key) error) error {
	for {
		page, next, err := t.Scan(ctx, after)
		if err != nil {
			return wrap(err, "read all items")
		}
		if err := f(page, next); err != nil || next == (Key{}) {
			return err
		}
		after = next
	}
}

// Copy copies a table into an empty table. No process may write to either table meanwhile. Until the copy is
// complete, the target holds a mark, from which an interrupted copy continues.
type Copy struct {
	From, To Whole
	Name     string
	Progress func(items int, doing string)
}

type copyMark struct {
	From  string
	After Key
	Items int
}

var copyKey = Key{"COPY", "MARK"}

func readMark(ctx context.Context, t Table) (mark copyMark, version int64, err error) {
	item, err := t.Get(ctx, copyKey, Strong)
	if err == nil {
		err = json.Unmarshal(item.Data, &mark)
	}
	return mark, item.Version, wrap(unless(err, ErrNotFound), "read the mark of a copy")
}

// IncompleteCopyOf returns the name of the store of which t is an incomplete copy, or an empty string.
func IncompleteCopyOf(ctx context.Context, t Table) (name string, err error) {
	mark, _, err := readMark(ctx, t)
	return mark.From, err
}

var ErrNotEmpty = errors.New("the target holds data already")

func (c Copy) Run(ctx context.Context) (items int, err error) {
	mark, version, err := c.begin(ctx)
	if err != nil {
		return 0, err
	}
	err = eachPage(ctx, c.From, mark.After, func(page []Item, next Key) error {
		if err := c.To.Place(ctx, page); err != nil {
			return wrap(err, "write to the target")
		}
		mark.Items += len(page)
		c.Progress(mark.Items, "copied")
		if next == (Key{}) { // a mark with the zero key would restart the copy
			return nil
		}
		mark.After = next
		version, err = c.mark(ctx, mark, version)
		return err
	})
	if err == nil {
		items, err = c.compare(ctx)
	}
	if err == nil {
		err = wrap(c.To.Write(ctx, Op{Mode: Remove, Item: Item{Key: copyKey, Version: version}}), "remove the mark")
	}
	return items, err
}

func (c Copy) begin(ctx context.Context) (mark copyMark, version int64, err error) {
	if name, err := IncompleteCopyOf(ctx, c.From); err != nil || name != "" {
		return mark, 0, errors.Join(err, fmt.Errorf("the source is itself an incomplete copy of %q", name))
	}
	mark, version, err = readMark(ctx, c.To)
	if err != nil || mark.From == c.Name {
		return mark, version, err
	}
	err = EachPage(ctx, c.To, func(page []Item) error {
		if len(page) > 0 {
			return ErrNotEmpty
		}
		return nil
	})
	if err != nil {
		return mark, 0, err
	}
	mark = copyMark{From: c.Name}
	version, err = c.mark(ctx, mark, 0)
	return mark, version, err
}

func (c Copy) mark(ctx context.Context, mark copyMark, version int64) (next int64, err error) {
	data, err := json.Marshal(mark)
	if err == nil {
		err = c.To.Write(ctx, replace(Item{Key: copyKey, Version: version, Data: data}))
	}
	if isConflict(err) {
		err = fmt.Errorf("another process copies to the target: %w", err)
	}
	return version + 1, wrap(err, "mark the target")
}

func (c Copy) compare(ctx context.Context) (items int, err error) {
	type state struct {
		digest  [sha256.Size]byte // hash of Item.Data, because all data together can exceed the memory
		version int64
		expires int64
	}
	stateOf := func(i Item) state { return state{sha256.Sum256(i.Data), i.Version, i.Expires.Unix()} }
	states, differs := map[Key]state{}, func(k Key) error {
		return fmt.Errorf("the stores differ at %s/%s: one was written to since the copy began; empty the target and copy again",
			k.Partition, k.Sort)
	}
	err = EachPage(ctx, c.From, func(page []Item) error {
		for _, i := range page {
			states[i.Key] = stateOf(i)
		}
		c.Progress(len(states), "compared")
		return nil
	})
	items = len(states)
	if err == nil {
		err = EachPage(ctx, c.To, func(page []Item) error {
			for _, i := range page {
				if source, ok := states[i.Key]; i.Key != copyKey && (!ok || source != stateOf(i)) {
					return differs(i.Key)
				}
				delete(states, i.Key)
			}
			return nil
		})
	}
	if err != nil {
		return 0, err
	}
	for k := range states {
		// An item that expired between the two reads is no difference.
		if _, err := c.From.Get(ctx, k, Strong); !errors.Is(err, ErrNotFound) {
			return 0, errors.Join(differs(k), err)
		}
	}
	return items, nil
}
