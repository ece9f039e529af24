package page_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"verdetto/shared/web/page"

	"github.com/google/go-cmp/cmp"
)

// Links state the language only if the reader chose it.
func TestPageKeepsItsLanguage(t *testing.T) {
	s := openSite("", "")
	links := regexp.MustCompile(`<main(?s:.*)</main>`)
	hrefs := regexp.MustCompile(`href="(/\?[^"]*)"`)
	for _, c := range []struct {
		target, other string
		kept          bool
	}{
		{"/?da=Milano&a=Bucarest&lang=en", "/?da=Milano&amp;a=Bucarest&amp;lang=it", true},
		{"/?da=Milano&a=Bucarest", "/?da=Milano&amp;a=Bucarest&amp;lang=en", false},
		{"/?da=Milano&a=Bukarestt&lang=en", "/?da=Milano&amp;a=Bukarestt&amp;lang=it", true},
		{"/?da=Milano&lang=it", "/?da=Milano&amp;lang=en", true},
		{"/?da=Milano&lang=it&valuta=USD", "/?da=Milano&amp;lang=en&amp;valuta=USD", true},
	} {
		body := s.visit(c.target, "Accept-Language", "it").Body.String()
		// The service's name leads to the first page in this language and currency.
		if brand := `<a class="brand" href="/?lang=` + regexp.MustCompile(`<html lang="(..)"`).
			FindStringSubmatch(body)[1] + map[bool]string{true: "&amp;valuta=USD"}[strings.Contains(c.target, "USD")] +
			`"`; !strings.Contains(body, brand) {
			t.Errorf("%s lacks %s", c.target, brand)
		}
		if !strings.Contains(body, `class="switch" href="`+c.other+`"`) {
			t.Errorf("%s does not switch to %s", c.target, c.other)
		}
		found := hrefs.FindAllStringSubmatch(links.FindString(body), -1)
		if len(found) == 0 {
			t.Errorf("%s has no links", c.target)
		}
		for _, f := range found {
			// The permanent address of the verdict, to share, may differ.
			if strings.Contains(f[1], "lang=") != c.kept && !strings.Contains(body, f[0]+" data-share") {
				t.Errorf("%s links to %s", c.target, f[1])
			}
		}
		if hidden := strings.Contains(body, `<input type="hidden" name="lang"`); hidden != c.kept {
			t.Errorf("%s: the form keeps the language: %v", c.target, hidden)
		}
	}
}

// The form and the links state a city's code if a busier city has the same name.
func TestPageOfNamesakes(t *testing.T) {
	s := openSite("https://v.example", "")
	for target, wants := range map[string][]string{
		"/?da=SJO&a=BHM": { // only San José in Costa Rica is written with an accent
			`name="da" value="San José"`, `name="a" value="BHM"`, `href="/?da=BHM&a=San+Jos%C3%A9"`,
			`href="/?da=San+Jos%C3%A9"`, `>Da San José a Birmingham`,
		},
		"/?da=San+Jos%C3%A9&a=Birmingham&lang=en": {
			"This is San José (SJO), Costa Rica. There is also", `href="/?da=SJC&a=Birmingham&lang=en">San Jose (SJC), California,`,
			`&a=BHM&lang=en">Birmingham (BHM), Alabama, United States</a>`,
		},
		"/?da=Milano": {`<a href="/?da=Milano&a=BHM">Birmingham</a>`,
			`<a href="/?da=Milano&a=Londra">Londra</a>`},
		"/?da=CSG&a=Bukarestt": {`href="/?da=CSG&a=Bucarest"`},
	} {
		body := html.UnescapeString(s.visit(target, "Accept-Language", "it").Body.String())
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %s", target, want)
			}
		}
	}
}

func TestPageIsLinkedTo(t *testing.T) {
	head := func(s site, target string) string {
		head, _, _ := strings.Cut(s.visit(target, "Accept-Language", "it").Body.String(), "</head>")
		return html.UnescapeString(head)
	}
	got := head(openSite("https://verdetto.example", ""), "/?da=milan&a=BUH")
	for _, want := range []string{
		`<title>Da Milano a Bucarest: in questo momento i prezzi sono molto bassi · Verdetto</title>`,
		`<meta property="og:title" content="Da Milano a Bucarest: in questo momento i prezzi sono molto bassi">`,
		`<meta property="og:image" content="https://verdetto.example/card/MIL-BUH-it.png">`,
		`<link rel="canonical" href="https://verdetto.example/?da=Milano&a=Bucarest">`,
		`<link rel="alternate" hreflang="en" href="https://verdetto.example/?da=Milan&a=Bucharest&lang=en">`,
		`<link rel="alternate" hreflang="it" href="https://verdetto.example/?da=Milano&a=Bucarest">`,
		`<meta property="og:description" content="In questo momento i prezzi sono molto bassi. 30`,
		`<html lang="it">`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the head lacks %s:\n%s", want, got)
		}
	}
	if got := head(openSite("", ""), "/?da=milan&a=BUH"); strings.Contains(got, "og:image") ||
		strings.Contains(got, "canonical") {
		t.Errorf("absolute addresses without a base URL:\n%s", got)
	}
	// A link states a city by its name if the name finds the same city again.
	if got := head(openSite("https://v.example", ""), "/?da=Milano&a=bali&lang=en"); !strings.Contains(got,
		`href="https://v.example/?da=Milan&a=Bali&lang=en"`) {
		t.Errorf("Bali:\n%s", got)
	}
}

func TestPageOfInventedFares(t *testing.T) {
	const mark = "i prezzi sono inventati"
	for data, want := range map[string]bool{"sample": true, "": false} {
		if got := strings.Contains(said(openSite("", data).visit("/?da=Milano&a=Bucarest")), mark); got != want {
			t.Errorf("data %q: marked %v", data, got)
		}
	}
}

// A reader past the quota gets a page with an alert form. Status and headers are those of the API's
// error response.
func TestPagePastTheCap(t *testing.T) {
	s := openSite("", "")
	s.counters.full = "home-free"
	for target, route := range map[string]string{"/?da=Milano&a=Bucarest": "MIL-BUH", "/?da=Milano": "MIL-*",
		"/?da=Milano&a=Romania": "MIL-*\">\n<input type=\"hidden\" name=\"area\" value=\"RO"} {
		w := s.visit(target, "Accept-Language", "it")
		if hours := "Fra circa 12 ore ne avrai altre."; !strings.Contains(said(w), hours) {
			t.Errorf("%s: not %q in %s", target, hours, said(w))
		}
		if w.Code != 429 || w.Header().Get("Retry-After") == "" || w.Header().Get("X-RateLimit-Limit") != "120" ||
			!strings.Contains(said(w), "Per oggi basta così.") {
			t.Errorf("%d %v %s", w.Code, w.Header(), said(w))
		}
		body := w.Body.String()
		if strings.Contains(body, `class="pro"`) || strings.Contains(said(w), "chiave") {
			t.Error("the page past the cap sells a key, which does not help on the page")
		}
		if !strings.Contains(body, `name="route" value="`+route+`"`) {
			t.Errorf("%s: no form of an alert in %s", target, body)
		}
	}
	if w := s.visit("/"); w.Code != 200 {
		t.Errorf("the question itself: %d", w.Code)
	}
}

func TestPageSaysThatFewQuestionsRemain(t *testing.T) {
	for used, want := range map[int64]string{99: "", 100: "You can ask 20 more questions today.",
		119: "You can ask 1 more question today.", 120: "That was today's last question."} {
		s := openSite("", "")
		s.counters.used = used - 1
		text := said(s.visit("/?da=Milano&a=Bucarest&lang=en"))
		if !strings.Contains(text, want) || want == "" && strings.Contains(text, "more question") {
			t.Errorf("after %d questions: %s", used, text)
		}
	}
}

func TestPageHead(t *testing.T) {
	s := openSite("", "")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodHead, "/", nil))
	if w.Code != 200 || w.Body.Len() != 0 {
		t.Errorf("%d, %d bytes", w.Code, w.Body.Len())
	}
}

// Caches may keep a file without limit.
func TestAssets(t *testing.T) {
	s := openSite("", "")
	body := s.visit("/").Body.String()
	found := regexp.MustCompile(`(?:href|src)="(/assets/[^"]+)"`).FindAllStringSubmatch(body, -1)
	types := map[string]bool{}
	for _, f := range found {
		w := s.visit(f[1])
		types[w.Header().Get("Content-Type")] = true
		if w.Code != 200 || w.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %d %v", f[1], w.Code, w.Header())
		}
	}
	want := map[string]bool{"font/woff2": true, "text/javascript; charset=utf-8": true, "image/svg+xml": true}
	if diff := cmp.Diff(want, types); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(body, "url("+page.Asset("serif.woff2")+")") {
		t.Error("the style sheet does not name the typeface as it is served")
	}
	if w := s.visit("/assets/style.css"); w.Code != 404 {
		t.Errorf("a name that does not last: %d", w.Code)
	}
}

func TestPlacesOnThePage(t *testing.T) {
	s := openSite("", "")
	for _, c := range []struct {
		query, says, lacks string
	}{
		{"da=Bergamo&a=Bucarest&lang=it", "Hai chiesto Bergamo, ma i prezzi valgono " +
			"per tutti gli aeroporti di Milano (MXP, LIN, BGY).", ""},
		{"da=BGY&a=Bucharest&lang=en", "You asked for BGY, but fares cover all Milan airports (MXP, LIN, BGY).",
			"Fares are for"},
		{"da=Milan&a=Bucharest&lang=en", "Fares are for all Milan airports (MXP, LIN, BGY).", "You asked for"},
	} {
		body := s.visit("/?" + c.query).Body.String()
		if !strings.Contains(body, c.says) || c.lacks != "" && strings.Contains(body, c.lacks) {
			t.Errorf("%s: the page does not say %q", c.query, c.says)
		}
	}
}

// An airport that the tables do not list is not refused: without fares of its own, the answer is of
// its city and says so.
func TestUnlistedAirport(t *testing.T) {
	s := openSite("", "")
	for _, query := range []string{"da=pmf&a=Bucharest&lang=en", "da=PMF&a=BUH&lang=en"} {
		if w := s.visit("/?" + query); w.Code != 200 || !strings.Contains(w.Body.String(), "No fare we know names the airport PMF") {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
}
