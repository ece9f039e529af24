package compat_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/upstream/sample"
)

type document struct {
	Warnings []struct {
		Code          int
		Title, Detail string
	}
	Data         []item
	Dictionaries struct {
		Locations map[string]struct{ SubType, DetailedName string }
	}
	Meta struct {
		Count    int
		Currency string
		Links    map[string]string
		Defaults map[string]any
	}
	Errors []struct {
		Status, Code  int
		Title, Detail string
		Source        struct{ Parameter string }
	}
	Error       string
	Description string `json:"error_description"`
	Code        any
	AccessToken string `json:"access_token"`
	ExpiresIn   int    `json:"expires_in"`

	Quartili *struct{ MinimoCent, Q1Cent, MedianaCent, Q3Cent, MassimoCent fare.Cents }
	Giorni   []struct {
		Partenza, Ritorno string
		Cent              fare.Cents
	}
	Occasioni []struct {
		DestinazioneIata string
		Prezzo           struct {
			Partenza, Ritorno string
			Cent              fare.Cents
		}
	}

	status int
	header http.Header
	body   string
}

type item struct {
	Origin, Destination                     any
	DepartureDate, ReturnDate, CurrencyCode string
	OneWay                                  bool
	PriceMetrics                            []struct{ Amount, QuartileRanking string }
	Price                                   struct{ Total string }
	Links                                   map[string]string
}

// codes returns the codes of the errors, or without any those of the warnings.
func (d document) codes() (all []int) {
	for _, e := range d.Errors {
		all = append(all, e.Code)
	}
	for _, w := range d.Warnings {
		all = append(all, w.Code)
	}
	return all
}

// service validates every answer against its schema.
type service struct {
	t       *testing.T
	table   *fixture.Recorder
	at      time.Time
	handler http.Handler
	token   string // anonymous
}

var now = fixture.Today

func serve(t *testing.T, source upstream.Source, o onemachine.Options) *service {
	t.Helper()
	s := &service{t: t, at: now}
	clock := func() time.Time { return s.at }
	s.table = &fixture.Recorder{Table: fixture.Bolt(t, clock)}
	observe(t, s.table, source)
	s.open(source, o)
	return s
}

func observe(t *testing.T, table store.Table, source upstream.Source) {
	t.Helper()
	r := refresh.Refresher{Source: source, Fares: store.Fares{Table: table}, Now: func() time.Time { return now },
		Workers: 1, Rates: ecb.Table().RatesOn(fare.DayOf(now))}
	if report, err := r.Run(t.Context(), "MIL"); err != nil || report.Failed > 0 {
		t.Fatalf("%+v %v", report, err)
	}
}

func (s *service) open(source upstream.Source, o onemachine.Options) {
	s.t.Helper()
	o.Table, o.Source, o.Now, o.BaseURL = s.table, source, func() time.Time { return s.at }, "https://verdetto.example"
	s.handler = fixture.Described(s.t, fixture.New(s.t, o).API)
	s.token = s.trade("free")
}

// refreshed is a database file with the fares of package sample. It is created once, and each test
// works on a copy.
var refreshed struct {
	sync.Mutex
	file []byte
}

func world(t *testing.T) *service { return worldOf(t, sample.New()) }

// worldOf applies the display rules of the source to the fares of package sample.
func worldOf(t *testing.T, source upstream.Source) *service {
	t.Helper()
	at := filepath.Join(t.TempDir(), "world.db")
	refreshed.Lock()
	defer refreshed.Unlock()
	if refreshed.file == nil {
		table, err := boltstore.Open(at, func() time.Time { return now }, boltstore.Scratch)
		if err != nil {
			t.Fatal(err)
		}
		observe(t, table, sample.New())
		if err := table.Close(); err != nil {
			t.Fatal(err)
		}
		if refreshed.file, err = os.ReadFile(at); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(at, refreshed.file, 0o600); err != nil {
		t.Fatal(err)
	}
	s := &service{t: t, at: now}
	table, err := boltstore.Open(at, func() time.Time { return s.at }, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	s.table = &fixture.Recorder{Table: table}
	s.open(source, onemachine.Options{})
	return s
}

func (s *service) trade(secret string) string {
	s.t.Helper()
	d := s.post(url.Values{"grant_type": {"client_credentials"}, "client_id": {"anything"},
		"client_secret": {secret}}.Encode())
	if d.status != 200 || d.ExpiresIn != 1799 {
		s.t.Fatalf("no token: %d %s", d.status, d.body)
	}
	return d.AccessToken
}

func (s *service) post(form string) document {
	r := httptest.NewRequest("POST", "/v1/security/oauth2/token", strings.NewReader(form))
	r.Header.Set("Content-Type", fixture.Form)
	return s.do(r)
}

func (s *service) get(target string) document { return s.with(s.token, target) }

func (s *service) with(token, target string) document {
	r := httptest.NewRequest("GET", target, nil)
	r.Header.Set("Authorization", "Bearer "+token)
	return s.do(r)
}

// ours calls the service's own API from another IP address than the other requests.
func (s *service) ours(target string) document {
	s.t.Helper()
	r := httptest.NewRequest("GET", target, nil)
	r.RemoteAddr = "192.0.2.99:1"
	d := s.do(r)
	if d.status != 200 {
		s.t.Fatalf("%s: %d %s", target, d.status, d.body)
	}
	return d
}

func (s *service) do(r *http.Request) (d document) {
	s.t.Helper()
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	d.status, d.header, d.body = w.Code, w.Header(), w.Body.String()
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil {
		s.t.Fatalf("%s: %v %.300s", r.URL, err, d.body)
	}
	return d
}

type oneWays struct{ upstream.Source }

func (s oneWays) Fares(ctx context.Context, origin fare.City, since, until time.Time) (upstream.Answer, error) {
	a, err := s.Source.Fares(ctx, origin, since, until)
	var kept []fare.Fare
	for _, f := range a.Fares {
		if f.Nights == 0 {
			kept = append(kept, f)
		}
	}
	a.Fares = kept
	return a, err
}
