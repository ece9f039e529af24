// Package answers compares about 1,000 responses of the service with committed digests of status, headers
// and body, byte for byte. Run it before and after a code change that must not change responses.
// The flag -update accepts new responses. The flag -dump writes the responses to a folder; compare
// two such folders with diff -r.
package answers

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"hash"
	"html"
	"log/slog"
	"maps"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/upstream/sample"
)

var (
	update = flag.Bool("update", false, "accept the answers as they are")
	dump   = flag.String("dump", "", "write each answer to this folder")
)

const (
	golden = "testdata/answers.txt"
	pages  = 250 // number of pages that the crawl visits
)

// Questions about cities that are not origins are answered too.
var origins = []fare.City{"MIL", "LON"}

func TestAnswers(t *testing.T) {
	service := open(t)
	for _, target := range calls() {
		service.ask(target, "en")
	}
	service.crawl()
	if service.count < 900 {
		t.Errorf("%d requests, want at least 900", service.count)
	}
	fixture.Golden(t, golden, service.summary(), *update)
}

// service computes one digest over all responses to each kind of request.
type service struct {
	t       *testing.T
	api     *onemachine.Service
	digests map[string]hash.Hash
	counts  map[string]int
	count   int
}

func open(t *testing.T) *service {
	now := func() time.Time { return fixture.Today }
	o := onemachine.Options{
		Table: fixture.Unlimited{Table: fixture.Bolt(t, now)}, Source: sample.New(), Now: now, Origins: origins,
		Log: slog.New(slog.DiscardHandler), Mail: t.TempDir(),
		BaseURL: "https://verdetto.example", LocalURL: fixture.LocalURL,
	}
	if report, err := o.Refresh(t.Context(), nil); err != nil || report.Failed > 0 {
		t.Fatalf("%+v %v", report, err)
	}
	return &service{t: t, api: fixture.New(t, o), digests: map[string]hash.Hash{}, counts: map[string]int{}}
}

var random = regexp.MustCompile(`(nonce-|nonce="|value="|[?&]t=|reference=|memo=)[A-Za-z0-9_=+/%-]{16,}`)

// ask adds the response to the digest of its kind, and returns the body.
func (s *service) ask(target, language string) string {
	s.count++
	r := httptest.NewRequest("GET", target, nil)
	r.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1", s.count>>16, s.count>>8&255, s.count&255)
	r.Header.Set("Accept-Language", language)
	w := httptest.NewRecorder()
	s.api.API.ServeHTTP(w, r)
	var answer strings.Builder
	fmt.Fprintf(&answer, "%s %s\n%d\n", language, target, w.Code)
	w.Header().Del("X-Request-Id")
	for _, name := range slices.Sorted(maps.Keys(w.Header())) {
		fmt.Fprintf(&answer, "%s: %s\n", name, strings.Join(w.Header()[name], ", "))
	}
	answer.WriteString("\n")
	answer.Write(w.Body.Bytes())
	text := random.ReplaceAllString(answer.String(), "$1…")
	kind := kindOf(target)
	if s.digests[kind] == nil {
		s.digests[kind] = sha256.New()
	}
	s.digests[kind].Write([]byte(text))
	s.counts[kind]++
	if *dump != "" {
		s.write(kind, text)
	}
	return w.Body.String()
}

func (s *service) write(kind, text string) {
	dir := filepath.Join(*dump, strings.ReplaceAll(strings.Trim(kind, "/"), "/", "-"))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%05d", s.count)), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// kindOf returns the first two parts of a path under /v1, and the first part of any other.
func kindOf(target string) string {
	path, _, _ := strings.Cut(target, "?")
	parts := strings.SplitN(path, "/", 4)
	n := 2
	if parts[1] == "v1" {
		n = 3
	}
	return strings.Join(parts[:min(n, len(parts))], "/")
}

func (s *service) summary() []byte {
	var b strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(s.digests)) {
		fmt.Fprintf(&b, "%s\t%d\t%s\n", kind, s.counts[kind], hex.EncodeToString(s.digests[kind].Sum(nil))[:32])
	}
	return []byte(b.String())
}

func calls() []string {
	var out []string
	for i, route := range sample.New().Routes() {
		if i%2 == 1 || !slices.Contains(origins, route.Origin) {
			continue
		}
		for _, q := range questions(route) {
			out = append(out, q.path+"?"+q.with.Encode())
		}
	}
	return append(out,
		"/v1", "/v1/openapi.json", "/v1/docs", "/v1/agenti", "/v1/pagella", "/v1/pagella?formato=csv", "/v1/consumo",
		"/v1/pro/chiave", "/v1/analisi", "/v1/analisi?origine=Milano",
		"/v1/analisi?origine=Atlantide&destinazione=Londra", "/v1/analisi?orgine=Milano", "/api/v1/analisi?origine=Milano&destinazione=Bucarest",
		"/v1/calendario?origine=Milano&destinazione=Londra&mese=2016-13", "/v1/occasioni?origine=Milano&livello=caro",
		"/v1/alerts/confirm?id=x", "/v1/alerts/manage?t=x", "/v1/alerts/unsubscribe?t=x",
		"/v1/pro/recupera/conferma?t=x", "/v1/pro/conferma?session_id=cs_x", "/missing", "/v1/missing", "/healthz",
		"/robots.txt", "/llms.txt", "/sitemap.xml", "/.well-known/api-catalog", "/server.json", "/mcp")
}

type question struct {
	path string
	with url.Values
}

// Each of the questions about a route changes one parameter.
func questions(route fare.Route) []question {
	base := func(more ...string) url.Values {
		v := url.Values{"origine": {string(route.Origin)}, "destinazione": {string(route.Destination)}}
		for pair := range slices.Chunk(more, 2) {
			v.Set(pair[0], pair[1])
		}
		return v
	}
	out := []question{
		{"/v1/occasioni", url.Values{"origine": {string(route.Origin)}, "livello": {"basso"}}},
		{"/v1/confronto", url.Values{"origine": {string(route.Origin)}, "destinazioni": {string(route.Destination) + ",LON"}}},
		{"/v1/confronto", url.Values{"origine": {string(route.Origin)}, "destinazioni": {string(route.Destination)},
			"partenze": {"2016-05-01,2016-05-08,2016-06-01"}}},
		{"/v1/price-trends", url.Values{"origin": {string(route.Origin)}, "destination": {string(route.Destination)}}},
		{"/v1/rotte", base()},
		{"/v1/citta", url.Values{"q": {string(route.Destination)}}},
	}
	for _, more := range [][]string{
		{}, {"mese", "2016-04"}, {"mese", "2016-08"}, {"partenza", "2016-04-15"}, {"partenza", "2016-07-09", "flessibile", "3"},
		{"partenza", "2016-05-03", "ritorno", "2016-05-10"}, {"notti", "7"}, {"diretto", "si"}, {"prezzo", "55"}, {"valuta", "USD"},
		{"partenza", "2016-06-10", "prezzo", "120.50"}, {"partenza", "2015-01-01"}, {"mese", "x"},
	} {
		out = append(out, question{"/v1/analisi", base(more...)})
	}
	for _, path := range []string{"/v1/calendario", "/v1/storico"} {
		for _, more := range [][]string{{}, {"mese", "2016-05"}, {"diretto", "si"}, {"valuta", "GBP"}} {
			out = append(out, question{path, base(more...)})
		}
	}
	return out
}

var link = regexp.MustCompile(`(?:href|src|action)="([^"]+)"`)

// crawl requests the pages in six languages and follows their links, breadth first.
func (s *service) crawl() {
	var queue []string
	for _, language := range []string{"it", "en", "fr", "de", "es", "pt"} {
		queue = append(queue, "/?lang="+language)
	}
	seen := map[string]bool{}
	for n := 0; n < len(queue) && n < pages; n++ {
		at := queue[n]
		body := s.ask(at, "en")
		for _, found := range link.FindAllStringSubmatch(body, -1) {
			target := local(at, html.UnescapeString(found[1]))
			if target != "" && !seen[target] {
				seen[target] = true
				queue = append(queue, target)
			}
		}
	}
}

func local(at, link string) string {
	base, err := url.Parse("https://verdetto.example" + at)
	if err != nil {
		return ""
	}
	to, err := base.Parse(link)
	if err != nil || to.Host != base.Host || random.MatchString(link) {
		return ""
	}
	return to.RequestURI()
}
