package onemachine

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
)

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

func printed(t *testing.T, table store.Table, now func() time.Time) string {
	t.Helper()
	status, err := lookAt(t.Context(), Options{Table: table, Now: now}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	status.Print(&text)
	return text.String()
}

func TestReadyWhileCollecting(t *testing.T) {
	clock := storetest.NewClock()
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "kept.db"), clock.Now, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	fares, today := store.Fares{Table: table}, fare.DayOf(clock.Now())
	health := NewHealth(table, clock.Now)
	health.system = clock.Now
	if err := fares.Claim(t.Context(), "csv", clock.Now().AddDate(0, 0, -2)); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	health.Handler(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	since, first := (today - 2).String(), (today + 8).String()
	begins := "ollecting since " + since + ", first verdict about a route on " + first
	if body := w.Body.String(); w.Code != 503 || !strings.Contains(body, begins) ||
		!strings.Contains(body, `"raccolta":{"daGiorni":0,"diGiorni":8,"dal":"`+since+`","primoVerdetto":"`+first+`"}`) {
		t.Errorf("before the first fare: %d %s", w.Code, body)
	}
	if got := printed(t, table, clock.Now); !strings.Contains(got, "day 0 of 8, c"+begins) {
		t.Errorf("before the first fare: status\n%s", got)
	}
	if err := errors.Join(fares.SetLastAnswer(t.Context(), "MIL", clock.Now()), table.Write(t.Context(),
		store.Op{Item: store.Item{Key: store.Key{Partition: "COVERED", Sort: "MIL"}}})); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		days int
		want string
	}{{3, `"raccolta":{"daGiorni":3,"diGiorni":8,"primoVerdetto":"` + (today + 5).String() + `"}`}, {8, ""}, {3, ""}} {
		all := deals.Origin{Entries: []deals.Entry{{Destination: "BUH", AsOf: today, Any: deals.Fares{Route: []deals.Deal{{
			Judged: verdict.Judged{Fare: verdict.Live{Depart: today + 9, Price: 1000},
				Verdict: verdict.Verdict{Level: verdict.Unjudged, Sample: c.days}}}}}}}}
		if err := fares.UpdateDeals(t.Context(), "MIL", fare.OneWay, func(deals.Origin) deals.Origin { return all }); err != nil {
			t.Fatal(err)
		}
		clock.Add(2 * foundFor)
		w := httptest.NewRecorder()
		health.Handler(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		body := w.Body.String()
		if w.Code != 200 || strings.Contains(body, "raccolta") != (c.want != "") || !strings.Contains(body, c.want) {
			t.Errorf("%d days: %d %s", c.days, w.Code, body)
		}
		if c.want == "" {
			continue
		}
		line := "day 3 of 8, first verdict about a route on " + (today + 5).String()
		if got := printed(t, table, clock.Now); !strings.Contains(got, line) {
			t.Errorf("status:\n%s", got)
		}
	}
}
