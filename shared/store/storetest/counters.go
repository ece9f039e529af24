package storetest

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"verdetto/shared/store"
)

func counter(f *fixture) {
	until := f.clock.Now().Add(time.Hour)
	for want := int64(1); want <= 3; want++ {
		got, err := f.table.Take(f.ctx, key("c"), 1, 3, until)
		if err != nil || got != want {
			f.Fatalf("take %d: %d, %v", want, got, err)
		}
	}
	for range 2 {
		_, err := f.table.Take(f.ctx, key("c"), 1, 3, until)
		f.fails(err, store.ErrLimit)
	}
	if got, err := f.table.Take(f.ctx, key("c"), 1, 4, until); err != nil || got != 4 {
		f.Errorf("with a higher limit: %d, %v", got, err)
	}
	_, err := f.table.Take(f.ctx, key("none"), 1, 0, until)
	f.fails(err, store.ErrLimit)
}

func counterOfSeveral(f *fixture) {
	until := f.clock.Now().Add(time.Hour)
	for _, c := range []struct {
		n, limit, want int64
		err            error
	}{
		{n: 4, limit: 10, want: 4},
		{n: 5, limit: 10, want: 9},
		{n: 7, limit: 10, want: 16},
		{n: 1, limit: 10, err: store.ErrLimit},
		{n: 2, limit: 16, err: store.ErrLimit},
		{n: 2, limit: 17, want: 18},
		{n: 0, limit: 99, err: store.ErrInvalid},
		{n: -1, limit: 99, err: store.ErrInvalid},
	} {
		got, err := f.table.Take(f.ctx, key("c"), c.n, c.limit, until)
		if got != c.want || !errors.Is(err, c.err) {
			f.Errorf("take %d up to %d: %d, %v; want %d, %v", c.n, c.limit, got, err, c.want, c.err)
		}
	}
	read, err := f.table.Query(f.ctx, store.Range{Partition: "P", Read: store.Strong})
	f.must(err)
	read = append(read, f.get("c"))
	for _, i := range read {
		if count, ok := i.Count(); !ok || count != 18 || !i.Expires.Equal(until.Truncate(time.Second)) {
			f.Errorf("the counter is read as %d, %v until %s", count, ok, i.Expires)
		}
	}
	f.must(f.write(store.Set, item("no counter", "text")))
	if _, ok := f.get("no counter").Count(); ok || len(read) != 2 {
		f.Errorf("an item that is no counter has a count, or %d counters were read", len(read))
	}
	f.clock.Add(time.Hour)
	if got, err := f.table.Take(f.ctx, key("c"), 3, 10, f.clock.Now().Add(time.Hour)); err != nil || got != 3 {
		f.Errorf("after expiry: %d, %v", got, err)
	}
}

func counterExpires(f *fixture) {
	take := func(limit int64) (int64, error) {
		return f.table.Take(f.ctx, key("c"), 1, limit, f.clock.Now().Add(time.Minute))
	}
	for range 2 {
		_, err := take(2)
		f.must(err)
		f.clock.Add(20 * time.Second)
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
			switch _, err := f.table.Take(f.ctx, key("c"), 1, 30, until); {
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
