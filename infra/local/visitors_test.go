package main

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/routes"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

// writings is a table that notes where it is written to.
type writings struct {
	store.Table
	mu    sync.Mutex
	where []string
}

func (w *writings) note(partition string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.where = append(w.where, partition)
}

func (w *writings) Write(ctx context.Context, ops ...store.Op) error {
	for _, op := range ops {
		w.note(op.Item.Partition)
	}
	return w.Table.Write(ctx, ops...)
}

func (w *writings) Take(ctx context.Context, key store.Key, limit int64, expires time.Time) (int64, error) {
	w.note(key.Partition)
	return w.Table.Take(ctx, key, limit, expires)
}

// TestWhatVisitorsWrite: what anybody can call writes to counters and to the list
// of wishes, and nowhere else. On AWS these functions may write nowhere else
// (infra/cdk, functions.go): a new place has to be allowed there.
func TestWhatVisitorsWrite(t *testing.T) {
	clock := storetest.NewClock()
	table := &writings{Table: bolt(t, clock.Now)}
	key, err := store.Customers{Table: table.Table}.Issue(t.Context(), rand.Reader, apikey.Of([]byte(testPepper), "ada@example.com"), clock.Now(),
		func(c *store.Customer) error { c.Until = clock.Now().Add(time.Hour); return nil })
	if err != nil {
		t.Fatal(err)
	}
	h := instance(table, clock)
	query := url.Values{ // each endpoint finds what it looks for
		"origine": {"Milano"}, "destinazione": {"Bucarest"}, "da": {"Milano"}, "a": {"Bucarest"},
		"origin": {"MIL"}, "destination": {"BUH"}, "currency": {"eur"}, "q": {"mil"},
	}
	message := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, r := range routes.Table {
		if r.Function != "analisi" && r.Function != "pricetrends" {
			continue
		}
		for _, sent := range []string{"", key, "vd_wrong"} {
			for _, asked := range []url.Values{query, {"origin": {"MIL"}, "currency": {"eur"}}, {"origine": {"Milano"}, "destinazione": {"Bucarest"}}, {"da": {"Milano"}}, {}} {
				request := httptest.NewRequest(r.Method, strings.ReplaceAll(r.Path, "{file}", "any")+"?"+asked.Encode(), strings.NewReader(message))
				request.Header.Set("Content-Type", "application/json")
				request.Header.Set("Accept", "application/json, text/event-stream, text/html")
				if sent != "" {
					request.Header.Set("X-Api-Key", sent)
				}
				w := httptest.NewRecorder()
				h.ServeHTTP(w, request)
				if w.Code >= http.StatusInternalServerError {
					t.Errorf("%s %s: %d %s", r.Method, r.Path, w.Code, w.Body)
				}
			}
		}
	}
	slices.Sort(table.where)
	where := slices.Compact(table.where)
	for _, partition := range where {
		if partition != "WANTED" && !strings.HasPrefix(partition, "LIMIT#") {
			t.Errorf("they write to %s", partition)
		}
	}
	if !slices.Contains(where, "WANTED") || len(where) < 3 {
		t.Errorf("they wrote only to %q: has anything been asked?", where)
	}
}
