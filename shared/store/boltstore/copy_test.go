package boltstore_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
)

func TestCopy(t *testing.T) {
	dir := t.TempDir()
	s, err := boltstore.Open(filepath.Join(dir, "live.db"), time.Now)
	storetest.Must(t, err)
	defer s.Close()
	put := func(n int) {
		var pair []store.Op
		for _, side := range []string{"left", "right"} {
			pair = append(pair, store.Op{Item: store.Item{
				Key: store.Key{Partition: side, Sort: fmt.Sprintf("%06d", n)}, Data: bytes.Repeat([]byte("x"), 500),
			}})
		}
		if err := s.Write(t.Context(), pair...); err != nil {
			t.Error(err)
		}
	}
	put(0)
	stop, done, wrote := make(chan struct{}), make(chan struct{}), make(chan struct{}, 1)
	go func() {
		n := 1
		for ; ; n++ {
			select {
			case <-stop:
				close(done)
				return
			default:
				put(n)
			}
			select {
			case wrote <- struct{}{}:
			default:
			}
		}
	}()
	for i := range 10 {
		<-wrote
		var copied bytes.Buffer
		var size int64
		storetest.Must(t, s.Copy(&copied, func(bytes int64) { size = bytes }))
		if size != int64(copied.Len()) {
			t.Errorf("%d bytes were announced, %d came", size, copied.Len())
		}
		path := filepath.Join(dir, fmt.Sprint(i))
		storetest.Must(t, os.WriteFile(path, copied.Bytes(), 0o600))
		c, err := boltstore.Open(path, time.Now)
		storetest.Must(t, err)
		left, err := c.Query(t.Context(), store.Range{Partition: "left", Limit: 1 << 20})
		storetest.Must(t, err)
		right, err := c.Query(t.Context(), store.Range{Partition: "right", Limit: 1 << 20})
		storetest.Must(t, err)
		if len(left) == 0 || len(left) != len(right) {
			t.Errorf("copy %d holds %d left and %d right items", i, len(left), len(right))
		}
		c.Close()
	}
	close(stop)
	<-done
}
