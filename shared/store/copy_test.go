package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
)

type interrupted struct {
	store.Whole
	scans, calls, at int
	how              string
}

var errKilled = errors.New("killed")

func (f *interrupted) Scan(ctx context.Context, after store.Key) ([]store.Item, store.Key, error) {
	f.scans++
	const most = 50
	page, next, err := f.Whole.Scan(ctx, after)
	if len(page) > most {
		page, next = page[:most], page[most-1].Key
	}
	return page, next, err
}

func (f *interrupted) Place(ctx context.Context, items []store.Item) error {
	if f.calls++; f.calls != f.at {
		return f.Whole.Place(ctx, items)
	}
	switch f.how {
	case "half":
		items = items[:len(items)/2]
	case "before":
		items = nil
	}
	return errors.Join(errKilled, f.Whole.Place(ctx, items))
}

func (f *interrupted) Write(ctx context.Context, ops ...store.Op) error {
	if f.calls++; f.calls != f.at {
		return f.Whole.Write(ctx, ops...)
	}
	if f.how == "before" {
		return errKilled
	}
	return errors.Join(errKilled, f.Whole.Write(ctx, ops...))
}

func boltTable(t *testing.T, now func() time.Time) store.Whole {
	t.Helper()
	s, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), now, boltstore.Scratch)
	storetest.Must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func source(t *testing.T, clock *storetest.Clock, items int) store.Whole {
	t.Helper()
	s := boltTable(t, clock.Now)
	for n := range items {
		i := store.Item{Key: itemKey(n), Data: []byte(strings.Repeat("x", n%9))}
		var err error
		switch n % 4 {
		case 0:
			_, err = s.Take(t.Context(), i.Key, int64(1+n), 1<<40, clock.Now().Add(1000*time.Hour))
		case 1:
			i.Expires = clock.Now().Add(2000 * time.Hour)
			err = s.Write(t.Context(), store.Op{Item: i})
		default:
			for range n % 4 {
				err = errors.Join(err, s.Write(t.Context(), store.Op{Item: i}))
			}
		}
		storetest.Must(t, err)
	}
	return s
}

func itemKey(n int) store.Key {
	return store.Key{Partition: fmt.Sprint("P", n%7), Sort: fmt.Sprintf("%05d", n)}
}

func copyOf(t *testing.T, from, to store.Whole) (int, error) {
	t.Helper()
	return store.Copy{From: from, To: to, Name: "from", Progress: func(int, string) {}}.Run(t.Context())
}

func TestCopy_Interrupted(t *testing.T) {
	const items = 320
	clock := storetest.NewClock()
	from := source(t, clock, items)
	for _, how := range []string{"before", "half", "after"} {
		for at := 1; ; at++ {
			to := boltTable(t, clock.Now)
			f := &interrupted{Whole: to, at: at, how: how}
			_, err := copyOf(t, &interrupted{Whole: from}, f)
			if f.calls < at {
				if at < 15 {
					t.Errorf("only %d calls", f.calls)
				}
				break
			}
			if !errors.Is(err, errKilled) {
				t.Fatalf("call %d fails %s: %v", at, how, err)
			}
			mark, err := store.IncompleteCopyOf(t.Context(), to)
			storetest.Must(t, err)
			started, completed := how != "before" || at > 1, mark == "" && at > 2
			if (mark == "from") != (started && !completed) {
				t.Errorf("call %d fails %s: the target is marked as a copy of %q", at, how, mark)
			}
			if !completed {
				again := &interrupted{Whole: from}
				copied, err := copyOf(t, again, to)
				if err != nil || copied != items {
					t.Fatalf("call %d failed %s: %d items, %v", at, how, copied, err)
				}
				if at > 12 && again.scans > 3+7 {
					t.Errorf("call %d failed %s: the next run reads %d pages", at, how, again.scans)
				}
			}
			if diff, err := storetest.Diff(t.Context(), from, to); err != nil || diff != "" {
				t.Fatalf("call %d failed %s: %v\n%.3000s", at, how, err, diff)
			}
		}
	}
}

type spoiling struct {
	store.Whole
	spoil func(items []store.Item) []store.Item
}

func (s spoiling) Place(ctx context.Context, items []store.Item) error {
	return s.Whole.Place(ctx, s.spoil(items))
}

func TestCopy_Compares(t *testing.T) {
	change := func(f func(*store.Item)) func([]store.Item) []store.Item {
		return func(items []store.Item) []store.Item {
			f(&items[0])
			return items
		}
	}
	first := "P0/00000"
	for name, c := range map[string]struct {
		spoil func([]store.Item) []store.Item
		names string
	}{
		"missing": {func(i []store.Item) []store.Item { return i[1:] }, first},
		"too many": {func(i []store.Item) []store.Item {
			return append(i, store.Item{Key: store.Key{Partition: "x", Sort: "y"}, Version: 1})
		}, "x/y"},
		"other data":      {change(func(i *store.Item) { i.Data = []byte("other") }), first},
		"another version": {change(func(i *store.Item) { i.Version++ }), first},
		"another expiry":  {change(func(i *store.Item) { i.Expires = i.Expires.Add(time.Hour) }), first},
	} {
		t.Run(name, func(t *testing.T) {
			clock := storetest.NewClock()
			to := boltTable(t, clock.Now)
			_, err := copyOf(t, source(t, clock, 50), spoiling{to, c.spoil})
			if err == nil || !strings.Contains(err.Error(), "differ at "+c.names+":") {
				t.Errorf("%v, want %s", err, c.names)
			}
			if mark, err := store.IncompleteCopyOf(t.Context(), to); err != nil || mark != "from" {
				t.Errorf("marked as a copy of %q, %v", mark, err)
			}
		})
	}
}

func TestCopy_Refuses(t *testing.T) {
	clock, ctx := storetest.NewClock(), t.Context()
	full, other := source(t, clock, 10), source(t, clock, 1)
	if _, err := copyOf(t, full, other); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("into a store that holds data: %v", err)
	}
	incomplete := boltTable(t, clock.Now)
	f := &interrupted{Whole: incomplete, at: 2, how: "half"}
	if _, err := copyOf(t, full, f); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if _, err := copyOf(t, incomplete, boltTable(t, clock.Now)); err == nil || !strings.Contains(err.Error(), "itself an incomplete copy") {
		t.Errorf("from an incomplete copy: %v", err)
	}
	if _, err := (store.Copy{From: other, To: incomplete, Name: "other"}).Run(ctx); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("into an incomplete copy of another store: %v", err)
	}
	many, to := &interrupted{Whole: source(t, clock, 120)}, boltTable(t, clock.Now)
	beside := store.Copy{From: many, To: to, Name: "from", Progress: func(items int, _ string) {
		if items == 50 {
			_, err := copyOf(t, many, to)
			storetest.Must(t, err)
		}
	}}
	if _, err := beside.Run(ctx); err == nil || !strings.Contains(err.Error(), "another process copies") {
		t.Errorf("beside another process: %v", err)
	}
}
