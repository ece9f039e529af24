package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/anac"
)

// brazil is a source with one fare from São Paulo on each of the last ten days.
type brazil struct{}

func (brazil) Name() string { return "csv" }

func (brazil) Origins(context.Context) ([]fare.City, error) { return []fare.City{"SAO"}, nil }

func (brazil) Fares(_ context.Context, origin fare.City, _, until time.Time) (a upstream.Answer, err error) {
	today := fare.DayOf(until)
	for ago := range fare.Day(10) {
		for _, to := range []fare.City{"RIO", "MIL"} {
			one := fare.Observation{Found: (today - ago).Time().Unix(), Depart: today + 60,
				Price: 3000 + fare.Cents(ago)}
			a.Fares = append(a.Fares, fare.Fare{Route: fare.Route{Origin: origin, Destination: to}, Observation: one})
		}
	}
	return a, nil
}

const anacHeader = "ANO;MES;EMPRESA;ORIGEM;DESTINO;TARIFA;ASSENTOS\n"

func month(t *testing.T, folder, name, rows string) string {
	t.Helper()
	name = filepath.Join(folder, name)
	if err := os.WriteFile(name, []byte(anacHeader+rows), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestBaseline: after the command, an answer about a route within Brazil states what passengers paid,
// in JSON, on the page and to agents. The rest of the answer is the same as before. Answers about
// other questions do not change. A second run changes nothing, and a corrected month replaces its month.
func TestBaseline(t *testing.T) {
	folder := t.TempDir()
	o := options{store: "bolt:" + filepath.Join(folder, "verdetto.db"), now: "2026-04-10T12:00:00Z"}
	now := func() time.Time { return time.Date(2026, 4, 10, 12, 0, 0, 0, time.UTC) }
	ask := func(path string) string { return askStore(t, o.store, now, path) }
	const route = "/v1/analisi?origine=São+Paulo&destinazione=Rio+de+Janeiro"
	others := []string{route + "&diretto=false&notti=4-7", route + "&vettore=LA",
		"/v1/analisi?origine=SDU&destinazione=GRU", "/v1/analisi?origine=São+Paulo&destinazione=Milano",
		"/?da=São+Paulo&a=Milano&lang=en"}
	var before []string
	for _, path := range append([]string{route}, others...) {
		before = append(before, ask(path))
	}
	files := []string{
		month(t, folder, "202601.csv",
			"2026;1;AAA;SBGR;SBGL;280,00;3\n2026;1;BBB;SBSP;SBRJ;296,00;1\n2026;1;AAA;SBGR;SBXX;9,00;3\n"),
		month(t, folder, "202603.csv", "2026;3;AAA;SBGR;SBRJ;284,00;4\n"),
	}
	add := func(written int, files ...string) {
		t.Helper()
		if r, err := addBaseline(t.Context(), o, files); err != nil || r.Written != written {
			t.Errorf("%+v, %v; want %d written", r, err, written)
		}
	}
	add(1, files...)
	add(0, files...)
	const reference = `"riferimento":{"fonte":"anac","dal":"2026-01","al":"2026-03",` +
		`"media":{"cent":28400,"valuta":"BRL"},"posti":8},`
	if got := ask(route); strings.Replace(got, reference, "", 1) != before[0] || got == before[0] {
		t.Errorf("want %s more than before in\n%s\nbefore:\n%s", reference, got, before[0])
	}
	if got := ask(route + "&valuta=BRL"); !strings.Contains(got, reference) {
		t.Errorf("in another currency:\n%s", got)
	}
	const said = "Passengers paid 284\u00a0BRL on average for one-way tickets sold from January to March 2026"
	for _, path := range []string{"/?da=São+Paulo&a=Rio+de+Janeiro&lang=en", "/mcp"} {
		if got := ask(path); !strings.Contains(got, said) {
			t.Errorf("%s: want %q in\n%s", path, said, got)
		}
	}
	for i, path := range others {
		if got := ask(path); got != before[i+1] {
			t.Errorf("%s has changed:\n%s\nbefore:\n%s", path, got, before[i+1])
		}
	}
	add(1, month(t, folder, "corrected.csv", "2026;3;AAA;SBGR;SBCF;100,00;1\n")) // no ticket to Rio in March
	if got := ask(route); !strings.Contains(got, `"al":"2026-01","media":{"cent":28400,"valuta":"BRL"},"posti":4}`) {
		t.Errorf("after the correction:\n%s", got)
	}
}

// askStore answers a request over a store, after a refresh with the fares of brazil.
func askStore(t *testing.T, name string, now func() time.Time, path string) string {
	t.Helper()
	table, err := onemachine.OpenStore(t.Context(), name, now)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	o := onemachine.Options{Table: table, Source: brazil{}, Now: now, Log: slog.New(slog.DiscardHandler)}
	if _, err := o.Refresh(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	service, err := onemachine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	if path == "/mcp" {
		const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"flight_price_verdict",` +
			`"arguments":{"origin":"São Paulo","destination":"Rio de Janeiro"}}}`
		r = httptest.NewRequest(http.MethodPost, path, strings.NewReader(call))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
	}
	w := httptest.NewRecorder()
	service.API.ServeHTTP(w, r)
	return w.Body.String()
}

// TestBaselineFaults: each fault says what to do, and changes nothing.
func TestBaselineFaults(t *testing.T) {
	folder := t.TempDir()
	name := "bolt:" + filepath.Join(folder, "verdetto.db")
	good := month(t, folder, "good.csv", "2026;1;AAA;SBGR;SBGL;280,00;3\n")
	other := filepath.Join(folder, "panel.csv")
	if err := os.WriteFile(other, []byte("origin,destination\nMIL,BUH\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		store string
		files []string
		is    error
		says  string
	}{
		{"", []string{good}, nil, "baseline needs -store"},
		{name, []string{good, other}, anac.ErrForm, "panel.csv: this is not ANAC's file of domestic fares"},
		{name, []string{good, good}, anac.ErrTwice, "each month must be in one file"},
		{name, []string{good, filepath.Join(folder, "missing.csv")}, os.ErrNotExist, "missing.csv"},
		{name, []string{month(t, folder, "later.csv", "2027;1;AAA;SBGR;SBGL;280,00;3\n")}, anac.ErrNothing,
			"1: of a month that has not begun; nothing was changed"},
	} {
		_, err := addBaseline(t.Context(), options{store: c.store, now: "2026-04-10T12:00:00Z"}, c.files)
		if err == nil || !strings.Contains(err.Error(), c.says) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%v: %v; want %q", c.files, err, c.says)
		}
	}
	if _, err := os.Stat(strings.TrimPrefix(name, "bolt:")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a store was created: %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := addBaseline(stopped, options{store: name}, []string{good}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// TestBaselineReads: only a question about a route within Brazil costs a further read.
func TestBaselineReads(t *testing.T) {
	now := func() time.Time { return time.Date(2026, 4, 10, 12, 0, 0, 0, time.UTC) }
	reads := &fixture.Recorder{Table: fixture.Bolt(t, now)}
	o := onemachine.Options{Table: reads, Source: brazil{}, Now: now, Log: slog.New(slog.DiscardHandler)}
	if _, err := o.Refresh(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	service, err := onemachine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	for target, want := range map[string]bool{"Rio+de+Janeiro": true, "Milano": false,
		"Rio+de+Janeiro&diretto=true": false, "Rio+de+Janeiro&notti=4-7": false} {
		var paid []string
		reads.Before = func(does string, keys ...store.Key) {
			for _, key := range keys {
				if does == "read" && strings.HasPrefix(key.Sort, "PAID#") {
					paid = append(paid, key.Sort)
				}
			}
		}
		service.API.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet,
			"/v1/analisi?origine=SAO&destinazione="+target, nil))
		if slices.Contains(paid, "PAID#SAO") != want || len(paid) > 1 {
			t.Errorf("%s: reads of what passengers paid: %v", target, paid)
		}
	}
}
