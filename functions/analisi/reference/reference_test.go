package reference_test

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/functions/analisi/reference"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
	"verdetto/shared/web/routes"
)

func read(t *testing.T, method, target string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	return readAt(t, "", method, target, header...)
}

func readAt(t *testing.T, base, method, target string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	now := func() time.Time { return time.Date(2016, 3, 1, 12, 0, 0, 0, time.UTC) }
	api := httpapi.New(httpapi.Config{Now: now, Log: slog.New(slog.DiscardHandler), Limiter: limit.New(nil, now)})
	(&reference.Service{BaseURL: base}).Register(api)
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	return w
}

func TestOpenAPIIsPublished(t *testing.T) {
	first := read(t, "GET", "/v1/openapi.json")
	var d struct {
		OpenAPI string
		Info    struct{ Version string }
		Paths   map[string]any
	}
	if err := json.Unmarshal(first.Body.Bytes(), &d); err != nil || first.Code != 200 {
		t.Fatal(first.Code, err)
	}
	if !strings.HasPrefix(d.OpenAPI, "3.1.") || d.Info.Version != "1.0.0" || d.Paths["/v1/analisi"] == nil ||
		d.Paths["/v1/pro/checkout"] == nil {
		t.Errorf("%s %s, %d paths", d.OpenAPI, d.Info.Version, len(d.Paths))
	}
	for path := range d.Paths {
		if path != "/v1" && !strings.HasPrefix(path, "/v1/") && !strings.HasPrefix(path, "/x402/v1/") {
			t.Errorf("%s is no part of the API", path)
		}
	}
	if got := first.Header().Get("Cache-Control"); got != "public, s-maxage=21600" {
		t.Errorf("Cache-Control: %s", got)
	}
	again := read(t, "GET", "/v1/openapi.json", "If-None-Match", first.Header().Get("ETag"))
	if again.Code != 304 || again.Body.Len() > 0 {
		t.Errorf("asked for the same again: %d, %d bytes", again.Code, again.Body.Len())
	}
}

func published(t *testing.T) reference.Reference {
	t.Helper()
	w := read(t, "GET", "/v1/docs")
	var r reference.Reference
	if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil || w.Code != 200 ||
		w.Header().Get("Content-Type") != "application/json" {
		t.Fatal(w.Code, w.Header(), err)
	}
	return r
}

func TestEveryProblemHasAdvice(t *testing.T) {
	var codes []string
	for _, p := range published(t).Problems {
		codes = append(codes, p.Code)
		if p.Do == "" {
			t.Errorf("%s: say in advice.json what to do about it", p.Code)
		}
		for _, l := range i18n.Languages() { // Lookup instead of Text, because Text falls back to English
			if text, ok := l.Lookup("problem.code." + p.Code); !ok || l != i18n.English() &&
				text == i18n.English().Text("problem.code."+p.Code) {
				t.Errorf("%s: its page does not say in %s what happened", p.Code, l.English)
			}
		}
		if p.Type != "/v1/docs#"+p.Code || p.Status < 400 || p.Title == "" {
			t.Errorf("%+v", p)
		}
	}
	for _, code := range reference.Advised() {
		if !slices.Contains(codes, code) {
			t.Errorf("%s is advised on, and nothing answers it", code)
		}
	}
	for _, common := range []string{"richiesta-non-valida", "percorso-sconosciuto", "metodo-non-ammesso",
		"troppe-richieste", "piano-scaduto", "citta-sconosciuta"} {
		if !slices.Contains(codes, common) {
			t.Errorf("%s is missing", common)
		}
	}
}

func TestReferenceIsWhole(t *testing.T) {
	r := published(t)
	for _, route := range routes.Table {
		at := slices.IndexFunc(r.Endpoints, func(e reference.ReferenceEndpoint) bool { return e.Name == route.Name })
		if !route.Described() {
			if at >= 0 {
				t.Errorf("%s is no part of the API", route.Name)
			}
			continue
		}
		if at < 0 {
			t.Errorf("%s is missing: go test ./e2e/openapi -run TestOpenAPI -update", route.Name)
			continue
		}
		e := r.Endpoints[at]
		if e.Method != route.Method || e.Path != route.Path || e.Free != route.Free.String() ||
			e.Pro != route.Pro.String() || e.Summary == "" || len(e.Answers) == 0 {
			t.Errorf("%+v", e)
		}
	}
	if len(r.ProKey) < 3 || r.Authentication.Header != "X-Api-Key" || len(r.Rules) == 0 ||
		!slices.Equal(r.Base, []string{"", "/api"}) {
		t.Errorf("%+v", r)
	}
	for _, e := range r.Endpoints {
		if e.Name == "analisi" && (e.Example != "/v1/analisi?destinazione=Bucarest&origine=Milano" ||
			len(e.Parameters) != 14 || !e.Parameters[0].Required || e.Parameters[13].Required) {
			t.Errorf("%+v", e)
		}
		if e.Name == "pro-checkout" && !slices.ContainsFunc(e.Parameters,
			func(p reference.ReferenceParameter) bool { return p.In == "body" && p.Name == "email" && p.Required }) {
			t.Errorf("%+v", e)
		}
	}
}

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

var idOf, linkOf = regexp.MustCompile(` id="([^"]+)"`), regexp.MustCompile(`href="(/v1/docs[^"#]*)?#([^"]+)"`)

func TestDocsPages(t *testing.T) {
	reads := published(t)
	pages, ids := map[string]string{}, map[string]map[string]int{}
	for _, name := range append(reference.Sections(), "") {
		target := "/v1/docs"
		if name != "" {
			target += "?sezione=" + name
		}
		w := read(t, "GET", target, "Accept", browser)
		pages[target], ids[target] = w.Body.String(), map[string]int{}
		if w.Code != 200 || w.Header().Get("Content-Type") != "text/html; charset=utf-8" ||
			w.Header().Get("Content-Security-Policy") == "" || w.Header().Get("Vary") != "Accept, Accept-Language" {
			t.Errorf("%s: %d %v", target, w.Code, w.Header())
		}
		if strings.Contains(pages[target], "style=") || strings.Contains(pages[target], "<script>") {
			t.Errorf("%s: something inline, which the policy forbids", target)
		}
		for _, m := range idOf.FindAllStringSubmatch(pages[target], -1) {
			if ids[target][m[1]]++; ids[target][m[1]] > 1 {
				t.Errorf("%s: two elements are called %s", target, m[1])
			}
		}
	}
	for target, html := range pages {
		for _, m := range linkOf.FindAllStringSubmatch(html, -1) {
			if at := cmp.Or(m[1], target); ids[at][m[2]] != 1 {
				t.Errorf("%s: a link leads to %s#%s, which is not there", target, at, m[2])
			}
		}
	}
	former := []string{"first-call", "endpoints", "authentication", "pro-key", "problems", "rules"}
	for _, name := range reference.Sections() {
		former = append(former, "group-"+name)
	}
	for _, p := range reads.Problems {
		former = append(former, p.Code)
	}
	for _, e := range reads.Endpoints {
		former = append(former, "endpoint-"+e.Name)
		if ids["/v1/docs?sezione="+e.Section]["endpoint-"+e.Name] != 1 {
			t.Errorf("%s is not on the page %s", e.Name, e.Section)
		}
	}
	for _, id := range former {
		if ids["/v1/docs"][id] != 1 {
			t.Errorf("no element of the overview is called %s", id)
		}
	}
	if w := read(t, "GET", "/v1/docs?sezione=fare"); w.Code != 400 {
		t.Errorf("an unknown section: %d", w.Code)
	}
}

func TestDocsInLanguages(t *testing.T) {
	for language, title := range map[string]string{"it-IT,it;q=0.9": "Riferimento", "en-GB": "Reference"} {
		w := read(t, "GET", "/v1/docs", "Accept", browser, "Accept-Language", language)
		if !strings.Contains(w.Body.String(), "<title>"+title) {
			t.Errorf("%s: %.600s", language, w.Body)
		}
	}
}

func TestDocsOfSection(t *testing.T) {
	var r reference.Reference
	w := read(t, "GET", "/v1/docs?sezione=trends")
	if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil || len(r.Endpoints) != 1 ||
		r.Endpoints[0].Name != "price-trends" || len(r.Problems) == 0 {
		t.Errorf("%v %+v", err, r.Endpoints)
	}
}

func TestQuotasOfThisService(t *testing.T) {
	api := httpapi.New(httpapi.Config{Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Limiter: limit.New(nil, time.Now), Quotas: httpapi.Quotas{Calls: map[string]int64{"analisi-free": 77,
			"analisi-pro": 555}}})
	(&reference.Service{}).Register(api)
	for target, want := range map[string]string{"/v1/docs": "77 a day (UTC)", "/llms.txt": "555 a minute with one",
		"/v1/docs?sezione=fares": "555 a minute with a key"} {
		r := httptest.NewRequest("GET", target, nil)
		r.Header.Set("Accept", browser)
		w := httptest.NewRecorder()
		if api.ServeHTTP(w, r); !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s lacks %q", target, want)
		}
	}
}

func TestLLMs(t *testing.T) {
	w := read(t, "GET", "/llms.txt")
	text := w.Body.String()
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" || w.Header().Get("ETag") == "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	lines := strings.Split(text, "\n")
	if lines[0] != "# Verdetto" || !strings.HasPrefix(lines[2], "> ") || len(text) > 10_000 {
		t.Errorf("%d bytes, it begins %q %q", len(text), lines[0], lines[2])
	}
	for _, part := range []string{"\n## Endpoints\n", "\n## Rules\n",
		"[GET /v1/analisi](/v1/analisi?destinazione=Bucarest&origine=Milano)", "/v1/openapi.json",
		"dati-insufficienti"} {
		if !strings.Contains(text, part) {
			t.Errorf("it lacks %q:\n%s", part, text)
		}
	}
	if w := read(t, "GET", "/api/llms.txt"); w.Code != 404 {
		t.Errorf("under the alias: %d", w.Code)
	}
}
