package pro_test

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/functions/pro"
	"verdetto/shared/apikey"
	"verdetto/shared/pay"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

// TestNothingSold: without a card processor and a chain the service sells nothing. The pages about
// the service exist, and so do all paths that the owner of a granted key needs.
func TestNothingSold(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	table, log := fixture.Bolt(t, clock.Now), slog.New(slog.DiscardHandler)
	limiter, pepper := limit.New(table, clock.Now), []byte(strings.Repeat("p", 32))
	keys := store.Customers{Table: table}
	api := httpapi.New(httpapi.Config{Now: clock.Now, Log: log, Pepper: pepper, Limiter: limiter, Customers: keys,
		Refused: apikey.NewRefused()})
	(&pro.Service{
		Keys: keys, Outbox: store.Outbox{Table: table, Name: "pro"}, Checkout: pay.Unsold{}, Limiter: limiter,
		Refused: apikey.NewRefused(),
		Pepper:  pepper, BaseURL: "https://verdetto.example", Random: rand.Reader, Now: clock.Now, Log: log,
	}).Register(api)
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/v1/pro", "", http.StatusNotFound},
		{"POST", "/v1/pro/checkout", `{"email":"ada@example.com"}`, http.StatusNotFound},
		{"POST", "/api/v1/pro/webhook", "{}", http.StatusNotFound},
		{"GET", "/v1/pro/cripta", "", http.StatusNotFound},
		{"POST", "/v1/pro/verifica-cripta", "{}", http.StatusNotFound},
		{"GET", "/v1/termini", "", http.StatusOK},
		{"GET", "/v1/privacy", "", http.StatusOK},
		{"GET", "/v1/pro/chiave", "", http.StatusUnauthorized},
		{"POST", "/v1/pro/recupera", `{"email":"ada@example.com"}`, http.StatusAccepted},
		{"POST", "/v1/pro/gestione", `{"email":"ada@example.com"}`, http.StatusAccepted},
	} {
		r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s %s: %d, want %d: %s", c.method, c.path, w.Code, c.status, w.Body)
		}
		if c.path == "/v1/termini" && strings.Contains(w.Body.String(), "USDC") {
			t.Error("the terms name a price")
		}
	}
}
