package agents_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"verdetto/shared/web/httpapi"
)

var update = flag.Bool("update", false, "write the golden files anew")

var sampleCalls = []struct {
	tool      string
	arguments map[string]any
}{
	{"flight_price_verdict", map[string]any{"origin": "MILANO", "destination": "OTP"}},
	{"flight_price_verdict", map[string]any{"origin": "mil", "destination": "London"}},
	{"flight_price_verdict", map[string]any{"origin": "Bergamo", "destination": "Bucarest",
		"departure": "2016-03-26", "language": "it"}},
	{"flight_price_verdict", map[string]any{"origin": "Milan", "destination": "Bucharest", "nearby": true}},
	{"compare_trips", map[string]any{"origin": "Milan", "destinations": []string{"Bucharest", "London", "Tokyo"}}},
	{"compare_trips", map[string]any{"origin": "Milan", "destinations": []string{"Bucharest"},
		"departures": []string{"2016-03-26", "2016-04-09", "2016-09-26"}, "currency": "USD"}},
	{"fare_calendar", map[string]any{"origin": "Mailand", "destination": "București", "month": "2016-04"}},
	{"usage", map[string]any{}},
	{"watched_routes", map[string]any{}},
	{"watched_routes", map[string]any{"origin": "Milano", "destination": "Tokyo"}},
	{"price_trends", map[string]any{"origin": "mxp"}},
	{"price_trends", map[string]any{"origin": "Milano", "destination": "LHR", "currency": "usd"}},
	{"fare_calendar", map[string]any{"origin": "Milan", "destination": "Bucharest"}},
	{"cheap_now", map[string]any{"origin": "Milan"}},
	{"cheap_now", map[string]any{"origin": "Milan", "max_price": 10}},
	{"cheap_now", map[string]any{"origin": "Milan", "skip": 1, "language": "it"}},
	{"departure_history", map[string]any{"origin": "Milan", "destination": "Bucharest"}},
	{"departure_history", map[string]any{"origin": "Milan", "destination": "Bucharest", "departure": "2016-03-26"}},
	{"departure_history", map[string]any{"origin": "Milan", "destination": "Bucharest", "departure": "2016-09-26"}},
	{"departure_history", map[string]any{"origin": "Milan", "destination": "Bucharest", "month": "2016-04"}},
}

func TestSession(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) { session(t, revision) })
	}
}

func session(t *testing.T, revision string) {
	d := open(t, knownRoutes(), "")
	server := httptest.NewServer(d)
	defer server.Close()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp"},
		&mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	initialized := session.InitializeResult()
	capabilities, err := json.Marshal(initialized.Capabilities)
	if err != nil {
		t.Fatal(err)
	}
	if initialized.ProtocolVersion != revision || initialized.ServerInfo.Name != "verdetto" ||
		initialized.ServerInfo.Version != httpapi.Version || len(initialized.Instructions) < 200 ||
		string(capabilities) != `{"resources":{},"tools":{}}` {
		t.Errorf("the server says of itself: %+v, capabilities %s", initialized, capabilities)
	}
	if revision == "2025-11-25" {
		if err := session.Ping(t.Context(), nil); err != nil {
			t.Error(err)
		}
	}
	listed, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if revision >= "2026-07-28" && (listed.TTLMs != 3_600_000 || listed.CacheScope != "public") {
		t.Errorf("the list may be kept for %d ms, in scope %q", listed.TTLMs, listed.CacheScope)
	}
	var transcript bytes.Buffer
	if n := size(t, listed); n > 20_000 {
		t.Errorf("the list of tools has %d characters", n)
	} else {
		t.Logf("tools/list: %d characters", n)
	}
	show := json.NewEncoder(&transcript)
	show.SetEscapeHTML(false)
	show.SetIndent("", " ")
	_, denied, found := strings.Cut(initialized.Instructions, "does not know:")
	denied, _, _ = strings.Cut(denied, ".")
	if !found {
		t.Error("the instructions do not say what the service does not know")
	}
	for _, tool := range listed.Tools {
		for name, property := range tool.InputSchema.(map[string]any)["properties"].(map[string]any) {
			if strings.Contains(denied, strings.ReplaceAll(name, "_", " ")) {
				t.Errorf("the instructions deny what %s takes as %s: %s", tool.Name, name, denied)
			}
			// An example with a fixed day would be refused once the day is past.
			if day, _ := property.(map[string]any)["examples"].([]any); len(day) > 0 && strings.Contains(fmt.Sprint(day), "-") {
				t.Errorf("%s shows the day %v as an example of %s", tool.Name, day, name)
			}
		}
		a := tool.Annotations
		if a == nil || !a.ReadOnlyHint || !a.IdempotentHint || a.DestructiveHint == nil || *a.DestructiveHint ||
			a.OpenWorldHint == nil || !*a.OpenWorldHint || a.Title == "" {
			t.Errorf("%s: annotations %+v", tool.Name, a)
		}
		if err := show.Encode(tool); err != nil {
			t.Fatal(err)
		}
	}
	if n := d.counters.names(); len(n) != 0 {
		t.Errorf("counted before any tool was called: %v", n)
	}
	called := map[string]bool{}
	for _, c := range sampleCalls {
		answer, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: c.arguments})
		if err != nil || answer.IsError {
			t.Fatalf("%s %v: %v %+v", c.tool, c.arguments, err, answer)
		}
		n := size(t, answer)
		t.Logf("%s: %d characters", c.tool, n)
		if n > limits[c.tool] {
			t.Errorf("%s %v: %d characters, at most %d", c.tool, c.arguments, n, limits[c.tool])
		}
		called[c.tool] = true
		for _, part := range []any{c.tool, c.arguments, answer.Content, answer.StructuredContent} {
			if err := show.Encode(part); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(called) != len(listed.Tools) || len(called) != 8 {
		t.Errorf("%d of %d tools were called", len(called), len(listed.Tools))
	}
	golden(t, filepath.Join("testdata", "session.golden"), transcript.Bytes())
}

var limits = map[string]int{"flight_price_verdict": 1500, "compare_trips": 3000, "fare_calendar": 4000,
	"cheap_now": 4000, "price_trends": 9000, "departure_history": 9000, "watched_routes": 4000, "usage": 2500}

func size(t *testing.T, result any) int {
	t.Helper()
	data, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return utf8.RuneCount(data)
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; -update writes it, to be read before it is committed", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}
