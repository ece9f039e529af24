package boltstore_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
)

func fill(t *testing.T, s *boltstore.Store, n int, expires time.Time) {
	t.Helper()
	var ops []store.Op
	for i := range n {
		item := store.Item{Key: store.Key{Partition: fmt.Sprintf("P#%05d", i), Sort: "s"}, Data: make([]byte, 200)}
		if i%2 == 0 {
			item.Expires = expires
		}
		if ops = append(ops, store.Op{Item: item}); len(ops) == store.MaxWrites || i == n-1 {
			storetest.Must(t, s.Write(t.Context(), ops...))
			ops = nil
		}
	}
}

func TestSweep(t *testing.T) {
	now := time.Unix(1_000_000_000, 0)
	s, err := boltstore.Open(filepath.Join(t.TempDir(), "s.db"), func() time.Time { return now }, boltstore.Scratch)
	storetest.Must(t, err)
	defer s.Close()
	const items = 9001
	var size int64
	for round := range 6 {
		fill(t, s, items, now.Add(time.Hour))
		if swept, err := s.Sweep(t.Context()); err != nil || swept != 0 {
			t.Fatal(swept, err)
		}
		now = now.Add(2 * time.Hour)
		seen, expired := 0, 0
		count := func(i store.Item) error {
			seen++
			if i.Expired(now) {
				expired++
			}
			return nil
		}
		if err := s.All(t.Context(), count); err != nil || seen != items || expired != items/2+1 {
			t.Fatal(seen, expired, err)
		}
		if swept, err := s.Sweep(t.Context()); err != nil || swept != items/2+1 {
			t.Fatal(swept, err)
		}
		seen, expired = 0, 0
		if err := s.All(t.Context(), count); err != nil || seen != items/2 || expired != 0 || s.Len() != items/2 {
			t.Fatal(seen, expired, s.Len(), err)
		}
		file, free := s.Size()
		if free == 0 || free >= file {
			t.Errorf("%d bytes free of %d", free, file)
		}
		if round == 1 {
			size = file
		}
		if round > 1 && file > size {
			t.Errorf("round %d: %d bytes, and %d before", round, file, size)
		}
	}
}
