package boltstore

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	bolt "go.etcd.io/bbolt"

	"verdetto/shared/store"
)

func open(t testing.TB, options ...Option) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "test.db"), time.Now, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func (s *Store) held(t *testing.T, changes int, f func(each *sync.WaitGroup)) {
	t.Helper()
	for s.waits(t) != idle {
	}
	var each sync.WaitGroup
	tx, err := s.db.Begin(true)
	if err != nil {
		t.Fatal(err)
	}
	// The commit of this change waits for the writer lock, so that all other changes wait for the next transaction.
	each.Go(func() { _ = s.group.run(func(*bolt.Bucket) error { return store.ErrNotFound }) })
	for s.waits(t) != 0 {
	}
	f(&each)
	for s.waits(t) != changes {
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	each.Wait()
}

const idle = -1

func (s *Store) waits(t *testing.T) int {
	if t.Context().Err() != nil {
		t.Fatal("what was waited for never came")
	}
	runtime.Gosched()
	s.group.mu.Lock()
	defer s.group.mu.Unlock()
	if !s.group.busy {
		return idle
	}
	return len(s.group.waiting)
}

func (s *Store) written() int64 {
	stats := s.db.Stats()
	return stats.TxStats.GetWrite()
}

func TestRefusalsDisturbNoOtherWrite(t *testing.T) {
	s, ctx := open(t), t.Context()
	at := func(sort string) store.Key { return store.Key{Partition: "P", Sort: sort} }
	if err := s.Write(ctx, store.Op{Item: store.Item{Key: at("there")}}); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	got := map[string]int{}
	note := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		for _, known := range []error{nil, store.ErrExists, store.ErrConflict, store.ErrLimit} {
			if errors.Is(err, known) {
				got[fmt.Sprint(known)]++
				return
			}
		}
		t.Error(err)
	}
	const each = 50
	s.held(t, 4*each, func(all *sync.WaitGroup) {
		for n := range each {
			all.Go(func() {
				_, err := s.Take(ctx, at("counter"), 1, 30, time.Now().Add(time.Hour))
				note(err)
			})
			all.Go(func() {
				note(s.Write(
					ctx, store.Op{Item: store.Item{Key: at(fmt.Sprint("refused", n))}},
					store.Op{Mode: store.Create, Item: store.Item{Key: at("there")}},
				))
			})
			all.Go(func() {
				note(s.Write(ctx, store.Op{Mode: store.Replace, Item: store.Item{Key: at("there"), Version: 1}}))
			})
			all.Go(func() { note(s.Write(ctx, store.Op{Item: store.Item{Key: at(fmt.Sprint("written", n))}})) })
		}
	})
	want := map[string]int{
		"<nil>": 30 + 1 + each, store.ErrLimit.Error(): 20, store.ErrConflict.Error(): each - 1,
		store.ErrExists.Error(): each,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	items, err := s.Query(ctx, store.Range{Partition: "P"})
	if err != nil || len(items) != 2+each {
		t.Errorf("%d items, %v", len(items), err)
	}
	for _, i := range items {
		if count, ok := i.Count(); i.Sort == "counter" && (!ok || count != 30 || i.Version != 30) {
			t.Errorf("the counter is %+v", i)
		}
	}
}

func TestOneSyncForMany(t *testing.T) {
	s := open(t)
	syncs := s.written()
	s.held(t, 500, func(all *sync.WaitGroup) {
		for n := range 500 {
			all.Go(func() {
				if _, err := s.Take(
					t.Context(), store.Key{Partition: "P", Sort: fmt.Sprint(n)}, 1, math.MaxInt64, time.Time{},
				); err != nil {
					t.Error(err)
				}
			})
		}
	})
	if n := s.written() - syncs; n > 40 {
		t.Errorf("500 counts took %d writes", n)
	}
	if n := s.Len(); n != 500 {
		t.Errorf("%d counters", n)
	}
}

func TestARefusalIsNotWritten(t *testing.T) {
	s, ctx, key := open(t), t.Context(), store.Key{Partition: "P", Sort: "c"}
	take := func() error { _, err := s.Take(ctx, key, 1, 1, time.Now().Add(time.Hour)); return err }
	if err := take(); err != nil {
		t.Fatal(err)
	}
	before := s.written()
	for range 100 {
		if err := take(); !errors.Is(err, store.ErrLimit) {
			t.Fatal(err)
		}
	}
	if n := s.written() - before; n != 0 {
		t.Errorf("%d writes", n)
	}
}

func TestATransactionThatFailsIsEverybodysError(t *testing.T) {
	s := open(t)
	key := store.Key{Partition: "P", Sort: "c"}
	errs := make(chan error, 3)
	s.held(t, 3, func(all *sync.WaitGroup) {
		for n := range 3 {
			all.Go(func() {
				if n == 1 {
					errs <- translate(s.group.run(func(b *bolt.Bucket) error {
						return put(
							b, store.Op{Item: store.Item{
								Key: store.Key{Partition: string(make([]byte, bolt.MaxKeySize)), Sort: "x"},
							}}, 0,
						)
					}))
					return
				}
				_, err := s.Take(t.Context(), key, 1, 1, time.Now().Add(time.Hour))
				errs <- err
			})
		}
	})
	for range 3 {
		if err := <-errs; !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%v", err)
		}
	}
	if n := s.Len(); n != 0 {
		t.Errorf("%d items", n)
	}
}
