// Package answers compares answers over recorded fares with committed ones that people can read.
// The flag -update accepts new answers.
package answers

import (
	std "cmp"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"io"
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

	"github.com/google/go-cmp/cmp"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
)

var update = flag.Bool("update", false, "accept the answers as they are")

var today = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// departure is the day on which the cheapest fare of the route departs.
type route struct{ from, to, departure string }

type request struct{ language, method, target, body string }

func TestRecordedFares(t *testing.T) {
	now := func() time.Time { return today }
	o := onemachine.Options{Log: slog.New(slog.DiscardHandler), BaseURL: "https://verdetto.example", Mail: t.TempDir(),
		LocalURL: fixture.LocalURL, Now: now}
	source, _, err := onemachine.OpenSource(t.Context(),
		"csv:"+filepath.Join(testenv.Data(t), "fares", "travelpayouts_daily_2025_2026.csv.gz"), "price", &o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	o.Source, o.Table = source, fixture.Unlimited{Table: fixture.Bolt(t, now)}
	if report, err := o.Refresh(t.Context(), nil); err != nil || report.Failed > 0 {
		t.Fatalf("%+v %v", report, err)
	}
	service := fixture.New(t, o)
	ask := func(r request) string {
		q := httptest.NewRequest(r.method, r.target, strings.NewReader(r.body))
		q.Header.Set("Accept-Language", std.Or(r.language, "en"))
		q.Header.Set("Accept", "application/json, text/event-stream")
		if r.body != "" {
			q.Header.Set("Content-Type", "application/json")
		}
		w := httptest.NewRecorder()
		service.API.ServeHTTP(w, q)
		kind, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
		return fmt.Sprintf("%d %s\n%s", w.Code, kind, readable(kind, w.Body.String()))
	}
	routes := sample(t, ask)
	var out strings.Builder
	for _, r := range requests(routes) {
		fmt.Fprintf(&out, "== %s %s %s %s\n%s\n", r.language, r.method, r.target, r.body, ask(r))
	}
	compare(t, out.String())
}

func compare(t *testing.T, got string) {
	t.Helper()
	const golden = "testdata/answers.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	was, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	wanted, answers := sections(string(was)), sections(got)
	for question := range maps.Keys(wanted) {
		if _, ok := answers[question]; !ok {
			t.Errorf("%s is asked no more", question)
		}
	}
	differ := 0
	for _, question := range slices.Sorted(maps.Keys(answers)) {
		if diff := cmp.Diff(fields(wanted[question]), fields(answers[question])); diff != "" {
			if differ++; differ <= 20 {
				t.Errorf("%s (-was +is):\n%s", question, diff)
			}
		}
	}
	if differ > 0 {
		t.Errorf("%d of %d answers differ; run the test with -update if that is meant", differ, len(answers))
	}
}

func sections(text string) map[string]string {
	all := map[string]string{}
	for section := range strings.SplitSeq(text, "== ") {
		question, answer, _ := strings.Cut(section, "\n")
		all[question] = answer
	}
	return all
}

func fields(answer string) []string {
	return strings.Split(strings.NewReplacer(`,"`, "\n\"", " | ", "\n").Replace(answer), "\n")
}

func sample(t *testing.T, ask func(request) string) (all []route) {
	t.Helper()
	levels := map[string]int{}
	for _, from := range []string{"DXB", "PAR", "TYO", "NYC", "SYD"} {
		for _, to := range []string{"DXB", "PAR", "TYO", "NYC", "SYD", "LAX", "LON", "MIA", "SIN"} {
			if from == to {
				continue
			}
			_, body, _ := strings.Cut(ask(request{method: "GET", target: "/v1/analisi?origine=" + from + "&destinazione=" + to}), "\n")
			var answer struct {
				Verdetto struct{ Livello string }
				Prezzo   struct{ Partenza string }
				Code     string
			}
			if err := json.Unmarshal([]byte(body), &answer); err != nil {
				t.Fatalf("%v: %.300s", err, body)
			}
			if level := std.Or(answer.Verdetto.Livello, answer.Code); levels[level] < 2 {
				levels[level]++
				all = append(all, route{from, to, answer.Prezzo.Partenza})
			}
		}
	}
	return all
}

func requests(routes []route) (all []request) {
	get := func(language, path string, pairs ...string) {
		query := url.Values{}
		for pair := range slices.Chunk(pairs, 2) {
			query.Set(pair[0], pair[1])
		}
		if len(query) > 0 {
			path += "?" + query.Encode()
		}
		all = append(all, request{language, "GET", path, ""})
	}
	languages := []string{"it", "en", "fr", "de", "es", "pt"}
	for i, route := range routes {
		about := func(language, path string, pairs ...string) {
			get(language, path, append([]string{"origine", route.from, "destinazione", route.to}, pairs...)...)
		}
		for _, pairs := range [][]string{{}, {"mese", "2026-09"}, {"partenza", route.departure}, {"partenza", "2026-08-14", "flessibile", "3"},
			{"prezzo", "300"}, {"partenza", route.departure, "prezzo", "200"}, {"partenza", "2026-08-14", "prezzo", "400"}, {"valuta", "JPY"}} {
			about("", "/v1/analisi", pairs...)
			named := []string{"da", route.from, "a", route.to}
			for pair := range slices.Chunk(pairs, 2) {
				named = append(named, std.Or(map[string]string{"partenza": "quando", "prezzo": "visto", "notti": "soggiorno"}[pair[0]], pair[0]), pair[1])
			}
			get(languages[i%6], "/", named...)
		}
		about("", "/v1/calendario", "mese", "2026-08")
		about("", "/v1/storico", "partenza", route.departure)
		about("", "/v1/rotte")
		get("", "/v1/price-trends", "origin", route.from, "destination", route.to)
		get("", "/v1/confronto", "origine", route.from, "destinazioni", route.to+",LON")
		get("", "/v1/vicini", "origine", route.from, "destinazione", route.to)
		get("", "/v1/occasioni", "origine", route.from, "livello", "caro")
		get(languages[(i+3)%6], "/", "da", route.from)
		for _, tool := range []string{"flight_price_verdict", "fare_calendar", "price_trends"} {
			all = append(all, request{"", "POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{"origin":%q,"destination":%q}}}`,
				tool, route.from, route.to)})
		}
	}
	for _, bad := range []string{"/v1/analisi", "/v1/analisi?origine=DXB", "/v1/analisi?origine=DXB&destinazione=DXB",
		"/v1/analisi?origine=Atlantide&destinazione=Londra", "/v1/analisi?orgine=DXB", "/v1/analisi?origine=DXB&destinazione=Ushuaia",
		"/v1/analisi?origine=DXB&destinazione=Ushuaia&partenza=2026-08-01", "/v1/analisi?origine=Italy&destinazione=DXB",
		"/v1/analisi?origine=DXB&destinazione=NYC&partenza=2026-02-30", "/v1/analisi?origine=DXB&destinazione=NYC&partenza=2025-01-01",
		"/v1/analisi?origine=DXB&destinazione=NYC&partenza=2026-08-10&ritorno=2026-08-01", "/v1/analisi?origine=DXB&destinazione=NYC&mese=2026-13",
		"/v1/analisi?origine=DXB&destinazione=NYC&prezzo=-1", "/v1/analisi?origine=DXB&destinazione=NYC&valuta=XXX",
		"/v1/analisi?origine=DXB&destinazione=NYC&campi=boh", "/v1/analisi?origine=DXB&destinazione=NYC&partenza=2026-09-03&ritorno=2026-09-10",
		"/?da=DXB&a=NYC&quando=2026-09-03&ritorno=2026-09-10", "/v1/analisi?origine=DXB&destinazione=NYC&notti=4-7",
		"/v1/analisi?origine=DXB&destinazione=NYC&diretto=true", "/?da=DXB&a=NYC&diretto=true", "/v1/calendario?origine=DXB&destinazione=NYC&mese=2019-01",
		"/v1/price-trends?origin=DXB", "/v1/occasioni", "/v1/occasioni?origine=Ushuaia", "/v1/citta?q=Lon", "/v1/citta?q=zzzz", "/v1/consumo",
		"/v1/pro/chiave", "/v1/alerts/confirm?id=x", "/v1/missing", "/missing", "/v1", "/v1/pagella", "/?da=DXB", "/?da=DXB&a=Ushuaia",
		"/?da=Atlantide&a=Londra", "/?da=DXB&a=NYC&quando=2026-02-30"} {
		get("", bad)
	}
	for _, language := range languages {
		get(language, "/")
	}
	return all
}

var (
	unseen = regexp.MustCompile(`(?s)<(?:script|style|head|template)\b.*?</(?:script|style|head|template)>`)
	block  = regexp.MustCompile(`</?(?:p|h[1-6]|li|tr|div|section|summary|details|form|nav|footer|header|main|dt|dd|figcaption|option|label|button)\b[^>]*>`)
	tag    = regexp.MustCompile(`<[^>]*>`)
	secret = regexp.MustCompile(`[A-Za-z0-9_-]{32,}`)
)

func readable(kind, body string) string {
	switch {
	case strings.HasSuffix(kind, "json"):
		return secret.ReplaceAllString(strings.TrimSpace(body), "…")
	case kind == "text/html":
		body = block.ReplaceAllString(unseen.ReplaceAllString(body, ""), "\n")
		body = html.UnescapeString(tag.ReplaceAllString(body, ""))
	}
	var lines []string
	for line := range strings.Lines(body) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return secret.ReplaceAllString(strings.Join(lines, " | "), "…")
}
