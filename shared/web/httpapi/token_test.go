package httpapi_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/apikey"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
)

func mountForeign(s *service) {
	write := func(w http.ResponseWriter, _ *http.Request, p *httpapi.Problem) {
		for name, values := range p.GetHeaders() {
			w.Header()[name] = values
		}
		w.WriteHeader(p.Status)
		fmt.Fprint(w, "foreign "+p.Code)
	}
	s.MountForeign(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("panic") {
			panic("asked for")
		}
		if err := s.ConsumeQuota(r.Context(), "analisi"); err != nil {
			s.ProblemFor(r.Context(), "analisi", err).Write(w, r)
			return
		}
		fmt.Fprintf(w, "pro %v", httpapi.IsPro(r.Context()))
	}), write, "compat-metrics", "compat-token")
}

const metricsPath = "/v1/analytics/itinerary-price-metrics"

func TestTokens(t *testing.T) {
	var key string
	ada := apikey.CustomerIDOf([]byte("pepper"), "ada@example.com")
	issue := func(s *service, until time.Time) {
		text, hash, err := apikey.Mint(rand.Reader, ada)
		if err != nil {
			t.Fatal(err)
		}
		key = text
		s.customers[ada] = store.Customer{ID: ada, Hash: hash[:], Until: until}
	}
	token := func(s *service, key string) string {
		made, err := s.Token(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		return "Bearer " + made
	}
	for _, c := range []struct {
		name   string
		header func(s *service) []string
		status int
		says   string
		reads  int
	}{
		{"of a key", func(s *service) []string { return []string{"Authorization", token(s, key)} }, 200, "pro true", 1},
		{"of a key, to the last second", func(s *service) []string {
			made := token(s, key)
			s.at = s.at.Add(httpapi.TokenLasts - time.Second)
			return []string{"Authorization", made}
		}, 200, "pro true", 1},
		{"where a key would come", func(s *service) []string {
			return []string{"X-Api-Key", strings.TrimPrefix(token(s, key), "Bearer ")}
		}, 200, "pro true", 1},
		{"a key", func(*service) []string { return []string{"Authorization", "Bearer " + key} }, 200, "pro true", 1},
		{"anonymous", func(s *service) []string { return []string{"Authorization", token(s, "")} }, 200, "pro false", 0},
		{"none", func(*service) []string { return nil }, 401, "foreign token-mancante", 0},
		{"another scheme", func(*service) []string { return []string{"Authorization", "Basic QQ=="} }, 401,
			"foreign token-mancante", 0},
		{"a scheme alone", func(*service) []string { return []string{"Authorization", "Bearer "} }, 401,
			"foreign token-mancante", 0},
		{"two", func(s *service) []string {
			return []string{"Authorization", token(s, ""), "Authorization", token(s, "")}
		}, 401, "foreign token-mancante", 0},
		{"of another service", func(*service) []string {
			return []string{"Authorization",
				"Bearer 2YotnFZFEjr1zCsicMWpAA"}
		}, 401, "foreign token-non-valido", 0},
		{"changed", func(s *service) []string {
			made := token(s, key)
			return []string{"Authorization", made[:len(made)-3] + "AAA"}
		}, 401, "foreign token-non-valido", 0},
		{"signed with another pepper", func(s *service) []string {
			forged := apikey.NewTokenSigner([]byte("another")).CustomerToken(ada,
				apikey.Hash(s.customers[ada].(store.Customer).Hash), s.at.Add(time.Hour))
			return []string{"Authorization", "Bearer " + forged}
		}, 401, "foreign token-non-valido", 0},
		{"of 10 kB", func(*service) []string {
			return []string{"Authorization", "Bearer token_vd_" + strings.Repeat("A", 10<<10)}
		}, 401, "foreign token-non-valido", 0},
		{"after its time", func(s *service) []string {
			made := token(s, key)
			s.at = s.at.Add(httpapi.TokenLasts)
			return []string{"Authorization", made}
		}, 401, "foreign token-scaduto", 0},
		{"anonymous, after its time", func(s *service) []string {
			made := token(s, "")
			s.at = s.at.Add(httpapi.TokenLasts)
			return []string{"Authorization", made}
		}, 401, "foreign token-scaduto", 0},
		{"replayed after the key was rotated", func(s *service) []string {
			made := token(s, key)
			issue(s, s.at.Add(time.Hour))
			return []string{"Authorization", made}
		}, 401, "foreign token-revocato", 1},
		{"of a customer who was erased", func(s *service) []string {
			made := token(s, key)
			delete(s.customers, ada)
			return []string{"Authorization", made}
		}, 401, "foreign token-revocato", 1},
		{"of a customer without a key", func(s *service) []string {
			made := token(s, key)
			s.customers[ada] = store.Customer{ID: ada, Until: s.at.Add(time.Hour)}
			return []string{"Authorization", made}
		}, 401, "foreign token-revocato", 1},
		{"while the store does not answer", func(s *service) []string {
			made := token(s, key)
			s.customers[ada] = store.ErrUnavailable
			return []string{"Authorization", made}
		}, 503, "foreign servizio-non-disponibile", 1},
		{"of a plan that has ended", func(s *service) []string {
			made := token(s, key)
			c := s.customers[ada].(store.Customer)
			c.Until = s.at
			s.customers[ada] = c
			return []string{"Authorization", made}
		}, 401, "foreign piano-scaduto", 1},
		{"with another key beside it", func(s *service) []string {
			return []string{"Authorization", token(s, ""), "X-Api-Key", key}
		}, 400, "foreign richiesta-non-valida", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t)
			mountForeign(s)
			issue(s, s.at.Add(24*time.Hour))
			header := c.header(s)
			s.reads = 0
			w := s.ask("192.0.2.1:1", "GET", metricsPath, header...)
			if w.Code != c.status || w.Body.String() != c.says || s.reads != c.reads {
				t.Errorf("%d %s at %d reads, want %d %s at %d", w.Code, w.Body, s.reads, c.status, c.says, c.reads)
			}
			if auth := w.Header().Get("WWW-Authenticate"); (auth != "") != (c.status == 401) {
				t.Errorf("WWW-Authenticate: %q", auth)
			}
			if plan := w.Header().Get("X-Plan"); (plan == "pro") != (c.says == "pro true") {
				t.Errorf("X-Plan: %q", plan)
			}
		})
	}
}

func TestForeignForm(t *testing.T) {
	s := serve(t)
	mountForeign(s)
	free, err := s.Token(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	ask := func(name, method, target string, header ...string) {
		w := s.ask("192.0.2.1:1", method, target, header...)
		got[name] = fmt.Sprint(w.Code, " ", w.Body)
	}
	ask("a method", "PUT", metricsPath)
	w := s.ask("192.0.2.1:1", "GET", "/api"+metricsPath) // endpoints of compat have no alias
	got["under the alias"] = fmt.Sprint(w.Code, " ", w.Header().Get("Content-Type"))
	ask("a panic", "GET", metricsPath+"?panic=1", "Authorization", "Bearer "+free)
	for range 30 {
		ask("the last call", "GET", metricsPath, "Authorization", "Bearer "+free)
	}
	ask("one too many", "GET", metricsPath, "Authorization", "Bearer "+free)
	w = s.ask("192.0.2.1:1", "GET", "/v1/analisi"+wellFormed)
	got["the same calls"] = fmt.Sprint(w.Code, " ", w.Header().Get("Content-Type"))
	want := map[string]string{
		"a method": "405 foreign metodo-non-ammesso", "under the alias": "404 application/problem+json",
		"a panic":       "500 foreign errore-interno",
		"the last call": "200 pro false", "one too many": "429 foreign troppe-richieste",
		"the same calls": "429 application/problem+json",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got): %s", diff)
	}
}
