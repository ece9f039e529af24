package migration

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/store/storetest"
)

func bolt(t *testing.T, now func() time.Time) store.Whole {
	t.Helper()
	s, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), now, boltstore.Scratch)
	storetest.Must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func at(n int) store.Key {
	return store.Key{Partition: fmt.Sprint("P", n%7), Sort: fmt.Sprintf("%05d", n)}
}

// filled writes items of every kind to a store: with and without expiry, counters, and items that
// were rewritten.
func filled(t *testing.T, s store.Whole, clock *storetest.Clock, items int) {
	t.Helper()
	for n := range items {
		var err error
		switch n % 4 {
		case 0:
			_, err = s.Take(t.Context(), at(n), int64(1+n), 1<<40, clock.Now().Add(1000*time.Hour))
		case 1:
			err = s.Write(
				t.Context(), store.Op{Item: store.Item{Key: at(n), Data: []byte(strings.Repeat("x", n*37%9000))}},
			)
		case 2:
			err = s.Write(
				t.Context(),
				store.Op{
					Item: store.Item{Key: at(n), Data: fmt.Append(nil, n), Expires: clock.Now().Add(2000 * time.Hour)},
				},
			)
		case 3:
			for range 3 {
				err = errors.Join(
					err, s.Write(t.Context(), store.Op{Item: store.Item{Key: at(n), Data: []byte("again")}}),
				)
			}
		}
		storetest.Must(t, err)
	}
}

func equal(t *testing.T, a, b store.Whole, items int) {
	t.Helper()
	if diff, err := storetest.Diff(t.Context(), a, b); err != nil || diff != "" {
		t.Fatalf("%v\n%.3000s", err, diff)
	}
	if held, err := storetest.Contents(t.Context(), b); err != nil || len(held) != items {
		t.Fatalf("%d items, want %d: %v", len(held), items, err)
	}
}

// TestBothWays copies a file to DynamoDB, and then DynamoDB to another file, in several passes. The
// source is written between the passes.
func TestBothWays(t *testing.T) {
	clock, ctx := storetest.NewClock(), t.Context()
	first, table, second := bolt(t, clock.Now), store.Whole(dynamolocal.Table(t, clock.Now)), bolt(t, clock.Now)
	filled(t, first, clock, 1000)
	for _, way := range []struct {
		name     string
		from, to store.Whole
		changed  int // number of copied items that changed
	}{{"to DynamoDB", first, table, 1}, {"and back", table, second, 1}} {
		t.Run(way.name, func(t *testing.T) {
			m := &Mover{From: way.from, To: way.to, Name: "from", Now: clock.Now}
			report, err := m.Copy(ctx)
			before := report.Items
			if err != nil || report.Written != before || report.Deleted != 0 {
				t.Fatalf("%+v %v", report, err)
			}
			if from, unfinished, err := (store.Migration{Table: way.to}).Unfinished(ctx); from != "from" ||
				!unfinished ||
				err != nil {
				t.Errorf("after a pass: %q %t %v", from, unfinished, err)
			}
			if report, err := m.Copy(ctx); err != nil || report != (Report{Items: before}) {
				t.Errorf("a second pass with nothing to do: %+v %v", report, err)
			}
			// Between two passes, one item is counted, one deleted, one added and one replaced.
			if _, err := way.from.Take(ctx, at(0), 1, 1<<40, clock.Now()); err != nil {
				t.Fatal(err)
			}
			gone, renewed, added := at(1), at(5), store.Key{Partition: "new", Sort: way.name}
			if way.name == "and back" {
				gone, renewed = at(9), at(13)
			}
			storetest.Must(t, way.from.Write(
				ctx, store.Op{
					Mode: store.Delete, Item: store.Item{Key: gone},
				}, store.Op{Item: store.Item{Key: renewed}},
				store.Op{Item: store.Item{Key: added}},
			))
			report, err = m.Finish(ctx)
			if want := (Report{Items: before, Written: 3, Deleted: 1}); err != nil || report != want {
				t.Errorf("the last pass: %+v, want %+v: %v", report, want, err)
			}
			equal(t, way.from, way.to, before)
			if _, unfinished, err := (store.Migration{Table: way.to}).Unfinished(ctx); unfinished || err != nil {
				t.Errorf("after the last: %t %v", unfinished, err)
			}
			if _, err := m.Copy(ctx); !errors.Is(err, ErrNotEmpty) {
				t.Errorf("into a complete store: %v", err)
			}
		})
	}
}

// failing is a store in which one call fails: before its effect, after its effect, or halfway.
type failing struct {
	store.Whole
	calls, at int64
	how       string
}

var errKilled = errors.New("killed")

func (f *failing) fails() bool { return atomic.AddInt64(&f.calls, 1)-1 == f.at }

func (f *failing) Place(ctx context.Context, items []store.Item, deleted []store.Key) error {
	if !f.fails() {
		return f.Whole.Place(ctx, items, deleted)
	}
	switch f.how {
	case "half":
		items, deleted = items[:len(items)/2], nil
	case "before":
		items, deleted = nil, nil
	}
	return errors.Join(errKilled, f.Whole.Place(ctx, items, deleted))
}

func (f *failing) Write(ctx context.Context, ops ...store.Op) error {
	if !f.fails() {
		return f.Whole.Write(ctx, ops...)
	}
	if f.how == "before" {
		return errKilled
	}
	return errors.Join(errKilled, f.Whole.Write(ctx, ops...))
}

// TestCutShortAnywhere: a pass is interrupted at any one of its calls. The next pass reaches the
// same result as without the interruption.
func TestCutShortAnywhere(t *testing.T) {
	const items = 450
	clock := storetest.NewClock()
	from := bolt(t, clock.Now)
	filled(t, from, clock, items)
	for _, how := range []string{"before", "half", "after"} {
		for call := int64(0); ; call++ {
			to := bolt(t, clock.Now)
			// An earlier pass copied an item that the source no longer has.
			storetest.Must(t, (store.Migration{Table: to}).Begin(t.Context(), "from"))
			filled(t, to, clock, 4)
			storetest.Must(
				t, to.Place(t.Context(), []store.Item{{Key: store.Key{Partition: "old", Sort: "o"}, Version: 1}}, nil),
			)
			f := &failing{Whole: to, at: call, how: how}
			m := &Mover{From: from, To: f, Name: "from", Now: clock.Now}
			_, err := m.Finish(t.Context())
			if err != nil {
				if !strings.Contains(err.Error(), errKilled.Error()) {
					t.Fatal(err)
				}
				clock.Add(2 * leaseFor)
				if _, err = m.Finish(t.Context()); errors.Is(err, ErrNotEmpty) {
					err = nil // it was killed between its end and its report
				}
			}
			if err != nil {
				t.Fatalf("call %d fails %s: %v", call, how, err)
			}
			equal(t, from, to, items)
			if _, unfinished, _ := (store.Migration{Table: to}).Unfinished(t.Context()); unfinished {
				t.Fatalf("call %d fails %s: it is not finished", call, how)
			}
			if f.calls <= call {
				if call < 10 {
					t.Errorf("only %d calls", call)
				}
				break
			}
		}
	}
}

// spoiling is a target that changes items when it stores them.
type spoiling struct {
	store.Whole
	spoil func([]store.Item) []store.Item
}

func (s spoiling) Place(ctx context.Context, items []store.Item, deleted []store.Key) error {
	return s.Whole.Place(ctx, s.spoil(items), deleted)
}

// meanwhile is a source that another process writes to after the items were read.
type meanwhile struct {
	store.Whole
	write func(store.Whole) error
	reads int
}

func (m *meanwhile) Each(ctx context.Context, f func(store.Item) error) error {
	if m.reads++; m.reads == 3 { // the first read looks for any item, the second copies
		if err := m.write(m.Whole); err != nil {
			return err
		}
	}
	return m.Whole.Each(ctx, f)
}

// TestFinishSeesWhatDiffers: Finish does not mark a target as complete if an item is missing,
// additional or different. It also fails if the source is still written.
func TestFinishSeesWhatDiffers(t *testing.T) {
	change := func(f func(*store.Item)) func([]store.Item) []store.Item {
		return func(items []store.Item) []store.Item {
			items = append([]store.Item(nil), items...)
			f(&items[0])
			return items
		}
	}
	for _, c := range []struct {
		name  string
		spoil func([]store.Item) []store.Item
		write func(store.Whole) error
	}{
		{name: "an item is missing", spoil: func(i []store.Item) []store.Item { return i[1:] }},
		{name: "an item too many", spoil: func(i []store.Item) []store.Item {
			return append(i[:len(i):len(i)], store.Item{Key: store.Key{Partition: "x", Sort: "y"}, Version: 1})
		}},
		{name: "other data", spoil: change(func(i *store.Item) { i.Data = []byte("other") })},
		{name: "another version", spoil: change(func(i *store.Item) { i.Version++ })},
		{name: "another end", spoil: change(func(i *store.Item) { i.Expires = i.Expires.Add(time.Hour) })},
		{name: "a count that went on", write: func(s store.Whole) error {
			_, err := s.Take(context.Background(), at(0), 1, 1<<40, time.Time{})
			return err
		}},
		{name: "an item is new", write: func(s store.Whole) error {
			return s.Write(context.Background(), store.Op{Item: store.Item{Key: store.Key{Partition: "x", Sort: "y"}}})
		}},
		{name: "an item is gone", write: func(s store.Whole) error {
			return s.Write(context.Background(), store.Op{Mode: store.Delete, Item: store.Item{Key: at(1)}})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := storetest.NewClock()
			from, to := bolt(t, clock.Now), bolt(t, clock.Now)
			filled(t, from, clock, 50)
			m := &Mover{From: from, To: to, Name: "from", Now: clock.Now}
			if c.spoil != nil {
				m.To = spoiling{to, c.spoil}
			} else {
				m.From = &meanwhile{Whole: from, write: c.write}
			}
			if _, err := m.Finish(t.Context()); !errors.Is(err, ErrWritten) {
				t.Errorf("%v", err)
			}
			if _, unfinished, err := (store.Migration{Table: to}).Unfinished(t.Context()); !unfinished || err != nil {
				t.Errorf("it is called complete: %v", err)
			}
			m.From, m.To = from, to
			if _, err := m.Finish(t.Context()); err != nil {
				t.Error(err)
			}
			if diff, err := storetest.Diff(t.Context(), from, to); diff != "" || err != nil {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

// TestRefusedMigrations: a migration does not overwrite other data, and only one process at a time
// migrates to a target.
func TestRefusedMigrations(t *testing.T) {
	clock, ctx := storetest.NewClock(), t.Context()
	full, empty, held := bolt(t, clock.Now), bolt(t, clock.Now), bolt(t, clock.Now)
	filled(t, full, clock, 10)
	filled(t, held, clock, 1)
	copyOf := func(from, to store.Whole) error {
		_, err := (&Mover{From: from, To: to, Name: "from", Now: clock.Now}).Copy(ctx)
		return err
	}
	before, err := storetest.Contents(ctx, held)
	storetest.Must(t, err)
	if err := copyOf(full, held); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("into a store that holds data: %v", err)
	}
	if after, err := storetest.Contents(ctx, held); err != nil || len(after) != len(before) {
		t.Errorf("it was written to: %v %v", after, err)
	}
	if err := copyOf(empty, bolt(t, clock.Now)); !errors.Is(err, ErrEmpty) {
		t.Errorf("from a store that holds nothing: %v", err)
	}
	unfinished := bolt(t, clock.Now)
	storetest.Must(t, copyOf(full, unfinished))
	if err := copyOf(unfinished, empty); !errors.Is(err, ErrIncomplete) {
		t.Errorf("from one that is not complete: %v", err)
	}
	other := store.Migration{Table: unfinished}.Lease("other")
	other.Duration, other.Now = leaseFor, clock.Now
	storetest.Must(t, other.Hold(ctx))
	if err := copyOf(full, unfinished); err == nil || !strings.Contains(err.Error(), "another process is filling") {
		t.Errorf("beside another: %v", err)
	}
	clock.Add(leaseFor) // it was killed
	if err := copyOf(full, unfinished); err != nil {
		t.Error(err)
	}
}

// TestALateOneDoesNoHarm: a pass was suspended, and another process took over the target. When the
// pass continues, it writes nothing.
func TestALateOneDoesNoHarm(t *testing.T) {
	clock, ctx := storetest.NewClock(), t.Context()
	from, to := bolt(t, clock.Now), bolt(t, clock.Now)
	filled(t, from, clock, 500)
	newer := bolt(t, clock.Now)
	filled(t, newer, clock, 3)
	late := &Mover{From: &meanwhile{Whole: from, reads: 1, write: func(store.Whole) error { // at the copy
		clock.Add(2 * leaseFor)
		_, err := (&Mover{From: newer, To: to, Name: "newer", Now: clock.Now}).Finish(ctx)
		return err
	}}, To: to, Name: "late", Now: clock.Now}
	if _, err := late.Copy(ctx); !errors.Is(err, store.ErrLost) {
		t.Errorf("%v", err)
	}
	equal(t, newer, to, 3)
}
