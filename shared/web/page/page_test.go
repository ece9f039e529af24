package page_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"verdetto/shared/text/i18n"
	"verdetto/shared/web/page"
)

func TestWantsHTML(t *testing.T) {
	for accept, want := range map[string]bool{
		"": false, "*/*": false, "application/json": false, "text/html": true,
		"text/html,application/xhtml+xml,*/*;q=0.8": true,
		"application/json, text/html":               false,
		"text/html, application/json":               true,
	} {
		if got := page.WantsHTML(accept); got != want {
			t.Errorf("%q: %v", accept, got)
		}
	}
}

func TestRespond(t *testing.T) {
	p := page.Page{Language: i18n.English(), Title: "<Title> & more", Description: `"quoted"`, Body: "<p>body</p>",
		Others: []page.Other{{Language: i18n.ForCode("it"), Address: "/?x=1&y=2"}}}
	r, err := page.Respond(http.StatusTeapot, p)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	r.Write(w, httptest.NewRequest(http.MethodGet, "/", nil))
	body := w.Body.String()
	for _, want := range []string{
		`<html lang="en">`, `<title>&lt;Title&gt; &amp; more · Verdetto</title>`,
		`content="&#34;quoted&#34;"`, `<p>body</p>`,
		`href="/?x=1&amp;y=2" hreflang="it" lang="it">Italiano</a>`, `content="noindex"`, page.Asset("serif.woff2"),
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s:\n%s", want, body)
		}
	}
	if w.Code != http.StatusTeapot || w.Header().Get("Content-Security-Policy") != page.Policy() ||
		w.Header().Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	_, style, _ := strings.Cut(body, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	hash := sha256.Sum256([]byte(style))
	allowed := "'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
	if !strings.Contains(page.Policy(), allowed) {
		t.Errorf("a browser ignores the style sheet: the policy %s lacks %s", page.Policy(), allowed)
	}
	if strings.Contains(page.Policy(), "unsafe") || !strings.HasPrefix(page.Policy(), "default-src 'none';") {
		t.Errorf("the policy is %s", page.Policy())
	}
	p.Index = true
	if r, err := page.Respond(http.StatusOK, p); err != nil || strings.Contains(string(r.Body), "noindex") {
		t.Error("a page that may be listed says that it may not", err)
	}
}

func TestFile(t *testing.T) {
	for name, contentType := range map[string]string{
		"style.css": "text/css; charset=utf-8", "home.js": "text/javascript; charset=utf-8",
		"serif.woff2": "font/woff2", "icon.svg": "image/svg+xml",
	} {
		hashed := strings.TrimPrefix(page.Asset(name), page.AssetPath)
		data, kind, ok := page.File(hashed)
		if !ok || len(data) == 0 || kind != contentType {
			t.Errorf("%s: %d bytes of %s", name, len(data), kind)
		}
		if _, _, ok := page.File(name); ok {
			t.Errorf("%s is served under a name that does not last", name)
		}
	}
	style, _, _ := page.File(strings.TrimPrefix(page.Asset("style.css"), page.AssetPath))
	for _, part := range strings.Split(string(style), "url(")[1:] {
		named, _, _ := strings.Cut(part, ")")
		if _, _, ok := page.File(strings.TrimPrefix(named, page.AssetPath)); !ok {
			t.Errorf("the style sheet names %s", named)
		}
	}
}

func TestEmbeddedStyle(t *testing.T) {
	css := page.EmbeddedStyle()
	for _, part := range []string{
		":root[data-theme=light] {", ":root[data-theme=dark] {", "@media (prefers-color-scheme: dark) { :root {",
		"--paper: var(--color-background-primary, #fbf9f4);", "--paper: var(--color-background-primary, #171613);",
		"--ink: var(--color-text-primary, #efeae0);", ".chart{",
	} {
		if !strings.Contains(css, part) {
			t.Errorf("the style lacks %s", part)
		}
	}
	if strings.Contains(css, "url(") || strings.Contains(css, "@font-face") ||
		strings.Count(css, "{") != strings.Count(css, "}") {
		t.Errorf("the style fetches something, or is cut in two: %.400s", css)
	}
}
