package httpapi_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/apikey"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
	"verdetto/shared/web/routes"
)

type service struct {
	*httpapi.API
	limit.Counters
	mu        sync.Mutex
	counts    map[store.Key]int64
	writes    int
	customers customers
	reads     int
	refused   *apikey.Refused
	at        time.Time
	log       bytes.Buffer
}

func (s *service) Take(_ context.Context, key store.Key, n, most int64, _ time.Time) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	if s.counts[key] >= most {
		return 0, store.ErrLimit
	}
	s.counts[key] += n
	return s.counts[key], nil
}

func (s *service) Customer(ctx context.Context, id apikey.CustomerID) (store.Customer, error) {
	s.mu.Lock()
	s.reads++
	s.mu.Unlock()
	return s.customers.Customer(ctx, id)
}

func (s *service) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(p)
}

func serve(t *testing.T) *service {
	t.Helper()
	s := &service{counts: map[store.Key]int64{}, customers: customers{}, refused: apikey.NewRefused(), at: now}
	clock := func() time.Time { return s.at }
	s.API = httpapi.New(httpapi.Config{
		Now: clock, Log: slog.New(slog.NewJSONHandler(s, nil)), Limiter: limit.New(s, clock), Customers: s,
		Refused: s.refused, Pepper: []byte("pepper"),
	})
	handle := func(context.Context, *in) (*out, error) { return &out{}, nil }
	httpapi.JSON(s.API, "analisi", httpapi.JSONDoc{}, nil, handle)
	httpapi.JSON(s.API, "price-trends", httpapi.JSONDoc{}, nil, handle)
	httpapi.JSON(s.API, "citta", httpapi.JSONDoc{}, nil,
		func(context.Context, *struct{}) (*out, error) { return &out{}, nil })
	httpapi.JSON(s.API, "pro-webhook", httpapi.JSONDoc{}, nil, func(_ context.Context, in *signed) (*out, error) {
		if in.Signature != "good" {
			return nil, httpapi.BadRequest.Problem("The signature is wrong.")
		}
		return &out{}, nil
	})
	httpapi.JSON(s.API, "pro-ruota", httpapi.JSONDoc{}, nil, func(_ context.Context, in *keyed) (*out, error) {
		if in.Key == "ended" {
			return nil, httpapi.PlanEnded.Problem("It has ended.")
		}
		if in.Key != "" {
			return nil, httpapi.BadKey.Problem("It holds: " + in.Key)
		}
		return &out{}, nil
	})
	return s
}

type signed struct {
	Signature string `header:"Stripe-Signature"`
	RawBody   []byte `contentType:"application/json"`
}

type keyed struct {
	Key string `header:"X-Api-Key"`
}

func (s *service) ask(from, method, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader("{}"))
	r.RemoteAddr = from
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func address(network, subnet int) string {
	return fmt.Sprintf("[2001:db8:%x:%x::1]:443", network, subnet)
}

func TestAThousandAddressesOfANetwork(t *testing.T) {
	s := serve(t)
	counts := func(network int) (answered, refused int) {
		for n := range 1000 {
			w := s.ask(address(network, n), "GET", "/v1/analisi"+wellFormed)
			switch w.Code {
			case 200:
				answered++
			case 429:
				refused++
				if w.Header().Get("Retry-After") != "43200" ||
					w.Header().Get("RateLimit-Policy") != `"analisi-network";q=960;w=86400` ||
					!strings.Contains(w.Body.String(), "/48") {
					t.Fatalf("a refusal: %v %s", w.Header(), w.Body)
				}
			default:
				t.Fatalf("%d %s", w.Code, w.Body)
			}
		}
		return answered, refused
	}
	if a, r := counts(1); a != 30*routes.PerNetwork || r != 1000-a {
		t.Errorf("%d answered, %d refused", a, r)
	}
	// The counter of the network is written once in this minute, and again when the limit is
	// reached.
	if s.writes != 30*routes.PerNetwork+2 {
		t.Errorf("%d writes", s.writes)
	}
	if w := s.ask(address(2, 1), "GET", "/v1/analisi"+wellFormed); w.Code != 200 {
		t.Errorf("another network: %d", w.Code)
	}
	if w := s.ask("192.0.2.7:1", "GET", "/v1/analisi"+wellFormed); w.Code != 200 {
		t.Errorf("an IPv4 address: %d", w.Code)
	}
	s.at = now.Add(12 * time.Hour)
	if w := s.ask(address(1, 1), "GET", "/v1/analisi"+wellFormed); w.Code != 200 {
		t.Errorf("the next day: %d", w.Code)
	}
	for key := range s.counts {
		if strings.Contains(key.Partition, "2001") {
			t.Errorf("an address is in the clear: %s", key.Partition)
		}
	}
}

func (s *service) issue(t *testing.T, email string) string {
	t.Helper()
	id := apikey.CustomerIDOf([]byte("pepper"), email)
	text, hash, err := apikey.Mint(rand.Reader, id)
	if err != nil {
		t.Fatal(err)
	}
	s.customers[id] = store.Customer{ID: id, Hash: hash[:], Until: s.at.Add(time.Hour)}
	s.refused.Forget(id)
	return text
}

func TestBearer(t *testing.T) {
	s := serve(t)
	key, other := s.issue(t, "ada@example.com"), s.issue(t, "bob@example.com")
	for _, c := range []struct {
		name   string
		header []string
		status int
		code   string
		pro    bool
	}{
		{"a key", []string{"Authorization", "Bearer " + key}, 200, "", true},
		{"in lower case", []string{"Authorization", "bearer " + key}, 200, "", true},
		{"spaces", []string{"Authorization", " Bearer   " + key + " "}, 200, "", true},
		{"in both", []string{"Authorization", "Bearer " + key, "X-Api-Key", key}, 200, "", true},
		{"two different ones", []string{"Authorization", "Bearer " + key, "X-Api-Key", other}, 400, malformed, false},
		{"beside an empty one", []string{"Authorization", "Bearer " + key, "X-Api-Key", ""}, 400, malformed, false},
		{"a wrong one", []string{"Authorization", "Bearer vd_" + strings.Repeat("A", 65)}, 401,
			"chiave-non-valida", false},
		{"a malformed one", []string{"Authorization", "Bearer vd_"}, 401, "chiave-non-valida", false},
		{"of somebody else's service", []string{"Authorization", "Bearer sk-abc"}, 401, "chiave-non-valida", false},
		{"beside a good one", []string{"Authorization", "Bearer sk-abc", "X-Api-Key", key}, 401,
			"chiave-non-valida", false},
		{"none", []string{"Authorization", "Bearer"}, 401, "chiave-non-valida", false},
		{"twice", []string{"Authorization", "Bearer " + key, "Authorization", "Bearer " + key}, 401,
			"chiave-non-valida", false},
		{"a key without a scheme", []string{"Authorization", key}, 401, "chiave-non-valida", false},
		{"a key in another scheme", []string{"Authorization", "Token " + key}, 401, "chiave-non-valida", false},
		{"name and password of a proxy", []string{"Authorization", "Basic YWRhOnNlY3JldA=="}, 200, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := s.ask("192.0.2.7:1", "GET", "/v1/analisi"+wellFormed, c.header...)
			var p httpapi.Problem
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != c.status || p.Code != c.code ||
				(w.Header().Get("X-Plan") == "pro") != c.pro {
				t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
			}
			if w.Code == 401 && w.Header().Get("WWW-Authenticate") == "" ||
				strings.Contains(w.Body.String(), key[10:]) {
				t.Errorf("%v %s", w.Header(), w.Body)
			}
			if strings.Contains(s.log.String(), key[10:]) {
				t.Error("the key is in the log")
			}
		})
	}
	if w := s.ask("192.0.2.7:1", "GET", "/v1/citta", "Authorization", "Bearer sk-abc"); w.Code != 200 {
		t.Errorf("where no key is looked at: %d", w.Code)
	}
	if w := s.ask("192.0.2.7:1", "POST", "/v1/pro/chiave/ruota", "Authorization",
		"Bearer "+key); !strings.Contains(w.Body.String(), "It holds: "+key) {
		t.Errorf("a handler that looks at keys by itself was handed none: %s", w.Body)
	}
}

func TestARefusedKeyIsLookedUpOnce(t *testing.T) {
	s := serve(t)
	id := apikey.CustomerIDOf([]byte("pepper"), "ada@example.com")
	text, hash, err := apikey.Mint(rand.Reader, id)
	if err != nil {
		t.Fatal(err)
	}
	ask := func() int { return s.ask("192.0.2.7:1", "GET", "/v1/analisi"+wellFormed, "X-Api-Key", text).Code }
	var got []int
	for range 100 {
		got = append(got, ask())
	}
	if slices.ContainsFunc(got, func(code int) bool { return code != 401 }) || s.reads != 1 {
		t.Errorf("%v after %d reads", got, s.reads)
	}
	s.customers[id] = store.Customer{ID: id, Hash: hash[:], Until: s.at.Add(time.Hour)}
	if code := ask(); code != 401 {
		t.Errorf("issued by another process, within the span: %d", code)
	}
	s.at = s.at.Add(apikey.RefusedFor)
	if code := ask(); code != 200 {
		t.Errorf("issued by another process, after the span: %d", code)
	}
	delete(s.customers, id)
	if code := ask(); code != 401 {
		t.Errorf("a key that was good a moment ago is not looked up: %d", code)
	}
	s.customers[id] = store.Customer{ID: id, Hash: hash[:], Until: s.at.Add(time.Hour)}
	s.refused.Forget(id)
	if code := ask(); code != 200 {
		t.Errorf("issued by this process: %d", code)
	}
}

func TestRequestIDs(t *testing.T) {
	for _, c := range []struct {
		name, given string
		kept        bool
	}{
		{"none", "", false},
		{"a UUID", "0b5b2cd7-3b1f-4a3e-9d8e-0d6c1c7f0c3a", true},
		{"API Gateway's", "JKJaXmPLvHcESHA=", true},
		{"longest", strings.Repeat("a", 64), true},
		{"too long", strings.Repeat("a", 65), false},
		{"an address", "ada@example.com", false},
		{"a line feed", "a\nlevel=ERROR", false},
		{"quotes", `a"b`, false},
		{"a key cut short", "vd_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t)
			for _, target := range []string{"/v1/analisi" + wellFormed, "/v1/analisi", "/nothing"} {
				s.log.Reset()
				w := s.ask("192.0.2.7:1", "GET", target, "X-Request-Id", c.given)
				id := w.Header().Get("X-Request-Id")
				if (id == c.given) != c.kept || len(id) < 10 {
					t.Errorf("%s is named %q", target, id)
				}
				var line struct{ RequestID string }
				if err := json.Unmarshal(s.log.Bytes(), &line); err != nil || line.RequestID != id {
					t.Errorf("the log names it %q: %s", line.RequestID, s.log.String())
				}
			}
		})
	}
	s := serve(t)
	if a, b := s.ask("192.0.2.7:1", "GET", "/"),
		s.ask("192.0.2.7:1", "GET", "/"); a.Header().Get("X-Request-Id") == b.Header().Get("X-Request-Id") {
		t.Error("two requests have one name")
	}
}

func TestOwnCopies(t *testing.T) {
	s := serve(t)
	key := s.issue(t, "ada@example.com")
	for _, c := range []struct {
		target string
		header []string
		want   []string
	}{
		{"/v1/analisi" + wellFormed, []string{"X-Api-Key", key},
			[]string{"private, max-age=600", "X-Api-Key, Authorization"}},
		{"/v1/analisi" + wellFormed, []string{"Authorization", "Bearer " + key},
			[]string{"private, max-age=600", "X-Api-Key, Authorization"}},
		{"/v1/analisi" + wellFormed, nil, []string{"no-store", "X-Api-Key, Authorization"}},
		{"/v1/analisi", []string{"X-Api-Key", key}, []string{"no-store", ""}},
		{"/v1/price-trends" + wellFormed, []string{"X-Api-Key", key}, []string{"s-maxage=600", ""}},
	} {
		h := s.ask("192.0.2.7:1", "GET", c.target, c.header...).Header()
		if diff := cmp.Diff(c.want, []string{h.Get("Cache-Control"), h.Get("Vary")}); diff != "" {
			t.Errorf("%s with %.13v: %s", c.target, c.header, diff)
		}
	}
}

func TestTagIsNotToldOfAnything(t *testing.T) {
	body := []byte("{}")
	tag := httpapi.Tag("", "application/json", body).ETag
	for given, want := range map[string]int{tag: 304, "W/" + tag: 304, `"a", ` + tag: 304, "*": 200, " * ": 200,
		`"a", *`: 200, `"a"`: 200, "": 200} {
		if got := httpapi.Tag(given, "application/json", body); got.Status != want ||
			(len(got.Body) == 0) != (want == http.StatusNotModified) {
			t.Errorf("If-None-Match: %s gives %d with %q", given, got.Status, got.Body)
		}
	}
}
