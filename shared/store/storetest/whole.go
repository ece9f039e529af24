package storetest

import (
	order "cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/store"
)

func Contents(ctx context.Context, t store.Whole) (items []store.Item, err error) {
	err = store.EachPage(ctx, t, func(page []store.Item) error {
		for _, i := range page {
			if len(i.Data) == 0 {
				i.Data = nil
			}
			items = append(items, i)
		}
		return nil
	})
	slices.SortFunc(items, func(a, b store.Item) int {
		return order.Or(strings.Compare(a.Partition, b.Partition), strings.Compare(a.Sort, b.Sort))
	})
	return items, err
}

func Diff(ctx context.Context, a, b store.Whole) (string, error) {
	type stored struct {
		Version int64
		Expires time.Time
		Data    string
	}
	var held [2]map[store.Key]stored
	for n, table := range []store.Whole{a, b} {
		items, err := Contents(ctx, table)
		if err != nil {
			return "", err
		}
		held[n] = map[store.Key]stored{}
		for _, i := range items {
			held[n][i.Key] = stored{i.Version, i.Expires, string(i.Data)}
		}
		if len(held[n]) != len(items) {
			return "", fmt.Errorf("of %d items only %d have a key of their own", len(items), len(held[n]))
		}
	}
	return cmp.Diff(held[0], held[1]), nil
}

func placed(f *fixture, table store.Whole) {
	later := f.clock.Now().Add(time.Hour)
	f.must(f.write(store.Set, item("stays", "s")))
	want := []store.Item{
		{Key: key("counter"), Version: 9, Expires: later, Data: store.CounterData(7)},
		{Key: key("eight"), Version: 1, Data: []byte{255, 254, 0, 1, 2, 3, 4, 5}},
		{Key: key("empty"), Version: 3},
		{Key: key("large"), Version: 2, Data: []byte(strings.Repeat("x", store.MaxData))},
		{Key: key("over"), Version: 70, Data: []byte("written anew")},
		{Key: store.Key{Partition: "Q", Sort: "other"}, Version: 5, Expires: later, Data: []byte("q")},
	}
	for n := range 60 {
		want = append(want, store.Item{
			Key: store.Key{
				Partition: "R", Sort: fmt.Sprintf("%03d", n),
			}, Version: int64(n + 1), Data: fmt.Append(nil, n),
		})
	}
	f.must(table.Place(f.ctx, want))
	f.must(table.Place(f.ctx, want[:3]))
	f.fails(table.Place(f.ctx, []store.Item{{Key: key("stays"), Version: 2}}), store.ErrConflict)
	want = slices.Insert(want, 5, store.Item{Key: key("stays"), Version: 1, Data: []byte("s")})
	got, err := Contents(f.ctx, table)
	f.must(err)
	if diff := cmp.Diff(want, got); diff != "" {
		f.Errorf("(-want +got)\n%.3000s", diff)
	}
	if n, err := table.Take(f.ctx, key("counter"), 1, 8, later); err != nil || n != 8 {
		f.Errorf("the counter goes on at %d, %v", n, err)
	}
	_, err = table.Take(f.ctx, key("counter"), 1, 8, later)
	f.fails(err, store.ErrLimit)
	f.fails(f.write(store.Replace, store.Item{Key: key("over"), Version: 2}), store.ErrConflict)
	f.must(f.write(store.Replace, store.Item{Key: key("over"), Version: 70, Data: []byte("8 bytes!")}))
	f.must(f.write(store.Set, store.Item{Key: key("eight"), Data: []byte("text")}))
	if i := f.get("eight"); string(i.Data) != "text" || i.Version != 2 {
		f.Errorf("what was like a counter is %+v", i)
	}
	f.clock.Add(time.Hour)
	if n, err := table.Take(f.ctx, key("counter"), 1, 8, f.clock.Now().Add(time.Hour)); err != nil || n != 1 {
		f.Errorf("after its end the counter goes on at %d, %v", n, err)
	}
}

func eachOnce(f *fixture, table store.Whole) {
	var items []store.Item
	for n := range 300 {
		i := store.Item{
			Key: store.Key{Partition: fmt.Sprint("P", n%40), Sort: fmt.Sprintf("%03d", n)}, Version: 1,
			Data: []byte(strings.Repeat("x", 10_000)),
		}
		if n%3 == 0 {
			i.Expires = f.clock.Now().Add(time.Duration(n) * time.Second)
		}
		items = append(items, i)
	}
	f.must(table.Place(f.ctx, items))
	f.clock.Add(150 * time.Second)
	seen := map[store.Key]int{}
	f.must(store.EachPage(f.ctx, table, func(page []store.Item) error {
		for _, i := range page {
			seen[i.Key]++
		}
		return nil
	}))
	for n, i := range items {
		want := 1
		if n%3 == 0 && n <= 150 {
			want = 0
		}
		if seen[i.Key] != want {
			f.Errorf("item %d came %d times, want %d", n, seen[i.Key], want)
		}
	}
	enough := fmt.Errorf("enough")
	f.fails(store.EachPage(f.ctx, table, func([]store.Item) error { return enough }), enough)
}
