package agents_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"verdetto/shared/web/routes"
)

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func TestMessages(t *testing.T) {
	d := open(t, knownRoutes(), "")
	for _, c := range []struct {
		name, method, body string
		headers            []string
		status             int
		code               string
		says               string
	}{
		{"ping", "POST", ping, nil, 200, "", `"result":{}`},
		{"JSON alone is accepted", "POST", ping, []string{"Accept", "application/json"}, 200, "", `"result":{}`},
		{"no word of what is accepted", "POST", ping, []string{"Accept", ""}, 200, "", `"result":{}`},
		{"a charset", "POST", ping, []string{"Content-Type", "application/json; charset=utf-8"},
			200, "", `"result":{}`},
		{"a page of another site", "POST", ping, []string{"Origin", "https://elsewhere.example"},
			200, "", `"result":{}`},
		{"a notification", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202, "", ""},
		{"an older revision", "POST", ping, []string{"Mcp-Protocol-Version", "2025-03-26"}, 200, "", `"result":{}`},
		{"initialize of an unknown revision is answered with a known one", "POST",
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2099-01-01",` +
				`"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, nil, 200, "",
			`"protocolVersion":"2025-11-25"`},
		{"the newest revision", "POST",
			`{"jsonrpc":"2.0","id":1,"method":"server/discover",` +
				`"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
				`"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},` +
				`"io.modelcontextprotocol/clientCapabilities":{}}}}`,
			[]string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "server/discover"}, 200, "",
			`"supportedVersions"`},

		{"stream", "GET", "", []string{"Accept", "text/event-stream"}, 405, "metodo-non-ammesso", "offers no stream"},
		{"end of a session", "DELETE", "", []string{"Mcp-Session-Id", "x"}, 405, "metodo-non-ammesso", "no sessions"},
		{"another method", "PUT", ping, nil, 405, "metodo-non-ammesso", "POST"},
		{"events only", "POST", ping, []string{"Accept", "text/event-stream"}, 406, malformed, "Send Accept"},
		{"not sent as JSON", "POST", ping, []string{"Content-Type", "text/plain"}, 415, malformed,
			"Content-Type: application/json"},
		{"no content type", "POST", ping, []string{"Content-Type", ""}, 415, malformed,
			"Content-Type: application/json"},
		{"too large", "POST", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x",
			16<<10) + `"}}`, nil, 413, malformed, "16384 bytes"},

		{"empty", "POST", "", nil, 400, "-32700", "no JSON"},
		{"cut short", "POST", `{"jsonrpc":`, nil, 400, "-32700", "no JSON"},
		{"no object", "POST", `"ping"`, nil, 400, "-32600", "no JSON-RPC message"},
		{"no version", "POST", `{"id":1,"method":"ping"}`, nil, 400, "-32600", "jsonrpc"},
		{"an id that is none", "POST", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, nil, 400, "-32600", "invalid ID"},
		{"a call without an id", "POST", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"watched_routes"}}`,
			nil, 400, "-32600", "missing id"},
		{"a batch", "POST", "[" + ping + "," + ping + "]", nil, 400, "-32600", "batches"},
		{"a revision that never was", "POST", ping, []string{"Mcp-Protocol-Version", "1999-01-01"}, 400, "-32600",
			"supported versions"},
		{"params missing", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, nil, 400, "-32600", "params"},
		{"unknown method", "POST", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, nil, 200, "-32601",
			"tools and resources"},
		{"unknown method of the newest revision", "POST", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`,
			[]string{"Mcp-Protocol-Version", "2026-07-28"}, 404, "-32601", "tools and resources"},
		{"a subscription, which would never end", "POST",
			`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{}}}`,
			[]string{"Mcp-Protocol-Version", "2026-07-28"}, 404, "-32601", "tools and resources"},
		{"unknown tool", "POST",
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"book_flight","arguments":{}}}`, nil, 200,
			"-32602", "the tools are flight_price_verdict, compare_trips, " +
				"watched_routes, price_trends, fare_calendar, cheap_now, departure_history, usage"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := d.send(t, c.method, "/mcp", c.body, c.headers...)
			var got struct {
				Code  string
				Error struct{ Code json.Number }
			}
			if c.status != http.StatusAccepted {
				decode(t, strings.NewReader(w.Body.String()), &got)
			}
			kind := "application/json"
			if c.status >= 400 && !strings.HasPrefix(c.code, "-") {
				kind = "application/problem+json"
			}
			if w.Code != c.status || got.Code+got.Error.Code.String() != c.code ||
				!strings.Contains(w.Body.String(), c.says) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if w.Body.Len() > 0 && w.Header().Get("Content-Type") != kind ||
				w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("headers %v", w.Header())
			}
			if c.status == 405 && !strings.Contains(w.Header().Get("Allow"), "POST") {
				t.Errorf("headers %v", w.Header())
			}
		})
	}
	n := d.counters.names()
	delete(n, routes.Others.Name+"-free")
	if len(n) > 0 {
		t.Errorf("counted: %v", n)
	}
}

// A web page must not reach a local service through a name that resolves to a loopback address.
func TestHost(t *testing.T) {
	ask := func(to http.Handler, host, origin string) *http.Response {
		t.Helper()
		server := httptest.NewServer(to)
		defer server.Close()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/mcp", strings.NewReader(ping))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		if r.Host = host; origin != "" {
			r.Header.Set("Origin", origin)
		}
		answer, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer
	}
	bare, based := open(t, knownRoutes(), ""), openAt(t, "https://Verdetto.example", knownRoutes(), "")
	for _, c := range []struct {
		at           http.Handler
		host, origin string
		status       int
	}{
		{bare, "", "", 200}, {bare, "localhost:8080", "", 200}, {bare, "elsewhere.example", "", 403},
		{bare, "verdetto.example", "", 403},
		{based, "", "", 200}, {based, "verdetto.example", "", 200}, {based, "VERDETTO.example:443", "", 200},
		{based, "verdetto.example", "https://elsewhere.example", 200},
		{based, "elsewhere.example", "http://elsewhere.example", 403},
		{based, "elsewhere.example", "https://verdetto.example", 403},
		{based, "verdetto.example.elsewhere.example", "", 403}, {based, "xverdetto.example", "", 403},
		{based, "elsewhere.example:443", "", 403},
		{based, "verdetto.example@elsewhere.example", "", 403}, {based, "verdetto.example.", "", 403},
	} {
		answer := ask(c.at, c.host, c.origin)
		if answer.StatusCode != c.status {
			t.Errorf("Host %q, Origin %q: %d, want %d", c.host, c.origin, answer.StatusCode, c.status)
		}
		if kind := answer.Header.Get("Content-Type"); (kind == "application/problem+json") != (answer.StatusCode == 403) {
			t.Errorf("Host %q: %s", c.host, kind)
		}
	}
	if w := bare.send(t, http.MethodPost, "http://verdetto.example/mcp", ping); w.Code != http.StatusOK {
		t.Errorf("where no loopback address is listened on: %d %s", w.Code, w.Body)
	}
}

func TestPreflight(t *testing.T) {
	d := open(t, knownRoutes(), "")
	w := d.send(t, http.MethodOptions, "/mcp", "", "Origin", "https://elsewhere.example",
		"Access-Control-Request-Method", "POST")
	h := w.Header()
	if w.Code != http.StatusNoContent || h.Get("Access-Control-Allow-Origin") != "*" ||
		h.Get("Access-Control-Allow-Methods") != "POST" || h.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("%d %v", w.Code, h)
	}
	for _, name := range []string{"Content-Type", "X-Api-Key", "Mcp-Protocol-Version", "Mcp-Method"} {
		if !strings.Contains(h.Get("Access-Control-Allow-Headers"), name) {
			t.Errorf("%s is not allowed: %v", name, h)
		}
	}
	w = d.send(t, http.MethodOptions, "/v1/analisi", "", "Origin", "https://elsewhere.example",
		"Access-Control-Request-Method", "GET")
	if w.Header().Get("Access-Control-Allow-Methods") != "GET, HEAD" ||
		strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "Mcp") {
		t.Errorf("%v", w.Header())
	}
}
