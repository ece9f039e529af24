package agents_test

import (
	"regexp"
	"strings"
	"testing"
)

var fetched = regexp.MustCompile(`(?i)<(script|link|img|iframe|object|embed|base|form)\b|\bsrc=|url\(|@import|` +
	`\bon[a-z]+="|javascript:`)

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
