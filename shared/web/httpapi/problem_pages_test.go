package httpapi_test

import (
	"crypto/rand"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"verdetto/shared/apikey"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

func TestProblemsAsPages(t *testing.T) {
	key, _, err := apikey.Mint(rand.Reader, apikey.CustomerIDOf([]byte("pepper"), "ada@example.com"))
	if err != nil {
		t.Fatal(err)
	}
	parsed, _ := apikey.Parse(key)
	for _, c := range []struct {
		name, method, target, key string
		config                    httpapi.Config
		status                    int
		title                     string
		says                      string
	}{
		{name: "parameters", target: "/v1/analisi", status: 400, title: "La richiesta non è valida",
			says: "origine is missing"},
		{name: "a check", target: "/v1/analisi?origine=a&destinazione=a", status: 400,
			title: "La richiesta non è valida", says: "is the same"},
		{name: "a path", target: "/v1/nothing", status: 404, title: "Qui non c&#39;è nulla",
			says: "There is no endpoint at this path"},
		{name: "a method", method: "DELETE", target: "/v1/analisi", status: 405, title: "La richiesta non è valida",
			says: "This path answers"},
		{name: "markup", target: "/v1/analisi?origine=" + strings.Repeat("%3Cb%3E", 50) + "&destinazione=b",
			status: 400, title: "La richiesta non è valida", says: "is longer than"},
		{name: "not through our distribution", target: "/v1/analisi",
			config: httpapi.Config{OriginSecrets: []string{"s"}}, status: 403, title: "Accesso non consentito",
			says: "public address"},
		{name: "a key that cannot be checked", target: "/v1/analisi?origine=a&destinazione=b", key: key,
			config: httpapi.Config{Customers: customers{parsed.Customer: errors.New("down")}}, status: 503,
			title: "Il servizio non può rispondere adesso", says: "Non è colpa tua"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.config.Pages = page.Problems
			api, _, _ := open(t, c.config)
			ask := func(header ...string) *httptest.ResponseRecorder {
				r := httptest.NewRequest(map[bool]string{true: "GET", false: c.method}[c.method == ""], c.target, nil)
				if c.key != "" {
					r.Header.Set("X-Api-Key", c.key)
				}
				for i := 0; i < len(header); i += 2 {
					r.Header.Set(header[i], header[i+1])
				}
				w := httptest.NewRecorder()
				api.ServeHTTP(w, r)
				return w
			}
			paged, given := ask("Accept", browser, "Accept-Language", "it"), ask("Accept", "application/json")
			body := paged.Body.String()
			if paged.Code != c.status || !strings.Contains(body, "<h1>"+c.title+"</h1>") ||
				!strings.Contains(body, c.says) ||
				!strings.Contains(body, `<html lang="it">`) || strings.Contains(body, "<b>") {
				t.Errorf("%d %s", paged.Code, body)
			}
			h := paged.Header()
			if h.Get("Content-Type") != "text/html; charset=utf-8" || h.Get("Content-Security-Policy") != page.Policy() ||
				h.Get("Cache-Control") != "no-store" {
				t.Errorf("%v", h)
			}
			if english := ask("Accept", browser, "Accept-Language", "en").Body.String(); !strings.Contains(english,
				`<html lang="en">`) || strings.Contains(english, c.title) {
				t.Errorf("in English: %s", english)
			}
			for _, name := range []string{"Retry-After", "Allow"} {
				if h.Get(name) != given.Header().Get(name) {
					t.Errorf("%s is %q to a person and %q to a program", name, h.Get(name), given.Header().Get(name))
				}
			}
			if given.Code != c.status || given.Header().Get("Content-Type") != "application/problem+json" ||
				!strings.HasPrefix(given.Body.String(), `{"type":`) {
				t.Errorf("to a program: %d %v %s", given.Code, given.Header(), given.Body)
			}
		})
	}
}
