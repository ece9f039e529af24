// Package storetest proves of a store.Table what package store promises of all.
//
// Run is the suite that every adapter passes; Faulty makes any table fail, at a
// chosen call, before or after that call took effect, so that what is built on
// a table can be shown to lose nothing.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/store"
)

// Clock is a clock that tests move.
type Clock struct{ unix atomic.Int64 }

// NewClock begins at a fixed moment, at a noon far in the future: DynamoDB
// deletes what has expired by the clock on the wall, not by the one a test moves.
func NewClock() *Clock {
	c := &Clock{}
	c.unix.Store(time.Date(2066, 3, 1, 12, 0, 0, 0, time.UTC).Unix())
	return c
}

// Now is the clock's time.
func (c *Clock) Now() time.Time { return time.Unix(c.unix.Load(), 0).UTC() }

// Add moves the clock.
func (c *Clock) Add(d time.Duration) { c.unix.Add(int64(d / time.Second)) }

// Run proves the promises of a table. open makes an empty one that goes by the given clock.
func Run(t *testing.T, open func(t *testing.T, now func() time.Time) store.Table) {
	for _, c := range []struct {
		name string
		test func(*fixture)
	}{
		{"missing is ErrNotFound", missing},
		{"what is written is read", writtenIsRead},
		{"create twice is ErrExists", createTwice},
		{"replace needs the version that was read", replace},
		{"set raises the version whatever was there", set},
		{"delete is content with nothing", deletes},
		{"remove needs the version that was read", removes},
		{"several writes take effect together or not at all", transaction},
		{"a check guards a transaction", check},
		{"expired is invisible before it is deleted", expired},
		{"data are copies", copies},
		{"an item holds up to MaxData", maxData},
		{"large answers come back whole and in order", large},
		{"ranges", ranges},
		{"expired items do not shorten a page", expiredInPage},
		{"odd keys", oddKeys},
		{"wrong calls are refused", wrongCalls},
		{"a counter stops at its limit", counter},
		{"a counter begins again when it has expired", counterExpires},
		{"50 taking from 30 leave exactly 30", counterRace},
		{"of 50 replacing one version exactly one wins", replaceRace},
		{"a replaced item is seen by the next strong read", strongRead},
		{"a cancelled call is an error", cancelled},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := NewClock()
			table := open(t, clock.Now)
			t.Cleanup(func() { table.Close() })
			c.test(&fixture{t, t.Context(), table, clock})
		})
	}
}

type fixture struct {
	*testing.T
	ctx   context.Context
	table store.Table
	clock *Clock
}

func key(sort string) store.Key { return store.Key{Partition: "P", Sort: sort} }

func item(sort, data string) store.Item { return store.Item{Key: key(sort), Data: []byte(data)} }

func (f *fixture) write(mode store.Mode, i store.Item) error {
	return f.table.Write(f.ctx, store.Op{Mode: mode, Item: i})
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) fails(err, want error) {
	f.Helper()
	if !errors.Is(err, want) {
		f.Fatalf("error %v, want %v", err, want)
	}
}

func (f *fixture) get(sort string) store.Item {
	f.Helper()
	i, err := f.table.Get(f.ctx, key(sort), store.Strong)
	f.must(err)
	return i
}

func (f *fixture) sorts(r store.Range) string {
	f.Helper()
	r.Partition, r.Read = "P", store.Strong
	items, err := f.table.Query(f.ctx, r)
	f.must(err)
	var names []string
	for _, i := range items {
		names = append(names, i.Sort)
	}
	return strings.Join(names, " ")
}

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
	f.fails(guarded(1, "nobody"), store.ErrConflict)
	if got := f.sorts(store.Range{}); got != "guard" {
		f.Fatalf("after failed checks there is %q", got)
	}
	f.must(guarded(1, "guard"))
	f.must(guarded(0, "nobody"))
	if f.get("guard").Version != 1 {
		f.Error("a check changed the item")
	}
	f.must(f.table.Write(f.ctx, store.Op{Mode: store.Check, Item: store.Item{Key: key("guard"), Version: 1}}))
	f.fails(f.table.Write(f.ctx, store.Op{Mode: store.Check, Item: store.Item{Key: key("guard"), Version: 3}}), store.ErrConflict)
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

func large(f *fixture) {
	fill := func(prefix string, count, size int) {
		for n := range count {
			f.must(f.write(store.Create, store.Item{Key: key(fmt.Sprintf("%s%04d", prefix, n)), Data: bytes.Repeat([]byte{byte(n)}, size)}))
		}
		items, err := f.table.Query(f.ctx, store.Range{Partition: "P", Prefix: prefix, Read: store.Strong})
		f.must(err)
		if len(items) != count {
			f.Fatalf("%d items of %d bytes came back as %d", count, size, len(items))
		}
		for n, i := range items {
			if i.Sort != fmt.Sprintf("%s%04d", prefix, n) || len(i.Data) != size || i.Data[0] != byte(n) {
				f.Fatalf("item %d is %s with %d bytes", n, i.Sort, len(i.Data))
			}
		}
	}
	fill("wide", 12, 300_000)
	fill("many", 260, 10_000)
}

func ranges(f *fixture) {
	for _, s := range []string{"b2", "a1", "b1", "c", "b3", "b"} {
		f.must(f.write(store.Create, item(s, s)))
	}
	f.must(f.table.Write(f.ctx, store.Op{Mode: store.Create, Item: store.Item{Key: store.Key{Partition: "P2", Sort: "b9"}}}))
	for _, c := range []struct {
		r    store.Range
		want string
	}{
		{store.Range{}, "a1 b b1 b2 b3 c"},
		{store.Range{Prefix: "b"}, "b b1 b2 b3"},
		{store.Range{Prefix: "b", Limit: 2}, "b b1"},
		{store.Range{Prefix: "b", After: "b1"}, "b2 b3"},
		{store.Range{Prefix: "b", After: "b1", Limit: 2}, "b2 b3"},
		{store.Range{Prefix: "b", After: "b1", Limit: 1}, "b2"},
		{store.Range{Prefix: "b", After: "a"}, "b b1 b2 b3"},
		{store.Range{Prefix: "b", After: "b"}, "b1 b2 b3"},
		{store.Range{Prefix: "b", After: "b3"}, ""},
		{store.Range{Prefix: "b", After: "c"}, ""},
		{store.Range{After: "b1"}, "b2 b3 c"},
		{store.Range{After: "b15"}, "b2 b3 c"},
		{store.Range{After: "b1", Limit: 2}, "b2 b3"},
		{store.Range{Limit: 6}, "a1 b b1 b2 b3 c"},
		{store.Range{Limit: 7}, "a1 b b1 b2 b3 c"},
		{store.Range{Prefix: "z"}, ""},
	} {
		if got := f.sorts(c.r); got != c.want {
			f.Errorf("%+v: %q, want %q", c.r, got, c.want)
		}
	}
}

func expiredInPage(f *fixture) {
	for n := range 30 {
		i := item(fmt.Sprintf("%02d", n), "x")
		if n%3 != 0 {
			i.Expires = f.clock.Now().Add(time.Second)
		}
		f.must(f.write(store.Create, i))
	}
	f.clock.Add(time.Minute)
	if got := f.sorts(store.Range{Limit: 5}); got != "00 03 06 09 12" {
		f.Errorf("the first page is %q", got)
	}
	if got := f.sorts(store.Range{After: "12", Limit: 5}); got != "15 18 21 24 27" {
		f.Errorf("the second page is %q", got)
	}
}

func oddKeys(f *fixture) {
	odd := []string{" ", "#", "a", "a\x01b", "a b", "a\x7f", "aé", "a日本", "a\U0010ffff", "b", strings.Repeat("k", 512), "~", "città"}
	for _, s := range odd {
		f.must(f.write(store.Create, item(s, s)))
	}
	slices.Sort(odd)
	items, err := f.table.Query(f.ctx, store.Range{Partition: "P", Read: store.Strong})
	f.must(err)
	var got []string
	for _, i := range items {
		got = append(got, i.Sort)
		if string(i.Data) != i.Sort || string(f.get(i.Sort).Data) != i.Sort {
			f.Errorf("%q reads %q", i.Sort, i.Data)
		}
	}
	if diff := cmp.Diff(odd, got); diff != "" {
		f.Errorf("not in order of bytes: %s", diff)
	}
	if got := f.sorts(store.Range{Prefix: "a", After: "a\x7f"}); got != "aé a日本 a\U0010ffff" {
		f.Errorf("the last keys with a prefix are %q", got)
	}
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
	_, err = f.table.Take(f.ctx, store.Key{}, 1, f.clock.Now())
	f.fails(err, store.ErrInvalid)
	_, err = f.table.Query(f.ctx, store.Range{})
	f.fails(err, store.ErrInvalid)
}

func counter(f *fixture) {
	until := f.clock.Now().Add(time.Hour)
	for want := int64(1); want <= 3; want++ {
		got, err := f.table.Take(f.ctx, key("c"), 3, until)
		if err != nil || got != want {
			f.Fatalf("take %d: %d, %v", want, got, err)
		}
	}
	for range 2 {
		_, err := f.table.Take(f.ctx, key("c"), 3, until)
		f.fails(err, store.ErrLimit)
	}
	if got, err := f.table.Take(f.ctx, key("c"), 4, until); err != nil || got != 4 {
		f.Errorf("with a higher limit: %d, %v", got, err)
	}
	_, err := f.table.Take(f.ctx, key("none"), 0, until)
	f.fails(err, store.ErrLimit)
}

func counterExpires(f *fixture) {
	take := func(limit int64) (int64, error) {
		return f.table.Take(f.ctx, key("c"), limit, f.clock.Now().Add(time.Minute))
	}
	for range 2 {
		_, err := take(2)
		f.must(err)
		f.clock.Add(20 * time.Second) // a later call does not put the end off
	}
	_, err := take(2)
	f.fails(err, store.ErrLimit)
	f.clock.Add(20 * time.Second)
	if got, err := take(2); err != nil || got != 1 {
		f.Errorf("after expiry: %d, %v", got, err)
	}
	if got, err := take(2); err != nil || got != 2 {
		f.Errorf("and then: %d, %v", got, err)
	}
	_, err = take(2)
	f.fails(err, store.ErrLimit)
}

func counterRace(f *fixture) {
	var got, refused atomic.Int64
	var wg sync.WaitGroup
	until := f.clock.Now().Add(time.Hour)
	for range 50 {
		wg.Go(func() {
			switch _, err := f.table.Take(f.ctx, key("c"), 30, until); {
			case err == nil:
				got.Add(1)
			case errors.Is(err, store.ErrLimit):
				refused.Add(1)
			default:
				f.Error(err)
			}
		})
	}
	wg.Wait()
	if got.Load() != 30 || refused.Load() != 20 {
		f.Errorf("%d took and %d were refused", got.Load(), refused.Load())
	}
}

func replaceRace(f *fixture) {
	f.must(f.write(store.Create, item("a", "0")))
	var won, lost atomic.Int64
	var wg sync.WaitGroup
	for n := range 50 {
		wg.Go(func() {
			i := store.Item{Key: key("a"), Version: 1, Data: fmt.Append(nil, n)}
			ops := []store.Op{{Mode: store.Replace, Item: i}}
			if n%2 == 0 { // half of them in a transaction
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
	if _, err := f.table.Take(ctx, key("c"), 1, f.clock.Now().Add(time.Hour)); err == nil || errors.Is(err, store.ErrLimit) {
		f.Errorf("a take says %v", err)
	}
}
