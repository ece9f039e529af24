package boltstore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T, now func() time.Time) store.Table {
		s, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), now)
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

func TestNothingIsOverwritten(t *testing.T) {
	dir := t.TempDir()
	locked := filepath.Join(dir, "locked.db")
	open, err := boltstore.Open(locked, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good, err := boltstore.Open(filepath.Join(dir, "good.db"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := good.Write(t.Context(), store.Op{Item: store.Item{Key: store.Key{Partition: "P", Sort: "s"}, Data: []byte("x")}}); err != nil {
		t.Fatal(err)
	}
	good.Close()
	whole, err := os.ReadFile(filepath.Join(dir, "good.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, path, want string }{
		{"locked", locked, "another process"},
		{"a text file", write("notes.db", strings.Repeat("my holiday notes\n", 1000)), "not a store"},
		{"a short text file", write("short.db", "hello"), "not a store"},
		{"a store that was cut", write("cut.db", string(whole[:5000])), "not a store"},
		{"a store with broken heads", write("broken.db", strings.Repeat("\x00", 8192)+string(whole[8192:])), "not a store"},
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

func TestExpiredItemsAreSwept(t *testing.T) {
	clock := storetest.NewClock()
	path := filepath.Join(t.TempDir(), "test.db")
	s, err := boltstore.Open(path, clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 500 {
		i := store.Item{Key: store.Key{Partition: "P", Sort: string(rune('a' + n))}, Expires: clock.Now().Add(time.Hour)}
		if n%100 == 0 {
			i.Expires = time.Time{}
		}
		if err := s.Write(t.Context(), store.Op{Mode: store.Create, Item: i}); err != nil {
			t.Fatal(err)
		}
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
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := s.Get(t.Context(), store.Key{Partition: "P", Sort: "s"}, store.Strong); err == nil || !strings.Contains(err.Error(), store.ErrUnavailable.Error()) {
		t.Errorf("reading says %v", err)
	}
}
