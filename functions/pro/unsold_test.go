package pro_test

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/functions/pro"
	"verdetto/functions/pro/plan"
	"verdetto/shared/apikey"
	"verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/runtime/config"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

func TestSoldInSomeWays(t *testing.T) {
	t.Parallel()
	for _, ways := range []struct{ card, usdc bool }{{}, {card: true}, {usdc: true}, {true, true}} {
		t.Run(fmt.Sprintf("card %t, USDC %t", ways.card, ways.usdc), func(t *testing.T) {
			t.Parallel()
			sold(t, ways.card, ways.usdc)
		})
	}
}

func sold(t *testing.T, card, usdc bool) {
	clock := storetest.NewClock()
	table, log := fixture.Bolt(t, clock.Now), slog.New(slog.DiscardHandler)
	limiter, pepper := limit.New(table, clock.Now), []byte(strings.Repeat("p", 32))
	keys := store.Customers{Table: table}
	api := httpapi.New(httpapi.Config{Now: clock.Now, Log: log, Pepper: pepper, Limiter: limiter, Customers: keys,
		Refused: apikey.NewRefused()})
	var payments config.Pay
	if card {
		stripe := httptest.NewServer(playmoney.NewStripe(clock.Now))
		t.Cleanup(stripe.Close)
		payments.Card = config.Card{StripeKey: "sk_test_1", StripePrice: "price_1", StripeSecrets: []string{"whsec_1"},
			StripeURL: stripe.URL}
	}
	if usdc {
		payments.USDC = config.USDC{SolanaNodes: []string{"https://node.example"}, SolanaMint: pay.DevnetUSDC,
			SolanaWallet: playmoney.Address("wallet"), PriceUSDC: "12.99"}
	}
	service := &pro.Service{
		Keys: keys, Outbox: store.Outbox{Table: table, Name: "pro"}, Checkout: pay.Unsold{}, Limiter: limiter,
		Refused: apikey.NewRefused(),
		Pepper:  pepper, BaseURL: "https://verdetto.example", Random: rand.Reader, Now: clock.Now, Log: log,
	}
	if err := plan.Sell(service, payments); err != nil {
		t.Fatal(err)
	}
	service.Register(api)
	when := func(offered bool, status int) int {
		if offered {
			return status
		}
		return http.StatusNotFound
	}
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/v1/pro", "", http.StatusOK},
		{"POST", "/v1/pro/checkout", `{"email":"ada"}`, when(card, http.StatusBadRequest)},
		{"POST", "/api/v1/pro/webhook", "{}", when(card, http.StatusBadRequest)},
		{"GET", "/v1/pro/cripta", "", when(usdc, http.StatusOK)},
		{"POST", "/v1/pro/verifica-cripta", `{"email":"ada@example.com","signature":"x"}`, when(usdc, http.StatusBadRequest)},
		{"GET", "/v1/termini?lang=en", "", http.StatusOK},
		{"GET", "/v1/privacy?lang=en", "", http.StatusOK},
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
		body := w.Body.String()
		if w.Code == http.StatusNotFound && !strings.Contains(body, pro.NotOffered.Code) && !strings.HasSuffix(c.path, "webhook") {
			t.Errorf("%s %s: %s", c.method, c.path, body)
		}
		if strings.HasPrefix(c.path, "/v1/termini") && (strings.Contains(body, "In USDC: ") != usdc || strings.Contains(body, "By card: ") != card) {
			t.Errorf("the terms name other ways to pay than the service has: %s", body)
		}
		if strings.HasPrefix(c.path, "/v1/privacy") && (strings.Contains(body, "(Stripe)") != card || strings.Contains(body, "Solana") != usdc ||
			strings.Contains(body, "Amazon") || strings.Contains(body, "Nobody: ") != (!card && !usdc)) {
			t.Errorf("the page about privacy names other processors than the service has: %s", body)
		}
		if offered := fmt.Sprintf(`"offered":%t`, card || usdc); c.path == "/v1/pro" &&
			(!strings.Contains(body, offered) || strings.Contains(body, `"usdc":`) != usdc) {
			t.Errorf("the offer: %s", body)
		}
	}
	r := httptest.NewRequest("GET", "/v1/pro?lang=en", http.NoBody)
	r.Header.Set("Accept", "text/html")
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	page := w.Body.String()
	if w.Code != http.StatusOK || strings.Contains(page, `action="/v1/pro/checkout`) != card ||
		strings.Contains(page, `action="/v1/pro/cripta`) != usdc ||
		strings.Contains(page, "Nothing is sold here") == (card || usdc) {
		t.Errorf("the page of the offer: %d %s", w.Code, page)
	}
}
