package reference_test

import (
	"encoding/json"
	"html/template"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/analisi/reference"
	"verdetto/shared/web/routes"
)

const ownAddress = "https://verdetto.example"

func TestAPICatalog(t *testing.T) {
	const path = "/.well-known/api-catalog"
	w := readAt(t, ownAddress, "GET", path)
	contentType := `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`
	link := "<" + ownAddress + path + `>; rel="api-catalog"`
	for _, got := range []*httptest.ResponseRecorder{w, readAt(t, ownAddress, "HEAD", path)} {
		if got.Code != 200 || got.Header().Get("Content-Type") != contentType || got.Header().Get("Link") != link {
			t.Errorf("%d %v", got.Code, got.Header())
		}
	}
	var set struct {
		Linkset []map[string]json.RawMessage
	}
	if err := json.Unmarshal(w.Body.Bytes(), &set); err != nil {
		t.Fatal(err)
	}
	anchors := map[string]bool{}
	var items []string
	for _, context := range set.Linkset {
		for relation, value := range context {
			if relation == "anchor" {
				var anchor string
				if err := json.Unmarshal(value, &anchor); err != nil {
					t.Fatal(err)
				}
				anchors[anchor] = true
				continue
			}
			var targets []struct{ Href, Type string }
			if err := json.Unmarshal(value, &targets); err != nil || len(targets) == 0 {
				t.Fatalf("%s: %s %v", relation, value, err)
			}
			for _, target := range targets {
				at, ours := strings.CutPrefix(target.Href, ownAddress)
				if relation == "item" {
					items = append(items, target.Href)
					continue
				}
				if !ours {
					t.Errorf("%s leads to %s", relation, target.Href)
				}
				got := readAt(t, ownAddress, "GET", at, "Accept", target.Type)
				if mediaType, _, _ := strings.Cut(got.Header().Get("Content-Type"), ";"); got.Code != 200 ||
					mediaType != target.Type {
					t.Errorf("%s leads to %s, which answers %d %s and not %s", relation, target.Href,
						got.Code, mediaType, target.Type)
				}
			}
		}
	}
	for _, api := range append(items, ownAddress+path) {
		if !anchors[api] {
			t.Errorf("nothing is said of %s", api)
		}
	}
	if diff := cmp.Diff([]string{ownAddress + routes.Named("index").Path,
		ownAddress + routes.Named("mcp").Path}, items); diff != "" {
		t.Error(diff)
	}
	if again := readAt(t, ownAddress, "GET", path, "If-None-Match", w.Header().Get("ETag")); again.Code != 304 ||
		again.Body.Len() > 0 {
		t.Errorf("asked for the same again: %d", again.Code)
	}
}

func TestRegistryEntry(t *testing.T) {
	for _, c := range []struct{ base, name string }{
		{"https://verdetto.example", "example.verdetto/verdetto"},
		{"https://fares.EXAMPLE.co.uk:8443", "uk.co.example.fares/verdetto"},
		{"http://127.0.0.1:8080", "127.0.0.1/verdetto"},
		{"http://[::1]:8080", "1/verdetto"},
		{"http://localhost:8080", "localhost/verdetto"},
		{"", "localhost/verdetto"},
	} {
		t.Run(c.base, func(t *testing.T) {
			w := readAt(t, c.base, "GET", "/server.json")
			var e struct {
				Schema     string `json:"$schema"`
				Name       string
				WebsiteURL string
				Remotes    []struct{ Type, URL string }
			}
			if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != 200 ||
				w.Header().Get("Content-Type") != "application/json" {
				t.Fatal(w.Code, w.Header(), err)
			}
			if e.Name != c.name || e.WebsiteURL != c.base+"/v1/agenti" || len(e.Remotes) != 1 ||
				e.Remotes[0].Type != "streamable-http" || e.Remotes[0].URL != c.base+"/mcp" {
				t.Errorf("%+v", e)
			}
		})
	}
}

func TestAgentsPage(t *testing.T) {
	var a reference.Agents
	w := readAt(t, ownAddress, "GET", "/v1/agenti")
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != 200 ||
		w.Header().Get("Content-Type") != "application/json" || a.MCP != ownAddress+"/mcp" || len(a.Clients) < 6 {
		t.Fatal(w.Code, w.Header(), err, a)
	}
	for language, title := range map[string]string{"it-IT,it;q=0.9": "Per agenti IA", "en-GB": "For AI agents"} {
		w := readAt(t, ownAddress, "GET", "/v1/agenti", "Accept", "text/html", "Accept-Language", language)
		html := w.Body.String()
		if w.Code != 200 || !strings.Contains(html, "<title>"+title) ||
			w.Header().Get("Content-Security-Policy") == "" || w.Header().Get("Vary") != "Accept, Accept-Language" {
			t.Errorf("%s: %d %v", language, w.Code, w.Header())
		}
		for _, c := range a.Clients {
			for _, text := range []string{c.Name, c.Where, c.SetUp, c.WithKey} {
				if !strings.Contains(html, template.HTMLEscapeString(text)) {
					t.Errorf("the page lacks %s", text)
				}
			}
		}
		if strings.Contains(html, "style=") || strings.Contains(html, "<script") {
			t.Error("something inline, which the policy forbids")
		}
	}
}
