package agents_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// BenchmarkFirst also measures the creation of the MCP server.

var address int

// post sends each message from a different IP address, so that no rate limit applies.
func post(b *testing.B, h http.Handler, body string) {
	address++
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
	r.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1234", address>>16&255, address>>8&255, address&255)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusOK || strings.Contains(w.Body.String(), `"isError"`) {
		b.Fatal(w.Code, w.Body)
	}
}

func BenchmarkFirst(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		d := open(b, knownRoutes(), "")
		b.StartTimer()
		post(b, d, ping)
	}
}

func BenchmarkEach(b *testing.B) {
	for name, body := range map[string]string{
		"ping": ping,
		"list": `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		"verdict": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"flight_price_verdict",` +
			`"arguments":` + milanoBucarest + `}}`,
	} {
		b.Run(name, func(b *testing.B) {
			d := open(b, knownRoutes(), "")
			for b.Loop() {
				d.counters.taken = map[string]int64{}
				post(b, d, body)
			}
		})
	}
}
