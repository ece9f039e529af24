package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/runtime/metrics"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

const servedBy = "X-Served-By"

type served struct {
	By string `header:"X-Served-By"`
}

type fileInput struct {
	File string `path:"file"`
}

func registerTyped(api *httpapi.API) {
	for _, name := range []string{"analisi", "pro-conferma", "pro-recupera", "alerts-confirm-page", "alerts-confirm"} {
		httpapi.JSON(api, name, httpapi.JSONDoc{}, nil,
			func(context.Context, *struct{}) (*served, error) { return &served{By: name}, nil })
	}
	httpapi.JSON(api, "card", httpapi.JSONDoc{}, nil, func(_ context.Context, in *fileInput) (*served, error) {
		return &served{By: "card of " + in.File}, nil
	})
}

func registerMounted(api *httpapi.API) {
	handler := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set(servedBy, text+r.PathValue("file"))
			w.WriteHeader(http.StatusNoContent)
		})
	}
	api.Mount(handler("home"), "home")
	api.Mount(handler("asset "), "assets")
	api.MountForeign(handler("mcp"), nil, "mcp", "mcp-get", "mcp-delete")
}

func TestRouting(t *testing.T) {
	now := func() time.Time { return now }
	const allOrigins = "*"
	for _, c := range []struct {
		method, path, rawPath string
		preflight             bool
		status                int
		served                string
		allow                 string
		cors                  string
		mayUse                string
		logged, route         string
	}{
		{method: "GET", path: "/v1/analisi", status: 204, served: "analisi", cors: allOrigins,
			logged: "/v1/analisi", route: "analisi"},
		{method: "HEAD", path: "/v1/analisi", status: 204, served: "analisi", cors: allOrigins,
			logged: "/v1/analisi", route: "analisi"},
		{method: "GET", path: "/api/v1/analisi", status: 204, served: "analisi", cors: allOrigins,
			logged: "/api/v1/analisi", route: "analisi"},
		{method: "GET", path: "/api/api/v1/analisi", status: 404, logged: "unknown", route: "unknown"},
		{method: "GET", path: "/v1/analisi/", status: 308, cors: allOrigins, logged: "/v1/analisi", route: "analisi"},
		{method: "GET", path: "/mcp//", status: 308, cors: allOrigins, logged: "/mcp", route: "mcp-get"},
		{method: "POST", path: "/mcp/", status: 204, served: "mcp", cors: allOrigins, logged: "/mcp", route: "mcp"},
		{method: "PUT", path: "/mcp/", status: 405, allow: "POST, GET, HEAD, DELETE", cors: allOrigins, logged: "/mcp",
			route: "unknown"},
		{method: "GET", path: "//v1/analisi/", status: 404, logged: "unknown", route: "unknown"},
		{method: "GET", path: "/apiv1/analisi", status: 404, logged: "unknown", route: "unknown"},
		{method: "GET", path: "/V1/ANALISI", status: 404, logged: "unknown", route: "unknown"},
		{method: "GET", path: "/v1/../v1/analisi", status: 404, logged: "unknown", route: "unknown"},
		{method: "GET", path: "//v1/analisi", status: 404, logged: "unknown", route: "unknown"},
		{method: "GET", path: "/v1/analisi", rawPath: "/v1%2Fanalisi", status: 204, served: "analisi", cors: allOrigins,
			logged: "/v1/analisi", route: "analisi"},
		{method: "GET", path: "/api/v1/analisi", rawPath: "/api%2fv1/analisi", status: 204, served: "analisi",
			cors: allOrigins, logged: "/api/v1/analisi", route: "analisi"},
		{method: "GET", path: "", status: 404, logged: "unknown", route: "unknown"},
		{method: "GET", path: "v1/analisi", status: 404, logged: "unknown", route: "unknown"},
		{method: "OPTIONS", path: "*", status: 404, logged: "unknown", route: "unknown"},
		{method: "POST", path: "/v1/analisi", status: 405, allow: "GET, HEAD", cors: allOrigins,
			logged: "/v1/analisi", route: "unknown"},
		{method: "OPTIONS", path: "/v1/analisi", status: 405, allow: "GET, HEAD", cors: allOrigins,
			logged: "/v1/analisi", route: "unknown"},
		{method: "OPTIONS", path: "/v1/analisi", preflight: true, status: 204, cors: allOrigins, mayUse: "GET, HEAD",
			logged: "/v1/analisi", route: "unknown"},
		{method: "OPTIONS", path: "/v1/nothing", preflight: true, status: 404, logged: "unknown", route: "unknown"},
		{method: "GET", path: "/v1/pro/conferma", status: 204, served: "pro-conferma", cors: allOrigins,
			logged: "/v1/pro/conferma", route: "pro-conferma"},
		{method: "HEAD", path: "/v1/pro/conferma", status: 405, allow: "GET", cors: allOrigins,
			logged: "/v1/pro/conferma", route: "unknown"},
		{method: "POST", path: "/v1/pro/recupera", status: 204, served: "pro-recupera", logged: "/v1/pro/recupera",
			route: "pro-recupera"},
		{method: "GET", path: "/v1/pro/recupera", status: 405, allow: "POST",
			logged: "/v1/pro/recupera", route: "unknown"},
		{method: "HEAD", path: "/v1/pro/recupera", status: 405, allow: "POST",
			logged: "/v1/pro/recupera", route: "unknown"},
		{method: "OPTIONS", path: "/v1/pro/recupera", preflight: true, status: 405, allow: "POST",
			logged: "/v1/pro/recupera", route: "unknown"},
		{method: "GET", path: "/v1/alerts/confirm", status: 204, served: "alerts-confirm-page", cors: allOrigins,
			logged: "/v1/alerts/confirm", route: "alerts-confirm-page"},
		{method: "POST", path: "/api/v1/alerts/confirm", status: 204, served: "alerts-confirm", cors: allOrigins,
			logged: "/api/v1/alerts/confirm", route: "alerts-confirm"},
		{method: "PUT", path: "/v1/alerts/confirm", status: 405, allow: "GET, HEAD, POST", cors: allOrigins,
			logged: "/v1/alerts/confirm", route: "unknown"},
		{method: "GET", path: "/card/MIL-BUH-it.png", status: 204, served: "card of MIL-BUH-it.png", cors: allOrigins,
			logged: "/card/{file}", route: "card"},
		{method: "GET", path: "/card/a%b c.png", status: 204, served: "card of a%b c.png", cors: allOrigins,
			logged: "/card/{file}", route: "card"},
		{method: "GET", path: "/card/a+b.png", rawPath: "/card/a%2Bb.png", status: 204, served: "card of a+b.png",
			cors: allOrigins, logged: "/card/{file}", route: "card"},
		{method: "GET", path: "/card/{file}", status: 204, served: "card of {file}", cors: allOrigins,
			logged: "/card/{file}", route: "card"},
		{method: "GET", path: "/card/a/b.png", rawPath: "/card/a%2Fb.png", status: 404,
			logged: "unknown", route: "unknown"},
		{method: "GET", path: "/card/a/b.png", status: 404, logged: "unknown", route: "unknown"},
		{method: "GET", path: "/card/", status: 404, logged: "unknown", route: "unknown"},
		{method: "GET", path: "/card/..", status: 204, served: "card of ..", cors: allOrigins,
			logged: "/card/{file}", route: "card"},
		{method: "GET", path: "/card", status: 404, logged: "unknown", route: "unknown"},
		{method: "GET", path: "/api/card/a.png", status: 404, logged: "unknown", route: "unknown"},
		{method: "POST", path: "/card/a.png", status: 405, allow: "GET, HEAD", cors: allOrigins,
			logged: "/card/{file}", route: "unknown"},
		{method: "GET", path: "/", status: 204, served: "home", cors: allOrigins, logged: "/", route: "home"},
		{method: "HEAD", path: "/", status: 204, served: "home", cors: allOrigins, logged: "/", route: "home"},
		{method: "GET", path: "/index.html", status: 404, logged: "unknown", route: "unknown"},
		{method: "GET", path: "/assets/page-0123.css", status: 204, served: "asset page-0123.css", cors: allOrigins,
			logged: "/assets/{file}", route: "assets"},
		{method: "HEAD", path: "/assets/page-0123.css", status: 204, served: "asset page-0123.css", cors: allOrigins,
			logged: "/assets/{file}", route: "assets"},
		{method: "POST", path: "/mcp", status: 204, served: "mcp", cors: allOrigins, logged: "/mcp", route: "mcp"},
		{method: "HEAD", path: "/mcp", status: 204, served: "mcp", cors: allOrigins, logged: "/mcp", route: "mcp-get"},
		{method: "DELETE", path: "/mcp", status: 204, served: "mcp", cors: allOrigins, logged: "/mcp",
			route: "mcp-delete"},
		{method: "PUT", path: "/mcp", status: 405, allow: "POST, GET, HEAD, DELETE", cors: allOrigins,
			logged: "/mcp", route: "unknown"},
		{method: "OPTIONS", path: "/mcp", preflight: true, status: 204, cors: allOrigins, mayUse: "POST",
			logged: "/mcp", route: "unknown"},
		{method: "GET", path: "/api/mcp", status: 404, logged: "unknown", route: "unknown"},
	} {
		t.Run(c.method+" "+c.path+c.rawPath, func(t *testing.T) {
			var log bytes.Buffer
			api := httpapi.New(httpapi.Config{
				Now: now, Log: slog.New(slog.NewJSONHandler(&log, nil)), Limiter: limit.New(&counters{}, now),
				Metrics: metrics.NewSource("verdetto-analisi"),
			})
			registerTyped(api)
			registerMounted(api)
			r := httptest.NewRequest(c.method, "/", nil)
			r.URL = &url.URL{Path: c.path, RawPath: c.rawPath}
			if c.preflight {
				r.Header.Set("Access-Control-Request-Method", "GET")
			}
			w := httptest.NewRecorder()
			api.ServeHTTP(w, r)
			var line struct{ Path, Route string }
			if err := json.Unmarshal(log.Bytes(), &line); err != nil {
				t.Fatal(err)
			}
			h := w.Header()
			got := []any{w.Code, h.Get(servedBy), h.Get("Allow"), h.Get("Access-Control-Allow-Origin"),
				h.Get("Access-Control-Allow-Methods"), line.Path, line.Route}
			if diff := cmp.Diff([]any{c.status, c.served, c.allow, c.cors, c.mayUse, c.logged,
				c.route}, got); diff != "" {
				t.Errorf("-want +got: %s", diff)
			}
		})
	}
}

func TestOneLookup(t *testing.T) {
	for name, to := range map[string]struct{ method, path string }{
		"a path of nothing":      {"GET", "/v1/nothing"},
		"another endpoint":       {"GET", "/v1/analisi"},
		"a method of nothing":    {"BREW", "/card/MIL-BUH-it.png"},
		"a preflight of nothing": {"OPTIONS", "/v1/nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			at := func() time.Time { return now }
			api := httpapi.New(httpapi.Config{
				Now: at, Log: slog.New(slog.NewJSONHandler(&log, nil)), Limiter: limit.New(&counters{}, at),
				Metrics: metrics.NewSource("verdetto-analisi"),
				Pages: func(next http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						r.Method, r.URL = to.method, &url.URL{Path: to.path}
						next.ServeHTTP(w, r)
					})
				},
			})
			registerTyped(api)
			w := httptest.NewRecorder()
			api.ServeHTTP(w, httptest.NewRequest("GET", "/v1/alerts/confirm", nil))
			var line struct{ Route string }
			if err := json.Unmarshal(log.Bytes(), &line); err != nil || line.Route != "alerts-confirm-page" {
				t.Errorf("the log: %s", log.String())
			}
			if w.Code != http.StatusNoContent || w.Header().Get(servedBy) != "alerts-confirm-page" {
				t.Errorf("%d %v", w.Code, w.Header())
			}
		})
	}
}

func TestRegisteredTwice(t *testing.T) {
	api := httpapi.New(httpapi.Config{Log: slog.New(slog.DiscardHandler)})
	registerMounted(api)
	defer func() {
		if recover() == nil {
			t.Error("the second one was taken")
		}
	}()
	registerMounted(api)
}
