package httpapi_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"verdetto/shared/apikey"
	"verdetto/shared/runtime/metrics"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
	"verdetto/shared/web/page"
)

type trace struct {
	limit.Counters
	steps    []string
	customer store.Customer
	panicAt  string
	usedUp   bool
	err      error
}

func (tr *trace) pass(step string) {
	tr.steps = append(tr.steps, step)
	if tr.panicAt == step {
		panic("a fault in " + step)
	}
}

func (tr *trace) Customer(context.Context, apikey.CustomerID) (store.Customer, error) {
	tr.pass("identify")
	return tr.customer, nil
}

func (tr *trace) Take(context.Context, store.Key, int64, int64, time.Time) (int64, error) {
	tr.pass("quota")
	if tr.usedUp {
		return 0, store.ErrLimit
	}
	return 1, nil
}

func elsewhere(r *http.Request) { r.Header.Del("X-Origin-Secret") }
func badKey(r *http.Request)    { r.Header.Set("X-Api-Key", "vd_bad") }
func person(r *http.Request)    { r.Header.Set("Accept", browser) }
func bare(r *http.Request)      { r.URL.RawQuery = "" }
func usedUp(tr *trace)          { tr.usedUp = true }

func TestOrder(t *testing.T) {
	id := apikey.CustomerIDOf([]byte("pepper"), "ada@example.com")
	key, hash, err := apikey.Mint(rand.Reader, id)
	if err != nil {
		t.Fatal(err)
	}
	const secret, document, html = "the-secret", "application/problem+json", "text/html; charset=utf-8"
	everything := []string{"identify", "check", "quota", "handler"}
	for _, c := range []struct {
		name         string
		method, path string
		change       func(*http.Request)
		fault        func(*trace)
		status       int
		code         string
		kind         string
		cors         bool
		cache        string
		route        string
		steps        []string
	}{
		{name: "nothing is wrong", status: 200, kind: "application/json", cors: true, cache: "private, max-age=600",
			route: "analisi", steps: everything},
		{name: "not through our distribution, to no endpoint", path: "/v1/nothing",
			change: elsewhere, status: 403, code: "accesso-diretto", kind: document, route: "unknown"},
		{name: "not through our distribution, a preflight", method: "OPTIONS",
			change: elsewhere, status: 403, code: "accesso-diretto", kind: document, route: "unknown"},
		{name: "no endpoint, a preflight", method: "OPTIONS", path: "/v1/nothing", status: 404,
			code: "percorso-sconosciuto", kind: document, route: "unknown"},
		{name: "a preflight with a bad key", method: "OPTIONS",
			change: badKey, status: 204, cors: true, route: "unknown"},
		{name: "a wrong method with a bad key", method: "DELETE",
			change: badKey, status: 405, code: "metodo-non-ammesso", kind: document, cors: true, route: "unknown"},
		{name: "a bad key, and parameters missing",
			change: func(r *http.Request) { r.Header.Set("X-Api-Key", "vd_bad"); r.URL.RawQuery = "" }, status: 401,
			code: "chiave-non-valida", kind: document, cors: true, route: "analisi"},
		{name: "an ended plan, and parameters missing", change: bare,
			fault: func(tr *trace) { tr.customer.Until = now }, status: 401, code: "piano-scaduto", kind: document,
			cors: true, route: "analisi", steps: everything[:1]},
		{name: "parameters missing, and calls used up", change: bare,
			fault: usedUp, status: 400, code: malformed, kind: document, cors: true, route: "analisi",
			steps: everything[:1]},
		{name: "refused by the check, and calls used up",
			change: func(r *http.Request) { r.URL.RawQuery = "origine=a&destinazione=a" },
			fault:  usedUp, status: 400, code: malformed, kind: document, cors: true, route: "analisi",
			steps: everything[:2]},
		{name: "calls used up", fault: usedUp, status: 429, code: "troppe-richieste", kind: document, cors: true,
			route: "analisi", steps: everything[:3]},
		{name: "a handler that fails", fault: func(tr *trace) { tr.err = errors.New("down") }, status: 500,
			code: "errore-interno", kind: document, cors: true, route: "analisi", steps: everything},
		{name: "storage that fails", fault: func(tr *trace) { tr.err = store.ErrUnavailable }, status: 503,
			code: "servizio-non-disponibile", kind: document, cors: true, route: "analisi", steps: everything},
		{name: "a panic while the key is looked up", fault: func(tr *trace) { tr.panicAt = "identify" }, status: 500,
			code: "errore-interno", kind: document, cors: true, route: "analisi", steps: everything[:1]},
		{name: "a panic of the handler", fault: func(tr *trace) { tr.panicAt = "handler" }, status: 500,
			code: "errore-interno", kind: document, cors: true, route: "analisi", steps: everything},
		{name: "a panic, before a person", change: person,
			fault: func(tr *trace) { tr.panicAt = "handler" }, status: 500, kind: html, cors: true,
			route: "analisi", steps: everything},
		{name: "not through our distribution, before a person",
			change: func(r *http.Request) { r.Header.Set("Accept", browser); r.Header.Del("X-Origin-Secret") },
			status: 403, kind: html, route: "analisi"},
		{name: "no endpoint, before a person", path: "/v1/nothing",
			change: person, status: 404, kind: html, route: "unknown"},
		{name: "a person gets the program's answer where the edge caches", path: "/v1/price-trends",
			change: func(r *http.Request) { r.Header.Set("Accept", browser); r.URL.RawQuery = "" }, status: 400,
			code: malformed, kind: document, cors: true, route: "price-trends", steps: everything[:1]},
		{name: "where the edge keeps answers, with a key", path: "/api/v1/price-trends", status: 200,
			kind: "application/json", cors: true, cache: "s-maxage=600", route: "price-trends", steps: everything},
		{name: "a form that cannot be read, and calls used up", method: "POST", path: "/v1/pro/checkout",
			change: func(r *http.Request) {
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				r.Body = http.NoBody
				r.URL.RawQuery = ""
			},
			fault: usedUp, status: 400, code: malformed, kind: document, route: "pro-checkout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := &trace{customer: store.Customer{ID: id, Hash: hash[:], Until: now.Add(time.Hour)}}
			if c.fault != nil {
				c.fault(tr)
			}
			var log bytes.Buffer
			api := openTraced(tr, &log, secret)
			r := httptest.NewRequest(cmp.Or(c.method, "GET"), cmp.Or(c.path, "/v1/analisi")+wellFormed, nil)
			r.Header.Set("X-Origin-Secret", secret)
			r.Header.Set("X-Api-Key", key)
			r.Header.Set("Access-Control-Request-Method", "GET")
			if c.change != nil {
				c.change(r)
			}
			w := httptest.NewRecorder()
			api.ServeHTTP(w, r)

			var problem httpapi.Problem
			if w.Header().Get("Content-Type") == document {
				if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil {
					t.Fatal(err)
				}
			}
			h := w.Header()
			got := []any{w.Code, problem.Code, h.Get("Content-Type"),
				h.Get("Access-Control-Allow-Origin") == "*", tr.steps}
			if diff := gocmp.Diff([]any{c.status, c.code, c.kind, c.cors, c.steps}, got); diff != "" {
				t.Errorf("-want +got: %s", diff)
			}
			if c.cache == "" && c.status >= 400 {
				c.cache = "no-store"
			}
			if h.Get("Cache-Control") != c.cache || h.Get("X-Data") != "sample" {
				t.Errorf("%v", h)
			}
			checkLine(t, log.String(), c.status, c.route)
		})
	}
}

func checkLine(t *testing.T, log string, status int, route string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(log), "\n")
	var line struct {
		Msg, Route string
		Status     int
	}
	err := json.Unmarshal([]byte(lines[len(lines)-1]), &line)
	if err != nil || line.Msg != "request" || line.Status != status || line.Route != route {
		t.Errorf("the log: %s", log)
	}
	if strings.Count(log, `"msg":"request"`) != 1 {
		t.Errorf("more than one line: %s", log)
	}
}

func openTraced(tr *trace, log io.Writer, secret string) *httpapi.API {
	at := func() time.Time { return now }
	api := httpapi.New(httpapi.Config{
		Now: at, Log: slog.New(slog.NewJSONHandler(log, nil)), Limiter: limit.New(tr, at), Customers: tr,
		Pepper:        []byte("pepper"),
		OriginSecrets: []string{secret}, Pages: page.Problems, Data: "sample",
		Metrics: metrics.NewSource("verdetto-analisi"),
	})
	check := func(_ context.Context, in *in) error {
		tr.pass("check")
		if in.Origine == in.Destinazione {
			return httpapi.Invalid(httpapi.Fault{Name: "destinazione", Detail: "is the same"})
		}
		return nil
	}
	handle := func(context.Context, *in) (*out, error) {
		tr.pass("handler")
		return &out{}, tr.err
	}
	httpapi.JSON(api, "analisi", httpapi.JSONDoc{}, check, handle)
	httpapi.JSON(api, "price-trends", httpapi.JSONDoc{}, check, handle)
	httpapi.JSON(api, "pro-checkout", httpapi.JSONDoc{}, func(context.Context, *formInput) error {
		tr.pass("check")
		return nil
	}, func(context.Context, *formInput) (*out, error) {
		tr.pass("handler")
		return &out{}, nil
	})
	return api
}

type formInput struct {
	Body struct {
		Email string `json:"email"`
	}
}
