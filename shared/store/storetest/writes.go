package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"verdetto/shared/store"
)

func createTwice(f *fixture) {
	f.must(f.write(store.Create, item("a", "first")))
	f.fails(f.write(store.Create, item("a", "second")), store.ErrExists)
	if got := f.get("a"); string(got.Data) != "first" || got.Version != 1 {
		f.Errorf("%+v", got)
	}
}

func replace(f *fixture) {
	f.must(f.write(store.Create, item("a", "1")))
	next := store.Item{Key: key("a"), Version: 1, Data: []byte("2")}
	f.must(f.write(store.Replace, next))
	f.fails(f.write(store.Replace, next), store.ErrConflict)
	if got := f.get("a"); string(got.Data) != "2" || got.Version != 2 {
		f.Errorf("%+v", got)
	}
}

func set(f *fixture) {
	for want := int64(1); want <= 3; want++ {
		f.must(f.write(store.Set, item("a", fmt.Sprint(want))))
		if got := f.get("a"); got.Version != want || string(got.Data) != fmt.Sprint(want) {
			f.Errorf("after %d sets: %+v", want, got)
		}
	}
}

func deletes(f *fixture) {
	f.must(f.write(store.Delete, item("a", "")))
	f.must(f.write(store.Set, item("a", "x")))
	f.must(f.write(store.Delete, item("a", "")))
	_, err := f.table.Get(f.ctx, key("a"), store.Strong)
	f.fails(err, store.ErrNotFound)
	f.must(f.write(store.Create, item("a", "again")))
}

func removes(f *fixture) {
	f.fails(f.write(store.Remove, store.Item{Key: key("a"), Version: 1}), store.ErrConflict)
	f.must(f.write(store.Set, item("a", "x")))
	f.must(f.write(store.Set, item("a", "y")))
	f.fails(f.write(store.Remove, store.Item{Key: key("a"), Version: 1}), store.ErrConflict)
	f.must(f.write(store.Remove, store.Item{Key: key("a"), Version: 2}))
	_, err := f.table.Get(f.ctx, key("a"), store.Strong)
	f.fails(err, store.ErrNotFound)
}

func transaction(f *fixture) {
	f.must(f.write(store.Create, item("old", "1")))
	err := f.table.Write(f.ctx,
		store.Op{Mode: store.Create, Item: item("new", "1")},
		store.Op{Mode: store.Create, Item: item("old", "2")})
	f.fails(err, store.ErrExists)
	err = f.table.Write(f.ctx,
		store.Op{Mode: store.Set, Item: item("new", "1")},
		store.Op{Mode: store.Replace, Item: store.Item{Key: key("old"), Version: 7}})
	f.fails(err, store.ErrConflict)
	if got := f.sorts(store.Range{}); got != "old" {
		f.Fatalf("after failed transactions there is %q", got)
	}
	f.must(f.table.Write(f.ctx,
		store.Op{Mode: store.Create, Item: item("new", "1")},
		store.Op{Mode: store.Replace, Item: store.Item{Key: key("old"), Version: 1, Data: []byte("2")}},
		store.Op{Mode: store.Delete, Item: item("gone", "")}))
	if f.get("new").Version != 1 || string(f.get("old").Data) != "2" {
		f.Error("the transaction did not take effect")
	}
	var many []store.Op
	for n := range store.MaxWrites {
		many = append(many, store.Op{Mode: store.Create, Item: item(fmt.Sprintf("many%03d", n), "x")})
	}
	f.must(f.table.Write(f.ctx, many...))
	if got := len(strings.Fields(f.sorts(store.Range{Prefix: "many"}))); got != store.MaxWrites {
		f.Errorf("of %d writes %d took effect", store.MaxWrites, got)
	}
}

func check(f *fixture) {
	f.must(f.write(store.Create, item("guard", "1")))
	guarded := func(version int64, k string) error {
		return f.table.Write(f.ctx,
			store.Op{Mode: store.Check, Item: store.Item{Key: key(k), Version: version}},
			store.Op{Mode: store.Set, Item: item("a", "x")})
	}
	f.fails(guarded(2, "guard"), store.ErrConflict)
	f.fails(guarded(0, "guard"), store.ErrConflict)
	f.fails(guarded(1, "absent"), store.ErrConflict)
	if got := f.sorts(store.Range{}); got != "guard" {
		f.Fatalf("after failed checks there is %q", got)
	}
	f.must(guarded(1, "guard"))
	f.must(guarded(0, "absent"))
	if f.get("guard").Version != 1 {
		f.Error("a check changed the item")
	}
	f.must(f.table.Write(f.ctx, store.Op{Mode: store.Check, Item: store.Item{Key: key("guard"), Version: 1}}))
	f.fails(
		f.table.Write(f.ctx, store.Op{Mode: store.Check, Item: store.Item{Key: key("guard"), Version: 3}}),
		store.ErrConflict,
	)
}

func wrongCalls(f *fixture) {
	f.fails(f.table.Write(f.ctx), store.ErrInvalid)
	f.fails(f.write(store.Set, store.Item{Key: store.Key{Partition: "P"}}), store.ErrInvalid)
	f.fails(f.write(store.Set, store.Item{Key: key(strings.Repeat("k", 513))}), store.ErrInvalid)
	f.fails(f.table.Write(f.ctx, store.Op{Item: item("a", "1")}, store.Op{Item: item("a", "2")}), store.ErrInvalid)
	f.fails(f.write(store.Set, item("not\xffUTF-8", "x")), store.ErrInvalid)
	f.fails(f.write(store.Set, item("zero\x00byte", "x")), store.ErrInvalid)
	var heavy []store.Op
	for n := range 1 + store.MaxTogether/store.MaxData {
		heavy = append(heavy, store.Op{Item: store.Item{Key: key(fmt.Sprint(n)), Data: make([]byte, store.MaxData)}})
	}
	f.fails(f.table.Write(f.ctx, heavy...), store.ErrTooLarge)
	f.fails(f.table.Write(f.ctx, make([]store.Op, store.MaxWrites+1)...), store.ErrInvalid)
	_, err := f.table.Get(f.ctx, store.Key{}, store.Strong)
	f.fails(err, store.ErrInvalid)
	_, err = f.table.Take(f.ctx, store.Key{}, 1, 1, f.clock.Now())
	f.fails(err, store.ErrInvalid)
	_, err = f.table.Query(f.ctx, store.Range{})
	f.fails(err, store.ErrInvalid)
}

func replaceRace(f *fixture) {
	f.must(f.write(store.Create, item("a", "0")))
	var won, lost atomic.Int64
	var wg sync.WaitGroup
	for n := range 50 {
		wg.Go(func() {
			i := store.Item{Key: key("a"), Version: 1, Data: fmt.Append(nil, n)}
			ops := []store.Op{{Mode: store.Replace, Item: i}}
			if n%2 == 0 {
				ops = append(ops, store.Op{Mode: store.Set, Item: item(fmt.Sprint("by", n), "x")})
			}
			switch err := f.table.Write(f.ctx, ops...); {
			case err == nil:
				won.Add(1)
			case errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrUnavailable):
				lost.Add(1)
			default:
				f.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 || lost.Load() != 49 || f.get("a").Version != 2 {
		f.Errorf("%d won, %d lost, version %d", won.Load(), lost.Load(), f.get("a").Version)
	}
}
