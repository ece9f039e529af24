package agents_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"verdetto/shared/text/i18n"
)

// fetched matches HTML that makes a browser send a request or run code.
var fetched = regexp.MustCompile(`(?i)<(script|link|img|iframe|object|embed|base|form)\b|\bsrc=|url\(|@import|` +
	`\bon[a-z]+="|javascript:`)

// TestCardDocument: the HTML document that displays cards is complete and loads nothing.
func TestCardDocument(t *testing.T) {
	d := open(t, knownRoutes(), "")
	w := d.send(t, "POST", "/mcp",
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ui://verdetto/card"}}`)
	var m struct {
		Result struct {
			Contents []struct {
				URI, MimeType, Text string
				Meta                struct {
					UI struct {
						CSP           map[string][]string
						PrefersBorder bool
					}
				} `json:"_meta"`
			}
		}
	}
	decode(t, w.Body, &m)
	if len(m.Result.Contents) != 1 {
		t.Fatalf("%+v", m)
	}
	c := m.Result.Contents[0]
	if c.URI != "ui://verdetto/card" || c.MimeType != "text/html;profile=mcp-app" ||
		len(c.Meta.UI.CSP["connectDomains"])+len(c.Meta.UI.CSP["resourceDomains"]) != 0 || !c.Meta.UI.PrefersBorder {
		t.Errorf("%s %s %+v", c.URI, c.MimeType, c.Meta)
	}
	html, script, ok := strings.Cut(c.Text, "<script>")
	if found := fetched.FindString(html); found != "" || !ok || !strings.HasPrefix(html, "<!doctype html>") {
		t.Errorf("the card has %q", found)
	}
	for _, word := range []string{"fetch(", "XMLHttpRequest", "WebSocket", "sendBeacon", "import(", "http:", "https:"} {
		if strings.Contains(script, word) {
			t.Errorf("the script has %s", word)
		}
	}
	if len(c.Text) > 30_000 {
		t.Errorf("%d bytes", len(c.Text))
	}
	if n := d.counters.names(); len(n) != 0 {
		t.Errorf("reading it was counted: %v", n)
	}
}

func (d *fixture) cardOf(t *testing.T, tool, arguments, meta string, headers ...string) (html string, failed bool) {
	t.Helper()
	w := d.send(t, "POST", "/mcp",
		fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, tool,
			arguments, meta), headers...)
	var m struct {
		Result struct {
			IsError bool
			Meta    map[string]any `json:"_meta"`
		}
	}
	body := w.Body.String()
	decode(t, strings.NewReader(body), &m)
	if w.Code != 200 || !strings.Contains(body, `"result"`) {
		t.Fatalf("%d %s", w.Code, body)
	}
	html, _ = m.Result.Meta["verdetto/card"].(string)
	return html, m.Result.IsError
}

// TestCards: the answers of the two tools with cards have a card in every language and currency. A
// card uses the charts of the web page. It contains nothing that a browser runs or loads.
func TestCards(t *testing.T) {
	for _, l := range i18n.Languages() {
		// Each case has a new fixture, because calls count toward a daily quota.
		d := openAt(t, "https://verdetto.example", knownRoutes(), "sample")
		for _, c := range []struct {
			tool, arguments string
			has             []string
		}{
			{"flight_price_verdict", `"origin":"Milano","destination":"Bucarest"`,
				[]string{`class="verdict `, `class="chart`, "https://verdetto.example/?da=MIL",
					l.Text("certainty.bassa"), l.Text("home.invented")}},
			{"flight_price_verdict", `"origin":"Milano","destination":"Bucarest","departure":"2016-03-26"`,
				[]string{`class="chart`, l.Text("waits.title"), `value="2016-03-26"`, "quando=2016-03-26"}},
			{"flight_price_verdict", `"origin":"Milano","destination":"Bucarest","month":"2016-04","currency":"usd"`,
				[]string{`class="chart`, "\u00a0USD", "mese=2016-04"}},
			{"flight_price_verdict", `"origin":"Milano","destination":"Bucarest","price":45`, []string{l.Money(4500)}},
			{"flight_price_verdict", `"origin":"Milano","destination":"Londra"`,
				[]string{l.Text("headline.dati-insufficienti")}},
			{"fare_calendar", `"origin":"Milano","destination":"Bucarest"`,
				[]string{`id="m2016-0`, "quando=2016-0", `data-tool="fare_calendar"`, l.Text("calendar.title")}},
			{"fare_calendar", `"origin":"Milano","destination":"Bucarest","month":"2016-04","currency":"RON"`,
				[]string{`id="m2016-04"`, "\u00a0RON"}},
		} {
			html, failed := d.cardOf(t, c.tool, "{"+c.arguments+`,"language":"`+l.Code+`"}`, "")
			if found := fetched.FindString(html); failed || found != "" || len(html) > 24_000 {
				t.Errorf("%s %s in %s: %d bytes, %q", c.tool, c.arguments, l.Code, len(html), found)
			}
			for _, part := range c.has {
				if !strings.Contains(strings.ReplaceAll(html, "&#39;", "'"), part) {
					t.Errorf("%s %s in %s lacks %q: %.600s", c.tool, c.arguments, l.Code, part, html)
				}
			}
			if strings.Contains(c.arguments, "currency") && strings.Contains(html, "€") {
				t.Errorf("%s %s in %s shows euros", c.tool, c.arguments, l.Code)
			}
		}
	}
	d := open(t, knownRoutes(), "")
	if html, _ := d.cardOf(t, "price_trends", `{"origin":"Milano"}`, ""); html != "" {
		t.Errorf("price_trends: %.200s", html)
	}
	if html, failed := d.cardOf(t, "flight_price_verdict", `{"origin":"Milano","destination":"Atlantis"}`,
		""); html != "" || !failed {
		t.Errorf("a refusal: %.200s", html)
	}
}

// TestCardsForWhoShowsThem: a client that declares its capabilities gets a card only if it declares
// that it can show cards.
func TestCardsForWhoShowsThem(t *testing.T) {
	d := open(t, knownRoutes(), "")
	revision := []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name",
		"flight_price_verdict"}
	for capabilities, want := range map[string]bool{
		`{}`: false,
		`{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`: true,
	} {
		meta := `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},` +
			`"io.modelcontextprotocol/clientCapabilities":` + capabilities + `}`
		if html, failed := d.cardOf(t, "flight_price_verdict", milanoBucarest, meta, revision...); failed ||
			(html != "") != want {
			t.Errorf("%s: %d bytes", capabilities, len(html))
		}
	}
	if html, _ := d.cardOf(t, "flight_price_verdict", milanoBucarest, ""); html == "" {
		t.Error("a client of an earlier revision, which does not say what it can, is shown nothing")
	}
}
