package httpapi_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

const malformed = "richiesta-non-valida"

type in struct {
	Origine      string `query:"origine" required:"true"`
	Destinazione string `query:"destinazione" required:"true"`
}

type out struct{ Body struct{} }

type counters struct {
	limit.Counters
	subjects []string
	err      error
}

func (c *counters) Take(_ context.Context, key store.Key, _, limit int64, _ time.Time) (int64, error) {
	c.subjects = append(c.subjects, key.Partition)
	return 1, c.err
}

type customers map[apikey.CustomerID]any

func (c customers) Customer(_ context.Context, id apikey.CustomerID) (store.Customer, error) {
	switch v := c[id].(type) {
	case store.Customer:
		return v, nil
	case error:
		return store.Customer{}, v
	}
	return store.Customer{}, store.ErrNotFound
}

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, config httpapi.Config) (*httpapi.API, *counters, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	config.Log = slog.New(slog.NewJSONHandler(&log, nil))
	config.Now = func() time.Time { return now }
	config.Pepper = []byte("pepper")
	c := &counters{}
	config.Limiter = limit.New(c, config.Now)
	api := httpapi.New(config)
	httpapi.JSON(api, "analisi", httpapi.JSONDoc{}, func(_ context.Context, in *in) error {
		if in.Origine == in.Destinazione {
			return httpapi.Invalid(httpapi.Fault{Name: "destinazione", Detail: "is the same"})
		}
		return nil
	}, func(ctx context.Context, in *in) (*out, error) {
		switch in.Origine {
		case "panic":
			panic("a fault with personal@example.com in it")
		case "nowhere":
			return nil, httpapi.UnknownPath.Problem("There is no such place.")
		}
		return &out{}, nil
	})
	return api, c, &log
}

const wellFormed = "?origine=a&destinazione=b"

func call(api *httpapi.API, c *counters, change func(*http.Request)) (*httptest.ResponseRecorder, []string) {
	r := httptest.NewRequest("GET", "/v1/analisi"+wellFormed, nil)
	r.RemoteAddr = "192.0.2.7:1234"
	change(r)
	c.subjects = nil
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	return w, c.subjects
}

func TestCallersAreCountedByAddress(t *testing.T) {
	api, c, _ := open(t, httpapi.Config{})
	under := func(remote string) string {
		_, subjects := call(api, c, func(r *http.Request) { r.RemoteAddr = remote })
		if len(subjects) != 1 {
			t.Fatalf("%s was counted %d times", remote, len(subjects))
		}
		if strings.Contains(subjects[0], "192.0.2") || strings.Contains(subjects[0], "2001") {
			t.Fatalf("the address is in the clear: %s", subjects[0])
		}
		return subjects[0]
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"192.0.2.7:1234", "192.0.2.7:9", true},
		{"192.0.2.7:1234", "192.0.2.8:1234", false},
		{"192.0.2.7:1234", "[::ffff:192.0.2.7]:1", true},
		{"[2001:db8::1]:1", "[2001:db8::ffff:1:2:3]:1", true},
		{"[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false},
		{"[fe80::1%eth0]:1", "[fe80::1]:1", true},
		{"@", "somewhere.example:1234", true}, // unreadable addresses share one counter
	} {
		if (under(c.a) == under(c.b)) != c.same {
			t.Errorf("%s and %s: the same is not %v", c.a, c.b, c.same)
		}
	}
}

var spoofs = func() (all []http.Header) {
	addresses := []string{"198.51.100.9", "198.51.100.9:443", "2001:db8:9::9", "[2001:db8:9::9]:443",
		"127.0.0.1", "unknown"}
	for _, a := range addresses {
		all = append(all,
			http.Header{"X-Forwarded-For": {a}},
			http.Header{"X-Real-Ip": {a}},
			http.Header{"Cloudfront-Viewer-Address": {a}},
			http.Header{"Forwarded": {"for=\"" + a + "\";proto=https;by=203.0.113.1"}},
			http.Header{"X-Forwarded-For": {a, "203.0.113.1"}, "True-Client-Ip": {a}, "X-Client-Ip": {a},
				"Cf-Connecting-Ip": {a}})
	}
	return all
}()

func TestCallersAreCountedApart(t *testing.T) {
	if len(spoofs) < 30 {
		t.Fatalf("only %d forms", len(spoofs))
	}
	direct, c1, _ := open(t, httpapi.Config{})
	behind, c2, _ := open(t, httpapi.Config{OriginSecrets: []string{"the-current-secret"}})
	_, honest := call(direct, c1, func(*http.Request) {})
	for _, h := range spoofs {
		spoofed := func(r *http.Request) {
			for name, values := range h {
				r.Header[name] = values
			}
		}
		if w, subjects := call(direct, c1, spoofed); w.Code != 200 || !slices.Equal(subjects, honest) {
			t.Errorf("%v: %d, counted under %v", h, w.Code, subjects)
		}
		if w, subjects := call(behind, c2, spoofed); w.Code != 403 || subjects != nil {
			t.Errorf("without the secret %v: %d, counted under %v", h, w.Code, subjects)
		}
		through := func(r *http.Request) {
			spoofed(r)
			r.Header.Set("X-Origin-Secret", "the-current-secret")
			r.Header.Set("CloudFront-Viewer-Address", "192.0.2.7:46532")
		}
		if w, subjects := call(behind, c2, through); w.Code != 200 || !slices.Equal(subjects, honest) {
			t.Errorf("through our distribution %v: %d, counted under %v", h, w.Code, subjects)
		}
	}
}

func TestBehindOurDistribution(t *testing.T) {
	api, c, _ := open(t, httpapi.Config{OriginSecrets: []string{"the-current-secret", "the-one-before-it"}})
	for _, try := range []struct {
		secret string
		status int
	}{
		{"the-current-secret", 200},
		{"the-one-before-it", 200},
		{"", 403},
		{"the-current-secre", 403},
		{"the-current-secret,the-one-before-it", 403},
	} {
		w, subjects := call(api, c, func(r *http.Request) {
			r.Header.Set("X-Origin-Secret", try.secret)
			r.Header.Set("CloudFront-Viewer-Address", "198.51.100.9:443")
		})
		if w.Code != try.status || (try.status == 200) != (len(subjects) == 1) {
			t.Errorf("secret %q: %d, counted under %v", try.secret, w.Code, subjects)
		}
	}
}

func TestKeys(t *testing.T) {
	mint := func(email string) (string, apikey.CustomerID, []byte) {
		id := apikey.CustomerIDOf([]byte("pepper"), email)
		text, hash, err := apikey.Mint(rand.Reader, id)
		if err != nil {
			t.Fatal(err)
		}
		return text, id, hash[:]
	}
	good, goodID, goodHash := mint("good@example.com")
	old, _, _ := mint("good@example.com")
	ended, endedID, endedHash := mint("ended@example.com")
	down, downID, _ := mint("down@example.com")
	none, noneID, _ := mint("none@example.com")
	unheard, _, _ := mint("unheard@example.com")
	api, c, log := open(t, httpapi.Config{Customers: customers{
		goodID:  store.Customer{ID: goodID, Hash: goodHash, Until: now.Add(time.Second)},
		endedID: store.Customer{ID: endedID, Hash: endedHash, Until: now},
		downID:  store.ErrUnavailable,
		noneID:  store.Customer{ID: noneID, Until: now.Add(time.Hour)},
	}})
	for _, k := range []struct {
		name   string
		keys   []string
		status int
		code   string
	}{
		{"in force", []string{good}, 200, ""},
		{"replaced", []string{old}, 401, "chiave-non-valida"},
		{"of an unknown customer", []string{unheard}, 401, "chiave-non-valida"},
		{"never issued", []string{none}, 401, "chiave-non-valida"},
		{"empty", []string{""}, 401, "chiave-non-valida"},
		{"malformed", []string{"vd_123"}, 401, "chiave-non-valida"},
		{"another scheme", []string{"Bearer " + good}, 401, "chiave-non-valida"},
		{"control characters", []string{good[:50] + "\x01" + good[51:]}, 401, "chiave-non-valida"},
		{"10 MB", []string{strings.Repeat("v", 10<<20)}, 401, "chiave-non-valida"},
		{"two", []string{good, good}, 401, "chiave-non-valida"},
		{"ended", []string{ended}, 401, "piano-scaduto"},
		{"storage is down", []string{down}, 503, "servizio-non-disponibile"},
	} {
		t.Run(k.name, func(t *testing.T) {
			w, subjects := call(api, c, func(r *http.Request) { r.Header["X-Api-Key"] = k.keys })
			var p httpapi.Problem
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != k.status || p.Code != k.code {
				t.Errorf("%d %s %v", w.Code, w.Body, err)
			}
			h := w.Header()
			if k.status == 200 {
				if h.Get("X-Plan") != "pro" || h.Get("X-Cache") != "MISS" || h.Get("X-RateLimit-Limit") != "120" ||
					len(subjects) != 1 || !strings.Contains(subjects[0], "analisi-pro#"+string(goodID)) {
					t.Errorf("headers %v, counted under %v", h, subjects)
				}
				return
			}
			if subjects != nil || h.Get("X-Plan") != "" || h.Get("Cache-Control") != "no-store" ||
				strings.Contains(w.Body.String(), good[10:]) {
				t.Errorf("headers %v, counted under %v", h, subjects)
			}
			if k.status == 401 && h.Get("WWW-Authenticate") == "" || k.status == 503 && h.Get("Retry-After") == "" {
				t.Errorf("headers %v", h)
			}
		})
	}
	for _, secret := range []string{good, old, ended, down} {
		if strings.Contains(log.String(), secret[25:]) {
			t.Error("a key is in the log")
		}
	}
}

func TestWhatCounts(t *testing.T) {
	api, c, log := open(t, httpapi.Config{})
	for target, counts := range map[string]bool{
		"/v1/analisi" + wellFormed:                       true,
		"/api/v1/analisi" + wellFormed:                   true,
		"/v1/analisi?origine=nowhere&destinazione=b":     true,
		"/v1/analisi?origine=a":                          false,
		"/v1/analisi?origine=a&origine=b&destinazione=c": false,
		"/v1/analisi?origine=same&destinazione=same":     false,
		"/v1/nothing":                            false,
		"/v1/analisi?origine=%zz&destinazione=b": false,
	} {
		c.subjects = nil
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/", nil)
		path, query, _ := strings.Cut(target, "?")
		r.URL = &url.URL{Path: path, RawQuery: query}
		api.ServeHTTP(w, r)
		if (len(c.subjects) == 1) != counts {
			t.Errorf("%s was counted %d times", target, len(c.subjects))
		}
	}
	c.err = store.ErrUnavailable
	w, _ := call(api, c, func(*http.Request) {})
	if w.Code != 200 || w.Header().Get("X-RateLimit-Remaining") != "" ||
		!strings.Contains(log.String(), "a call could not be counted") {
		t.Errorf("with the counter out of reach: %d %v", w.Code, w.Header())
	}
}

func TestBrowsersMayCall(t *testing.T) {
	api, c, _ := open(t, httpapi.Config{})
	w, _ := call(api, c, func(r *http.Request) { r.Header.Set("Origin", "https://elsewhere.example") })
	if w.Header().Get("Access-Control-Allow-Origin") != "*" ||
		!strings.Contains(w.Header().Get("Access-Control-Expose-Headers"), "X-RateLimit-Remaining") {
		t.Errorf("headers %v", w.Header())
	}
	w, subjects := call(api, c, func(r *http.Request) {
		r.Method = "OPTIONS"
		r.Header.Set("Origin", "https://elsewhere.example")
		r.Header.Set("Access-Control-Request-Method", "GET")
		r.Header.Set("Access-Control-Request-Headers", "x-api-key")
	})
	if w.Code != 204 || !strings.Contains(w.Header().Get("Access-Control-Allow-Headers"),
		"X-Api-Key") || subjects != nil {
		t.Errorf("preflight: %d %v", w.Code, w.Header())
	}
	w, _ = call(api, c, func(r *http.Request) { r.Method = "OPTIONS" })
	if w.Code != 405 {
		t.Errorf("OPTIONS that is no preflight: %d", w.Code)
	}
}

func TestPanicIsAnsweredAndLogged(t *testing.T) {
	api, _, log := open(t, httpapi.Config{})
	w := httptest.NewRecorder()
	api.ServeHTTP(w, httptest.NewRequest("GET", "/v1/analisi?origine=panic&destinazione=b", nil))
	if w.Code != 500 || !strings.Contains(w.Body.String(), "errore-interno") ||
		strings.Contains(w.Body.String(), "example.com") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), `"msg":"panic"`) || !strings.Contains(log.String(), "httpapi_test.go") {
		t.Errorf("the log has no stack: %s", log)
	}
}

func TestSampleDataIsMarkedOnEveryAnswer(t *testing.T) {
	api, _, _ := open(t, httpapi.Config{Data: "sample"})
	for _, target := range []string{"/v1/analisi" + wellFormed, "/v1/analisi", "/nowhere"} {
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		if w.Header().Get("X-Data") != "sample" {
			t.Errorf("%s: %d %v", target, w.Code, w.Header())
		}
	}
}
