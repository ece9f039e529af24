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
