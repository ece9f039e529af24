package storetest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/store"
)

func large(f *fixture) {
	fill := func(prefix string, count, size int) {
		for n := range count {
			f.must(f.write(
				store.Create, store.Item{
					Key: key(fmt.Sprintf("%s%04d", prefix, n)), Data: bytes.Repeat([]byte{byte(n)}, size),
				},
			))
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
	f.must(
		f.table.Write(
			f.ctx, store.Op{Mode: store.Create, Item: store.Item{Key: store.Key{Partition: "P2", Sort: "b9"}}},
		),
	)
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
	odd := []string{
		" ", "#", "a", "a\x01b", "a b", "a\x7f", "aé", "a日本", "a\U0010ffff", "b", strings.Repeat("k", 512), "~", "città",
	}
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
