// Package storetest tests that a store.Table keeps the promises of package store.
package storetest

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"verdetto/shared/store"
)

type Clock struct{ unix atomic.Int64 }

// The clock starts far in the future, because DynamoDB deletes expired items by the real time.
func NewClock() *Clock {
	c := &Clock{}
	c.unix.Store(time.Date(2066, 3, 1, 12, 0, 0, 0, time.UTC).Unix())
	return c
}

func (c *Clock) Now() time.Time { return time.Unix(c.unix.Load(), 0).UTC() }

func (c *Clock) Add(d time.Duration) { c.unix.Add(int64(d / time.Second)) }

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
		{"several are taken in one call, and a counter is read as an item", counterOfSeveral},
		{"50 taking from 30 leave exactly 30", counterRace},
		{"of 50 replacing one version exactly one wins", replaceRace},
		{"a replaced item is seen by the next strong read", strongRead},
		{"a cancelled call is an error", cancelled},
		{"items are placed as they are", whole(placed)},
		{"each item comes once", whole(eachOnce)},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := NewClock()
			table := open(t, clock.Now)
			t.Cleanup(func() { table.Close() })
			c.test(&fixture{t, t.Context(), table, clock})
		})
	}
}

func whole(test func(*fixture, store.Whole)) func(*fixture) {
	return func(f *fixture) {
		if table, ok := f.table.(store.Whole); ok {
			test(f, table)
		}
	}
}

func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
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
	Must(f, err)
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
