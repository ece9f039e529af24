package onemachine

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
)

// unwritable is a table that counts its writes. Its writes fail if fails is true.
type unwritable struct {
	store.Table
	fails  bool
	writes int
}

func (u *unwritable) Write(ctx context.Context, ops ...store.Op) error {
	u.writes++
	if u.fails {
		return store.ErrUnavailable
	}
	return u.Table.Write(ctx, ops...)
}

// TestReadyWhileWritesFail: a service that cannot write is not ready, and recovers. Calls of
// /readyz cause at most two writes a minute.
func TestReadyWhileWritesFail(t *testing.T) {
	clock := storetest.NewClock()
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "kept.db"), clock.Now, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	fares := store.Fares{Table: table}
	if err := fares.SetLastAnswer(t.Context(), "MIL", clock.Now()); err != nil {
		t.Fatal(err)
	}
	if err := table.Write(t.Context(), store.Op{Item: store.Item{Key: store.Key{Partition: "COVERED", Sort: "MIL"}}}); err != nil {
		t.Fatal(err)
	}
	u := &unwritable{Table: table}
	health := NewHealth(u, clock.Now)
	health.system = clock.Now
	handler := health.Handler(http.NotFoundHandler())
	ready := func() int {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		return w.Code
	}
	for _, step := range []struct {
		fails bool
		want  int
	}{{false, 200}, {true, 503}, {true, 503}, {false, 200}} {
		u.fails = step.fails
		clock.Add(probeFor)
		if got := ready(); got != step.want {
			t.Errorf("writes fail: %t; /readyz answers %d, want %d", step.fails, got, step.want)
		}
	}
	u.writes = 0
	for range 600 {
		clock.Add(time.Second / 10)
		ready()
	}
	if u.writes > 2 {
		t.Errorf("600 calls in a minute cause %d writes", u.writes)
	}
}
