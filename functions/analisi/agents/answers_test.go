package agents_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"verdetto/shared/fare"
)

func TestEveryDestination(t *testing.T) {
	d := open(t, knownRoutes(), "")
	seen := map[string]bool{}
	for skip, pages := 0, 0; ; pages++ {
		answer, _ := d.call(t, "price_trends", fmt.Sprintf(`{"origin":"Parigi","skip":%d}`, skip))
		var got struct {
			Destinations []struct{ Destination string }
		}
		decode(t, strings.NewReader(string(answer.StructuredContent)), &got)
		for _, one := range got.Destinations {
			seen[one.Destination] = true
		}
		skip += len(got.Destinations)
		if more := strings.Contains(answer.Content[0].Text,
			fmt.Sprintf("call again with skip %d.", skip)); !more || pages > 3 {
			break
		}
	}
	if len(seen) != 30 {
		t.Errorf("%d destinations, want 30", len(seen))
	}
}

func TestResources(t *testing.T) {
	d := open(t, knownRoutes(), "")
	read := func(uri string) string {
		return d.send(t, http.MethodPost, "/mcp",
			`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+uri+`"}}`).Body.String()
	}
	for _, c := range []struct {
		uri    string
		says   []string
		counts int64
	}{
		{"verdetto://reference", []string{"# Verdetto", "/v1/occasioni", "text/plain"}, 0},
		{"verdetto://coverage", []string{`\"codice\":\"MIL\",\"nome\":\"Milan\"`, "verdetto://coverage/{origin}"}, 1},
		{"verdetto://coverage/MIL", []string{`\"codice\":\"LON\"`, `\"codice\":\"BUH\"`, `\"codice\":\"PAR\"`}, 2},
		{"verdetto://coverage/Atlantis", []string{`"error"`, "citta-sconosciuta", "-32602"}, 3},
		{"verdetto://prices", []string{`"error"`, "-32602"}, 3},
	} {
		got := read(c.uri)
		for _, part := range c.says {
			if !strings.Contains(got, part) {
				t.Errorf("%s lacks %s: %.400s", c.uri, part, got)
			}
		}
		if n := d.counters.names()["rotte-free"]; n != c.counts {
			t.Errorf("%s: %d counted, want %d", c.uri, n, c.counts)
		}
	}
	for method, says := range map[string]string{"resources/list": "verdetto://coverage",
		"resources/templates/list": "verdetto://coverage/{origin}"} {
		if w := d.send(t, http.MethodPost, "/mcp",
			`{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`); !strings.Contains(w.Body.String(), says) {
			t.Errorf("%s: %s", method, w.Body)
		}
	}
}

// An alert for a departure tomorrow would be refused, because no message could come before the day
// of departure.
func TestLinkToAlert(t *testing.T) {
	d := openAt(t, "https://verdetto.example", knownRoutes(), "")
	for days, want := range map[int]bool{1: false, 2: true} {
		departure := (today + fare.Day(days)).String()
		answer, _ := d.call(t, "flight_price_verdict",
			`{"origin":"Milano","destination":"Bucarest","price":50,"departure":"`+departure+`"}`)
		var v struct{ Avviso, Pagina string }
		decode(t, strings.NewReader(string(answer.StructuredContent)), &v)
		if v.Pagina == "" || (v.Avviso != "") != want {
			t.Errorf("%s: link to an alert %q on %q, want one: %t", departure, v.Avviso, v.Pagina, want)
		}
	}
}
