// Package contradictions holds an end-to-end test of the rule "one fare, one judgement" over
// recorded fares. docs/api.md states the rule. A page, feed or tool answer never gives one fare
// two levels (such as cheap and normal), and never calls an amount both cheap and dear. A difference
// from the usual fare always says for what that fare is usual. On all pages about a departure, a fare
// has one difference from the usual fare of its own day.
package contradictions

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict"
)

type panel struct{ file, price string }

var panels = []panel{
	{"eu_wizzair_weekly.csv.gz", ""}, {"travelpayouts_history_2026.csv.gz", "outbound_price"},
	{"travelpayouts_daily_2025_2026.csv.gz", ""}, {"google2026.csv.gz", ""}, {"eu_wizzair_2015_2016_full.csv.gz", ""},
}

// service has a clock at the last day of a panel.
type service struct {
	t      *testing.T
	api    *onemachine.Service
	last   fare.Day
	routes []fare.Route // with fares, in the panel's order
	calls  int
	// By kind of document.
	documents map[string]int
	levels    int
}

func open(t *testing.T, p panel) *service {
	t.Helper()
	o := onemachine.Options{Log: slog.New(slog.DiscardHandler), BaseURL: "https://verdetto.example",
		LocalURL: fixture.LocalURL}
	source, _, err := onemachine.OpenSource(t.Context(),
		"csv:"+filepath.Join(testenv.Data(t), "fares", p.file), p.price, &o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	s := &service{t: t, documents: map[string]int{}}
	s.readRoutes(source)
	o.Source, o.Now = source, func() time.Time { return s.last.Time().Add(20 * time.Hour) }
	o.Table = fixture.Unlimited{Table: fixture.Bolt(t, o.Now)}
	if report, err := o.Refresh(t.Context(), nil); err != nil || report.Failed > 0 {
		t.Fatalf("%+v %v", report, err)
	}
	s.api = fixture.New(t, o)
	return s
}

func (s *service) readRoutes(source upstream.Source) {
	origins, err := source.Origins(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	seen := map[fare.Route]bool{}
	for _, origin := range origins {
		answer, err := source.Fares(s.t.Context(), origin, time.Time{}, time.Now())
		if err != nil {
			s.t.Fatal(err)
		}
		for _, f := range answer.Fares {
			s.last = max(s.last, f.FoundDay())
			if !seen[f.Route] && f.Nights == 0 {
				seen[f.Route] = true
				s.routes = append(s.routes, f.Route)
			}
		}
	}
}

// some returns about n of the panel's routes, evenly spaced.
func (s *service) some(n int) (routes []fare.Route) {
	for i := 0; i < len(s.routes); i += max(1, len(s.routes)/n) {
		routes = append(routes, s.routes[i])
	}
	return routes
}

func (s *service) ask(target string) string {
	s.calls++
	r := httptest.NewRequest("GET", target, nil)
	r.RemoteAddr = fmt.Sprintf("10.0.%d.%d:1", s.calls>>8&255, s.calls&255)
	w := httptest.NewRecorder()
	s.api.API.ServeHTTP(w, r)
	if w.Code != 200 {
		return ""
	}
	return w.Body.String()
}

func (s *service) tool(name string, arguments map[string]any) string {
	s.calls++
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": name, "arguments": arguments}})
	if err != nil {
		s.t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "/mcp", strings.NewReader(string(body)))
	r.RemoteAddr = fmt.Sprintf("10.1.%d.%d:1", s.calls>>8&255, s.calls&255)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	s.api.API.ServeHTTP(w, r)
	var answer struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || len(answer.Result.Content) == 0 {
		s.t.Fatalf("%s %v: %d %s %v", name, arguments, w.Code, w.Body, err)
	}
	if answer.Result.IsError {
		return ""
	}
	return answer.Result.Content[0].Text
}

// claims maps each fare in a document to the set of its levels.
type claims map[string]map[string]bool

func (c claims) add(fare, level string) {
	if c[fare] == nil {
		c[fare] = map[string]bool{}
	}
	c[fare][level] = true
}

func (s *service) judge(kind, name string, c claims) {
	s.documents[kind]++
	for fare, levels := range c {
		s.levels += len(levels)
		if len(levels) > 1 {
			s.t.Errorf("%s %s: %s has the levels %v", kind, name, fare, levels)
		}
	}
}

var (
	english = map[string]string{string(verdict.Great): "great", string(verdict.Good): "good", string(verdict.Fair): "normal",
		string(verdict.Expensive): "expensive"}
	words    = regexp.MustCompile(`(?i)\b(great|good|normal|expensive)\b`)
	article  = regexp.MustCompile(`(?s)<article class="verdict ([a-z-]+)".*?</article>`)
	heading  = regexp.MustCompile(`<h1>([^<]*)</h1>`)
	calendar = regexp.MustCompile(`(?s)<section class="calendar.*?</section>`)
	// The question, the list of days and the form of an alert name other fares and levels.
	asides     = regexp.MustCompile(`(?s)<p class="route.*?</p>|<section aria-labelledby="days-title">.*?</section>|<details class="notify.*?</form>`)
	drawing    = regexp.MustCompile(`(?s)<svg[^>]*aria-label="([^"]*)".*?</svg>`)
	style      = regexp.MustCompile(`<style>[^<]*</style>`) // "white-space: normal" is no level
	markup     = regexp.MustCompile(`<[^>]*>`)
	cell       = regexp.MustCompile(`quando=([0-9-]+)[^>]*>[0-9]+<b>([0-9]*)</b><i>([^<]*)</i>`)
	comparison = regexp.MustCompile(`than usual( for |: on this route|: a trip like this)?`)
	row        = regexp.MustCompile(`<tr><th scope="row"><a href="[^"]*(?:[?]|&amp;)a=([^"]+?)(?:&amp;[^"]*)?">[^<]*</a>.*?<span class="level ([a-z]+)">([^<]*)</span>`)
)

// plain includes the labels of charts.
func plain(part string) string {
	return html.UnescapeString(markup.ReplaceAllString(drawing.ReplaceAllString(asides.ReplaceAllString(part, ""), " $1 "), " "))
}

func levelsIn(text string) (all []string) {
	for _, word := range words.FindAllString(text, -1) {
		for level, name := range english {
			if strings.EqualFold(word, name) {
				all = append(all, level)
			}
		}
	}
	return all
}

// If dated is true, the question of the page is about a single departure.
func (s *service) page(target string, q url.Values, dated bool) {
	body := s.ask("/?" + target + "&lang=en")
	if !article.MatchString(body) {
		return
	}
	var a published.Analysis
	if err := json.Unmarshal([]byte(s.ask("/v1/analisi?"+q.Encode())), &a); err != nil {
		s.t.Fatalf("%s: %v", target, err)
	}
	c, faults := checkPage(body, a, dated)
	for _, fault := range faults {
		s.t.Errorf("page %s: %s", target, fault)
	}
	s.judge("page", target, c)
}

func (s *service) route(r fare.Route, departures int) {
	from, to := string(r.Origin), string(r.Destination)
	q := func(more ...string) url.Values {
		v := url.Values{"origine": {from}, "destinazione": {to}}
		for i := 0; i < len(more); i += 2 {
			v.Set(more[i], more[i+1])
		}
		return v
	}
	base := "da=" + from + "&a=" + to
	s.page(base, q(), false)
	s.page(base+"&visto=88", q("prezzo", "88"), false)
	arguments := func(more ...string) map[string]any {
		all := map[string]any{"origin": from, "destination": to}
		for i := 0; i < len(more); i += 2 {
			all[more[i]] = more[i+1]
		}
		return all
	}
	s.verdictTool(arguments())
	if picture := s.ask("/card/" + from + "-" + to + "-en.svg"); len(levelsIn(plain(picture))) > 0 {
		s.t.Errorf("the picture of %s states a level", r)
	}
	var c published.Calendario
	if body := s.ask("/v1/calendario?" + q().Encode()); body == "" {
		return
	} else if err := json.Unmarshal([]byte(body), &c); err != nil {
		s.t.Fatal(err)
	}
	s.calendarTool(arguments(), c)
	for i := 0; i < len(c.Giorni); i += max(1, len(c.Giorni)/departures) {
		day := c.Giorni[i].Partenza
		s.page(base+"&quando="+day, q("partenza", day), true)
		s.page(base+"&visto=45&quando="+day, q("partenza", day, "prezzo", "45"), true)
		s.page(base+"&flessibile=3&quando="+day, q("partenza", day, "flessibile", "3"), false)
		s.page(base+"&mese="+day[:7], q("mese", day[:7]), false)
		s.verdictTool(arguments("departure", day))
		s.verdictTool(arguments("month", day[:7]))
		s.walk(r, day)
	}
	s.comparisonTool(r, c)
}

// verdictTool ignores the sentence about what an alert can report.
func (s *service) verdictTool(arguments map[string]any) {
	text, _, _ := strings.Cut(s.tool("flight_price_verdict", arguments), "For an alert on this trip")
	if said := levelsIn(text); len(said) > 1 {
		s.t.Errorf("verdict of %v: %q", arguments, text)
	}
	for _, fault := range checkText("", text) {
		s.t.Errorf("verdict of %v: %s", arguments, fault)
	}
	s.documents["verdict"]++
}

var listed = regexp.MustCompile(`([0-9]{4}-[0-9]{2}-[0-9]{2}) [0-9.]+ EUR \((great|good|normal|expensive) for that day`)

// The text of fare_calendar must state the same levels as the calendar of the API.
func (s *service) calendarTool(arguments map[string]any, of published.Calendario) {
	text, c, count := s.tool("fare_calendar", arguments), claims{}, 0
	for _, g := range of.Giorni {
		c.add(g.Partenza, g.Livello)
	}
	for _, m := range listed.FindAllStringSubmatch(text, -1) {
		count++
		c.add(m[1], levelsIn(m[2])[0])
	}
	if said := levelsIn(text); len(said) != count {
		s.t.Errorf("calendar of %v states %d levels of %d days: %q", arguments, len(said), count, text)
	}
	s.judge("calendar", fmt.Sprint(arguments), c)
}

var trip = regexp.MustCompile(`([^:;.]+ \([0-9-]+\)) (?:at )?[0-9.]+ EUR(?: departing on [0-9-]+)?, (great|good|normal|expensive)`)

// The first sentence and the list must give the best trip the same level.
func (s *service) comparisonTool(r fare.Route, of published.Calendario) {
	var days []string
	for _, g := range of.Giorni[:min(4, len(of.Giorni))] {
		days = append(days, g.Partenza)
	}
	text, c := s.tool("compare_trips", map[string]any{"origin": string(r.Origin),
		"destinations": []string{string(r.Destination)}, "departures": days}), claims{}
	count := 0
	for _, m := range trip.FindAllStringSubmatch(text, -1) {
		count++
		c.add(strings.TrimSpace(m[1]), levelsIn(m[2])[0])
	}
	if said := levelsIn(text); len(said) != count {
		s.t.Errorf("comparison of %s states %d levels of %d trips: %q", r, len(said), count, text)
	}
	s.judge("comparison", r.String(), c)
}

// The page, the feed and the tool must give each destination the level of GET /v1/occasioni.
func (s *service) origin(city fare.City) {
	var deals published.Occasioni
	body := s.ask("/v1/occasioni?origine=" + string(city))
	if body == "" {
		return
	}
	if err := json.Unmarshal([]byte(body), &deals); err != nil {
		s.t.Fatal(err)
	}
	c := claims{}
	for _, d := range deals.Occasioni {
		c.add(d.DestinazioneIata, d.Verdetto.Livello)
	}
	for _, m := range row.FindAllStringSubmatch(s.ask("/?da="+string(city)+"&lang=en"), -1) {
		name, err := url.QueryUnescape(html.UnescapeString(m[1]))
		if err != nil {
			s.t.Fatal(err)
		}
		place, ok := places.Find(name)
		if !ok {
			s.t.Fatalf("the deals of %s link to %q", city, m[1])
		}
		for _, level := range levelsIn(m[3]) {
			c.add(string(place.City), level)
		}
	}
	s.judge("deals", string(city), c)
	var feed struct {
		Items []struct {
			Title, URL, Content_Text string
			Tags                     []string
		}
	}
	if err := json.Unmarshal([]byte(s.ask("/feed/"+string(city)+"-en.json")), &feed); err != nil {
		s.t.Fatal(err)
	}
	for _, item := range feed.Items {
		said := levelsIn(item.Title + " " + item.Content_Text)
		if len(said) != 1 || said[0] != item.Tags[0] || !strings.Contains(item.Title, " for this route") {
			s.t.Errorf("feed of %s: %+v", city, item)
		}
		address, err := url.Parse(item.URL)
		if err != nil {
			s.t.Fatal(err)
		}
		c.add(address.Query().Get("a"), said[0])
	}
	s.judge("feed", string(city), c)
}

func check(t *testing.T, p panel, routes, departures int) {
	s := open(t, p)
	origins := map[fare.City]bool{}
	for _, route := range s.some(routes) {
		s.route(route, departures)
		if origin := route.Origin; !origins[origin] {
			origins[origin] = true
			s.origin(origin)
		}
	}
	t.Logf("%s: %d routes, documents %v with %d levels", p.file, len(s.routes), s.documents, s.levels)
	for _, kind := range []string{"page", "walk", "verdict", "calendar", "comparison", "deals", "feed"} {
		if s.documents[kind] == 0 {
			t.Errorf("no %s was checked", kind)
		}
	}
}

func TestOneFareOneLevel(t *testing.T) { check(t, panels[0], 3, 2) }
