package onemachine

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/upstream"
)

type fourDays struct{}

func (fourDays) Name() string { return "csv" }

func (fourDays) Origins(context.Context) ([]fare.City, error) { return []fare.City{"MIL"}, nil }

func (fourDays) Fares(_ context.Context, origin fare.City, _, until time.Time) (a upstream.Answer, err error) {
	today := fare.DayOf(until)
	for _, ago := range []fare.Day{4, 2, 1, 0} {
		a.Fares = append(a.Fares, fare.Fare{Route: fare.Route{Origin: origin, Destination: "BUH"},
			Observation: fare.Observation{Found: (today - ago).Time().Unix(), Depart: today + 60, Price: 3000}})
	}
	return a, nil
}

// The verdict, the deals, /readyz, the status, and the pages of the route and of the deals state
// the same collection.
func TestCollectionIsTheSame(t *testing.T) {
	now := func() time.Time { return time.Date(2016, 3, 1, 9, 30, 0, 0, time.UTC) }
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), now, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	o := Options{Table: table, Source: fourDays{}, Now: now, Log: slog.New(slog.DiscardHandler)}
	if _, err := o.Refresh(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	service, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	handler := NewHealth(table, now).Handler(service.API)
	const progress = "Days of fares collected: 3 of 8, since Friday 26 February 2016. " +
		"The first verdict can come on Sunday 6 March 2016"
	const collection = `"raccolta":{"daGiorni":3,"diGiorni":8,"dal":"2016-02-26","primoVerdetto":"2016-03-06"}`
	for path, want := range map[string]string{
		"/readyz": collection,
		"/v1/analisi?origine=Milano&destinazione=Bucarest": collection,
		"/v1/occasioni?origine=Milano":                     collection,
		"/?da=Milano&a=Bucarest&lang=en":                   progress,
		"/?da=Milano&lang=en":                              progress,
	} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		text := strings.Join(strings.Fields(w.Body.String()), " ")
		if w.Code != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%s: %d, want %s in\n%s", path, w.Code, want, text)
		}
	}
	line := "day 3 of 8, collecting since 2016-02-26, first verdict about a route on 2016-03-06 at the earliest"
	if got := printed(t, table, now); !strings.Contains(got, line) {
		t.Errorf("status, want %q:\n%s", line, got)
	}
}
