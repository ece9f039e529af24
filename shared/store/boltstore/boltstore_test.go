package boltstore_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T, now func() time.Time) store.Table {
		s, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), now)
		storetest.Must(t, err)
		return s
	})
}

func TestNothingIsOverwritten(t *testing.T) {
	dir := t.TempDir()
	locked := filepath.Join(dir, "locked.db")
	open, err := boltstore.Open(locked, time.Now)
	storetest.Must(t, err)
	defer open.Close()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		storetest.Must(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	good, err := boltstore.Open(filepath.Join(dir, "good.db"), time.Now)
	storetest.Must(t, err)
	storetest.Must(
		t,
		good.Write(
			t.Context(), store.Op{Item: store.Item{Key: store.Key{Partition: "P", Sort: "s"}, Data: []byte("x")}},
		),
	)
	good.Close()
	undamaged, err := os.ReadFile(filepath.Join(dir, "good.db"))
	storetest.Must(t, err)
	for _, c := range []struct{ name, path, want string }{
		{"locked", locked, "another process"},
		{"a text file", write("notes.db", strings.Repeat("my holiday notes\n", 1000)), "not a store"},
		{"an empty file", write("empty.db", ""), "it is empty"},
		{"a short text file", write("short.db", "hello"), "not a store"},
		{"a store that was cut", write("cut.db", string(undamaged[:5000])), "not a store"},
		{
			"a store with broken heads", write("broken.db", strings.Repeat("\x00", 8192)+string(undamaged[8192:])),
			"not a store",
		},
		{"a folder that is not there", filepath.Join(dir, "nowhere", "x.db"), "no such file"},
		{"a folder", dir, "directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, _ := os.ReadFile(c.path)
			s, err := boltstore.Open(c.path, time.Now)
			if err == nil {
				s.Close()
				t.Fatal("it was opened")
			}
			if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path) {
				t.Errorf("%v; want %q in it", err, c.want)
			}
			if after, _ := os.ReadFile(c.path); string(before) != string(after) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestBegunAndKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	for _, left := range []string{"", strings.Repeat("\x00", 5000)} {
		storetest.Must(t, os.WriteFile(path+".new", []byte(left), 0o600))
		s, err := boltstore.Open(path, time.Now)
		storetest.Must(t, err)
		s.Close()
		if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
			t.Errorf("left are %v, %v", files, err)
		}
		storetest.Must(t, os.Remove(path))
	}
}

func TestDamageIsReported(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "good.db")
	s, err := boltstore.Open(path, time.Now, boltstore.Scratch)
	storetest.Must(t, err)
	const items = 120
	for n := range items {
		data := bytes.Repeat([]byte{byte(n)}, 50+n%7*1500)
		storetest.Must(t, s.Write(
			t.Context(), store.Op{
				Item: store.Item{Key: store.Key{Partition: "P", Sort: fmt.Sprintf("%04d", n)}, Data: data},
			},
		))
	}
	s.Close()
	good, err := os.ReadFile(path)
	storetest.Must(t, err)
	page := os.Getpagesize()
	rng := rand.New(rand.NewPCG(1, 2))
	damaged := func(change func(b []byte) []byte) (refused bool) {
		t.Helper()
		path := filepath.Join(dir, "damaged.db")
		before := change(bytes.Clone(good))
		storetest.Must(t, os.WriteFile(path, before, 0o600))
		s, err := boltstore.Open(path, time.Now)
		if err == nil {
			s.Close()
			return false
		}
		if !strings.Contains(err.Error(), "damaged") || !strings.Contains(err.Error(), path) {
			t.Errorf("%v; want it to name the file and say that it is damaged", err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Errorf("the file was changed (%v)", err)
		}
		return true
	}
	used := bytes.LastIndex(good, []byte{items - 1, items - 1}) / page * page
	for at := page; at < used; at += page/2 + 100 {
		if !damaged(func(b []byte) []byte { return b[:at] }) {
			t.Errorf("a file cut to %d of %d bytes was opened", at, len(good))
		}
	}
	refused := 0
	for at := 2 * page; at < len(good); at += page {
		if damaged(func(b []byte) []byte {
			for i := range page {
				b[at+i] = byte(rng.Uint32())
			}
			return b
		}) {
			refused++
		}
		for range 4 {
			damaged(func(b []byte) []byte { b[at+rng.IntN(80)] ^= 1 << rng.IntN(8); return b })
		}
	}
	if refused < 10 {
		t.Errorf("only %d of %d damaged pages were refused", refused, len(good)/page-2)
	}
}

func TestOtherDatabaseIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.db")
	db, err := bolt.Open(path, 0o600, nil)
	storetest.Must(t, err)
	storetest.Must(t, db.Update(func(tx *bolt.Tx) error { _, err := tx.CreateBucket([]byte("letters")); return err }))
	db.Close()
	before, _ := os.ReadFile(path)
	read := func(path string, now func() time.Time, _ ...boltstore.Option) (*boltstore.Store, error) {
		s, _, err := boltstore.Read(path, now)
		return s, err
	}
	for _, open := range []func(string, func() time.Time, ...boltstore.Option) (*boltstore.Store, error){boltstore.Open, read} {
		if s, err := open(path, time.Now); err == nil {
			s.Close()
			t.Error("it was opened")
		} else if !strings.Contains(err.Error(), "another program") {
			t.Error(err)
		}
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("it was changed")
	}
}

func TestExpiredItemsAreSwept(t *testing.T) {
	clock := storetest.NewClock()
	path := filepath.Join(t.TempDir(), "test.db")
	s, err := boltstore.Open(path, clock.Now)
	storetest.Must(t, err)
	for n := range 500 {
		i := store.Item{
			Key: store.Key{Partition: "P", Sort: string(rune('a' + n))}, Expires: clock.Now().Add(time.Hour),
		}
		if n%100 == 0 {
			i.Expires = time.Time{}
		}
		storetest.Must(t, s.Write(t.Context(), store.Op{Mode: store.Create, Item: i}))
	}
	clock.Add(2 * time.Hour)
	s.Close()
	if s, err = boltstore.Open(path, clock.Now); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := s.Len(); n != 5 {
		t.Errorf("after opening it holds %d items, want 5", n)
	}
}

func TestClosedIsUnavailable(t *testing.T) {
	s, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), time.Now)
	storetest.Must(t, err)
	s.Close()
	if _, err := s.Get(t.Context(), store.Key{Partition: "P", Sort: "s"}, store.Strong); err == nil ||
		!strings.Contains(err.Error(), store.ErrUnavailable.Error()) {
		t.Errorf("reading says %v", err)
	}
}
