package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/store"
)

func missing(f *fixture) {
	for _, read := range []store.Consistency{store.Eventual, store.Strong} {
		_, err := f.table.Get(f.ctx, key("a"), read)
		f.fails(err, store.ErrNotFound)
	}
	if got := f.sorts(store.Range{}); got != "" {
		f.Errorf("an empty partition holds %q", got)
	}
	f.fails(f.write(store.Replace, store.Item{Key: key("a"), Version: 1}), store.ErrConflict)
}

func writtenIsRead(f *fixture) {
	want := item("a", "\x00binary\xff")
	want.Expires = f.clock.Now().Add(time.Hour)
	f.must(f.write(store.Create, want))
	want.Version = 1
	if diff := cmp.Diff(want, f.get("a")); diff != "" {
		f.Error(diff)
	}
	f.must(f.write(store.Create, item("empty", "")))
	if got := f.get("empty"); len(got.Data) != 0 || !got.Expires.IsZero() || got.Version != 1 {
		f.Errorf("an empty item reads %+v", got)
	}
	f.must(f.write(store.Replace, store.Item{Key: key("a"), Version: 1, Data: []byte("b")}))
	if got := f.get("a"); !got.Expires.IsZero() || string(got.Data) != "b" {
		f.Errorf("replaced without expiry it reads %+v", got)
	}
}

func expired(f *fixture) {
	i := item("a", "short-lived")
	i.Expires = f.clock.Now().Add(10 * time.Second)
	f.must(f.write(store.Create, i))
	f.clock.Add(9 * time.Second)
	f.get("a")
	f.clock.Add(time.Second)
	_, err := f.table.Get(f.ctx, key("a"), store.Strong)
	f.fails(err, store.ErrNotFound)
	if got := f.sorts(store.Range{}); got != "" {
		f.Errorf("a query shows %q", got)
	}
	i.Version = 1
	f.fails(f.write(store.Replace, i), store.ErrConflict)
	f.must(f.write(store.Create, item("a", "new")))
	if got := f.get("a"); string(got.Data) != "new" || !got.Expires.IsZero() {
		f.Errorf("%+v", got)
	}
}

func copies(f *fixture) {
	data := []byte("mine")
	f.must(f.write(store.Create, store.Item{Key: key("a"), Data: data}))
	data[0] = 'X'
	got := f.get("a")
	got.Data[1] = 'X'
	items, err := f.table.Query(f.ctx, store.Range{Partition: "P"})
	f.must(err)
	items[0].Data[2] = 'X'
	if got := f.get("a"); string(got.Data) != "mine" {
		f.Errorf("stored data became %q", got.Data)
	}
}

func maxData(f *fixture) {
	big := store.Item{Key: key("a"), Data: bytes.Repeat([]byte{7}, store.MaxData)}
	f.must(f.write(store.Create, big))
	if !bytes.Equal(f.get("a").Data, big.Data) {
		f.Error("MaxData bytes did not come back")
	}
	big.Data = append(big.Data, 7)
	f.fails(f.write(store.Set, big), store.ErrTooLarge)
}

func strongRead(f *fixture) {
	for n := range 20 {
		f.must(f.write(store.Set, item("a", fmt.Sprint(n))))
		if got := f.get("a"); string(got.Data) != fmt.Sprint(n) {
			f.Fatalf("after writing %d a strong read shows %q", n, got.Data)
		}
	}
}

func cancelled(f *fixture) {
	ctx, cancel := context.WithCancel(f.ctx)
	cancel()
	if err := f.table.Write(ctx, store.Op{Item: item("a", "x")}); err == nil {
		f.Error("a write went through")
	}
	if _, err := f.table.Get(ctx, key("a"), store.Strong); err == nil || errors.Is(err, store.ErrNotFound) {
		f.Errorf("a read says %v", err)
	}
	if _, err := f.table.Query(ctx, store.Range{Partition: "P"}); err == nil {
		f.Error("a query went through")
	}
	if _, err := f.table.Take(ctx, key("c"), 1, 1, f.clock.Now().Add(time.Hour)); err == nil ||
		errors.Is(err, store.ErrLimit) {
		f.Errorf("a take says %v", err)
	}
}
