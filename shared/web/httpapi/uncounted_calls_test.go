package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
)

func TestOtherCallsAreCapped(t *testing.T) {
	const most = 3000
	for _, c := range []struct {
		name, method, target string
		status               int
		header               []string
	}{
		{"nothing there", "GET", "/wp-login.php", 404, nil},
		{"a path that is not counted", "GET", "/v1/citta", 200, nil},
		{"an unknown parameter", "GET", "/v1/citta?junk=1", 400, nil},
		{"a malformed request", "GET", "/v1/price-trends", 400, nil},
		{"a wrong method", "DELETE", "/v1/citta", 405, nil},
		{"a malformed key", "GET", "/v1/analisi" + wellFormed, 401, []string{"X-Api-Key", "vd_x"}},
		{"a delivery that is not signed", "POST", "/v1/pro/webhook", 400,
			[]string{"Content-Type", "application/json", "Stripe-Signature", "bad"}},
		{"a wrong key that is to be rotated", "POST", "/v1/pro/chiave/ruota", 401, []string{"X-Api-Key", "vd_x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t)
			for n := range most + 5 {
				w := s.ask("192.0.2.7:1", c.method, c.target, c.header...)
				if want := map[bool]int{true: 429, false: c.status}[n >= most]; w.Code != want {
					t.Fatalf("call %d: %d %s, want %d", n+1, w.Code, w.Body, want)
				}
				if n >= most && (w.Header().Get("Retry-After") == "" ||
					!strings.Contains(w.Body.String(), "troppe-richieste")) {
					t.Fatalf("%v %s", w.Header(), w.Body)
				}
			}
			if s.writes != 2 { // one write for the first 16 calls, and one when the limit is reached
				t.Errorf("%d writes", s.writes)
			}
			if w := s.ask("192.0.2.8:1", c.method, c.target, c.header...); w.Code != c.status {
				t.Errorf("another address: %d", w.Code)
			}
			if w := s.ask("192.0.2.7:1", "POST", "/v1/pro/webhook", "Content-Type", "application/json",
				"Stripe-Signature", "good"); w.Code != 200 {
				t.Errorf("what is signed: %d", w.Code)
			}
			s.at = now.Add(time.Hour)
			if w := s.ask("192.0.2.7:1", c.method, c.target, c.header...); w.Code != c.status {
				t.Errorf("an hour later: %d", w.Code)
			}
		})
	}
	s := serve(t)
	for range 30 {
		s.ask("192.0.2.7:1", "GET", "/v1/analisi"+wellFormed)
	}
	for key := range s.counts {
		if strings.Contains(key.Partition, "others") {
			t.Error("what an endpoint counts is counted as another call")
		}
	}
}

func TestAKeyPassesWhereItsAddressIsRefused(t *testing.T) {
	s := serve(t)
	key := s.issue(t, "ada@example.com")
	for range 3001 {
		s.ask("192.0.2.7:1", "GET", "/nothing")
	}
	if w := s.ask("192.0.2.7:1", "GET", "/nothing"); w.Code != 429 {
		t.Fatalf("%d", w.Code)
	}
	for _, header := range [][]string{{"X-Api-Key", key}, {"Authorization", "Bearer " + key}} {
		if w := s.ask("192.0.2.7:1", "GET", "/v1/analisi"+wellFormed, header...); w.Code != 200 ||
			w.Header().Get("X-Plan") != "pro" {
			t.Errorf("%s: %d %s", header[0], w.Code, w.Body)
		}
	}
}

func TestEndedPlanIsCapped(t *testing.T) {
	const most = 3000
	for _, c := range []struct {
		name, method, target string
		header               func(key, token string) []string
	}{
		{"a key", "GET", "/v1/analisi" + wellFormed,
			func(key, _ string) []string { return []string{"X-Api-Key", key} }},
		{"a token", "GET", metricsPath,
			func(_, token string) []string { return []string{"Authorization", "Bearer " + token} }},
		{"a key that the handler reads", "POST", "/v1/pro/chiave/ruota",
			func(string, string) []string { return []string{"X-Api-Key", "ended"} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t)
			mountForeign(s)
			key := s.issue(t, "ada@example.com")
			token, err := s.Token(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			id := apikey.CustomerIDOf([]byte("pepper"), "ada@example.com")
			ada := s.customers[id].(store.Customer)
			ada.Until = s.at.Add(-time.Second)
			s.customers[id] = ada
			for n := range most + 5 {
				w := s.ask("192.0.2.7:1", c.method, c.target, c.header(key, token)...)
				status, code := http.StatusUnauthorized, httpapi.PlanEnded.Code
				if n >= most {
					status, code = http.StatusTooManyRequests, httpapi.TooMany.Code
				}
				if w.Code != status || !strings.Contains(w.Body.String(), code) {
					t.Fatalf("call %d: %d %s, want %d %s", n+1, w.Code, w.Body, status, code)
				}
			}
			if w := s.ask("192.0.2.8:1", c.method, c.target, c.header(key, token)...); w.Code != 401 {
				t.Errorf("another address: %d", w.Code)
			}
		})
	}
}
