// Package contradictions holds an end-to-end test that texts about the same recorded fare agree.
package contradictions

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/carrier/ntfy/ntfytest"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict"
)

type panel struct{ file, price string }

var panels = []panel{
	{"eu_wizzair_weekly.csv.gz", ""}, {"travelpayouts_history_2026.csv.gz", "outbound_price"},
	{"travelpayouts_daily_2025_2026.csv.gz", ""}, {"google2026.csv.gz", ""}, {"eu_wizzair_2015_2016_full.csv.gz", ""},
}

// The time of a service is the evening of the last day of the panel, plus ahead.
type service struct {
	t         *testing.T
	api       *onemachine.Service
	last      fare.Day
	ahead     time.Duration // time from the refresh to the answers
	routes    []fare.Route
	days      map[fare.Route][]fare.Day // departures with a recently found fare
	calls     int
	documents map[string]int
	facts     facts

	alerts  []store.Alert
	mailbox mailbox
	topics  *ntfytest.Server
}

func open(t *testing.T, p panel, routes, departures int) (s *service, some []fare.Route) {
	t.Helper()
	o := onemachine.Options{Log: slog.New(slog.DiscardHandler), BaseURL: "https://verdetto.example",
		LocalURL: fixture.LocalURL}
	source, _, err := onemachine.OpenSource(t.Context(),
		"csv:"+filepath.Join(testenv.Data(t), "fares", p.file), p.price, &o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	s = &service{t: t, documents: map[string]int{}, facts: facts{}, days: map[fare.Route][]fare.Day{}}
	s.readRoutes(source)
	o.Source, o.Now = source, func() time.Time { return s.last.Time().Add(20*time.Hour + s.ahead) }
	o.Table, o.Pepper = fixture.Unlimited{Table: fixture.Bolt(t, o.Now)}, []byte(fixture.Pepper)
	s.receive(&o)
	some = s.some(routes)
	s.subscribe(o.Table, some[:len(some)/2], departures)
	if report, err := o.Refresh(t.Context(), nil); err != nil || report.Failed > 0 {
		t.Fatalf("%+v %v", report, err)
	}
	s.api = fixture.New(t, o)
	return s, some
}

func (s *service) readRoutes(source upstream.Source) {
	origins, err := source.Origins(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	var known []fare.Fare
	for _, origin := range origins {
		answer, err := source.Fares(s.t.Context(), origin, time.Time{}, time.Now())
		if err != nil {
			s.t.Fatal(err)
		}
		for _, f := range answer.Fares {
			s.last = max(s.last, f.FoundDay())
			if f.Nights == 0 {
				known = append(known, f)
			}
		}
	}
	for _, f := range known {
		if _, seen := s.days[f.Route]; !seen {
			s.routes, s.days[f.Route] = append(s.routes, f.Route), nil
		}
		if f.FoundDay() > s.last-verdict.LiveDays && f.Depart > s.last+1 && !slices.Contains(s.days[f.Route], f.Depart) {
			s.days[f.Route] = append(s.days[f.Route], f.Depart)
		}
	}
}

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

var (
	article    = regexp.MustCompile(`(?s)<article class="verdict ([a-z-]+)".*?</article>`)
	heading    = regexp.MustCompile(`<h1>([^<]*)</h1>`)
	price      = regexp.MustCompile(`<p class="sum">€([0-9,.]+)</p>`)
	cell       = regexp.MustCompile(`quando=([0-9-]+)[^>]*>[0-9]+<b>([0-9]+)</b><i>([+−]?[0-9]+)</i>`)
	fareWord   = regexp.MustCompile(`(?:An?|:) (great|good|fair|expensive)\b`)
	marketWord = regexp.MustCompile(`[Ff]ares are (very low|low|usual|high)\b`)
	former     = regexp.MustCompile(`(?i)rather expensive|probably (great|good|fair|normal)|\bnormal fare|a little (less|more) than`)
	usually    = regexp.MustCompile(`usually cost about €([0-9,]+): this is (?:€([0-9,]+) (less|more)|about the usual price)`)
	listed     = regexp.MustCompile(`([0-9]{4}-[0-9]{2}-[0-9]{2}) ([0-9.]+) EUR \((great|good|fair|expensive) for that day, usually ([0-9.]+) EUR`)
	dealt      = regexp.MustCompile(` ([0-9.]+) EUR on ([0-9-]+), (great|good|fair|expensive) for that day \(usually ([0-9.]+) EUR`)
	compared   = regexp.MustCompile(` ([0-9.]+) EUR departing on ([0-9-]+) \((great|good|fair|expensive) for that day, usually ([0-9.]+) EUR`)
	dealRow    = regexp.MustCompile(`(?s)<tr><th scope="row"><a href="[^"]*">([^<]*)</a>(.*?)</th><td>€([0-9,.]+)</td><td>(?:<span class="level [a-z-]+">([^<]*)</span>)?`)
	than       = regexp.MustCompile(`<small>(?:€([0-9,]+) (less|more) than usual|about the usual price)</small>`)
	cardOf     = regexp.MustCompile(`<meta property="og:image" content="https://verdetto.example([^"]*)"`)
	months     = regexp.MustCompile(`(?s)id="months".*?</details>`)
	entry      = regexp.MustCompile(`^(.+) for €([0-9.,]+) on [A-Z][a-z]+ ([0-9]+ [A-Z][a-z]+ [0-9]{4}):`)
	half       = regexp.MustCompile(`half the time €([0-9,]+)(?: – €([0-9,]+))?`)
)

var (
	english = map[string]string{"ottimo": "great", "buono": "good", "normale": "fair", "caro": "expensive"}
	markets = map[string]string{"ottimo": "very low", "buono": "low", "normale": "usual", "caro": "high"}
)

// The key of facts is a fare or a route, followed by a kind of statement. The value maps each
// statement to the place where the statement was found.
type facts map[string]map[string]string

func (f facts) add(fare, kind, statement, where string) {
	key := fare + " " + kind
	if f[key] == nil {
		f[key] = map[string]string{}
	}
	f[key][statement] = where
}

func (f facts) faults() (all []string) {
	for key, statements := range f {
		if len(statements) > 1 {
			all = append(all, fmt.Sprintf("%s: %v", key, statements))
		}
	}
	return all
}

func (f facts) addLowest(r fare.Route, price, day, where string) {
	f.add(r.String(), "lowest", price+" on "+day, where)
}

func (f facts) addMarket(route, text, where string) {
	for _, m := range marketWord.FindAllStringSubmatch(text, -1) {
		f.add(route, "market", m[1], where)
	}
}

func whole(amount string) string {
	var euros float64
	fmt.Sscanf(strings.ReplaceAll(amount, ",", ""), "%g", &euros)
	return fmt.Sprint(int(euros + .5))
}

// The text must match marketWord if market is true, and must not match otherwise.
func (f facts) read(fare, where, text string, market bool) (faults []string) {
	text = strings.ReplaceAll(html.UnescapeString(text), "\u00a0", " ")
	if m := former.FindString(text); m != "" {
		faults = append(faults, fmt.Sprintf("%s says %q", where, m))
	}
	if markets := marketWord.FindAllString(text, -1); (len(markets) > 0) != market {
		faults = append(faults, fmt.Sprintf("%s has words of the market: %q", where, markets))
	}
	route, _, _ := strings.Cut(fare, " ")
	f.addMarket(route, text, where)
	for _, m := range fareWord.FindAllStringSubmatch(text, -1) {
		f.add(fare, "word", m[1], where)
	}
	for _, m := range usually.FindAllStringSubmatch(text, -1) {
		if market {
			faults = append(faults, fmt.Sprintf("%s of a route has a usual price: %q", where, m[0]))
		}
		f.add(fare, "usual", whole(m[1]), where)
		f.add(fare, "difference", signed(m[2], m[3]), where)
	}
	return faults
}

func signed(amount, direction string) string {
	return map[string]string{"less": "−", "more": "+", "": ""}[direction] + cmp.Or(strings.ReplaceAll(amount, ",", ""), "0")
}

func (f facts) readListed(r fare.Route, where, text string) (faults []string) {
	if m := marketWord.FindString(text); m != "" {
		faults = append(faults, fmt.Sprintf("%s says %q", where, m))
	}
	for _, m := range compared.FindAllStringSubmatch(text, -1) {
		f.addListed(r, where, m[2], m[1], m[3], m[4])
	}
	for _, m := range listed.FindAllStringSubmatch(text, -1) {
		f.addListed(r, where, m[1], m[2], m[3], m[4])
	}
	return faults
}

func (f facts) addListed(r fare.Route, where, day, price, word, usual string) {
	key := fmt.Sprintf("%s %s %s", r, day, whole(price))
	f.add(key, "word", word, where)
	f.add(key, "usual", whole(usual), where)
}

// The words of a picture are in the text chunk Description of the PNG.
func (f facts) readCard(fare, where, picture string, a published.Analysis, market bool) (faults []string) {
	_, text, _ := strings.Cut(picture, "iTXtDescription\x00\x00\x00\x00\x00")
	words := strings.Split(text, "\n")
	if len(words) < 5 {
		return []string{where + ": no words"}
	}
	if price := strings.TrimPrefix(words[2], "€"); whole(price) != fmt.Sprint(int(a.Prezzo.Cent+50)/100) {
		faults = append(faults, fmt.Sprintf("%s: the price is %q, and prezzo %d", where, price, a.Prezzo.Cent))
	}
	return append(faults, f.read(fare, where, words[1]+" "+words[3], market)...)
}

func (f facts) readDeals(body string, keys map[string]string) (rows int) {
	for _, m := range dealRow.FindAllStringSubmatch(html.UnescapeString(body), -1) {
		key := keys[m[1]]
		if d := than.FindStringSubmatch(m[2]); d != nil {
			f.add(key, "word", m[4], "page of deals")
			f.add(key, "difference", signed(d[1], d[2]), "page of deals")
			rows++
		}
		f.add(key, "price", whole(m[3]), "page of deals")
	}
	return rows
}

func (f facts) readEntry(title, text, tag string, keys map[string]string) []string {
	m := entry.FindStringSubmatch(title)
	if m == nil {
		return []string{"an entry of a feed has no fare: " + title}
	}
	day, err := time.Parse("2 January 2006", m[3])
	key := keys[m[1]]
	if route, _, _ := strings.Cut(key, " "); err != nil || key != fmt.Sprintf("%s %s %s", route, day.Format(time.DateOnly), whole(m[2])) {
		return []string{fmt.Sprintf("the feed has %q, and the list %q", title, key)}
	}
	f.add(key, "word", english[tag], "tag of a feed")
	return f.read(key, "feed", title+" "+text, false)
}

func lowestFaults(a published.Analysis, c published.Calendario) (faults []string) {
	for _, day := range c.Giorni {
		if *day.Cent < a.Prezzo.Cent && day.TrovatoIl.After(c.AggiornatoIl.Add(-24*time.Hour)) {
			faults = append(faults, fmt.Sprintf("%s-%s: %d on %s is lower than the lowest now, %d", c.OrigineIata, c.DestinazioneIata,
				*day.Cent, day.Partenza, a.Prezzo.Cent))
		}
	}
	return faults
}

// The parameter a is the answer of the API to the question of the page.
func (f facts) checkPage(fare, where, body string, a published.Analysis, market bool) (faults []string) {
	shown, headline := article.FindStringSubmatch(body), ""
	if h := heading.FindStringSubmatch(shown[0]); h != nil {
		headline = h[1]
	}
	if a.Verdetto.Percentile != nil && headline != "We do not know yet." {
		if m := price.FindStringSubmatch(shown[0]); m == nil || whole(m[1]) != fmt.Sprint(int(a.Prezzo.Cent+50)/100) {
			faults = append(faults, fmt.Sprintf("%s: the largest price is %q, and prezzo %d", where, m, a.Prezzo.Cent))
		}
		faults = append(faults, f.read(fare, where, headline, market)...)
		f.read(fare, where, strings.Join(usually.FindAllString(html.UnescapeString(shown[0]), 1), ""), false)
	}
	if months := months.FindString(body); strings.Contains(months, "€") {
		faults = append(faults, fmt.Sprintf("%s: the months have amounts: %q", where, months))
	}
	if m := half.FindStringSubmatch(html.UnescapeString(shown[0])); m != nil && strings.Contains(headline, "expensive") {
		if high := cmp.Or(m[2], m[1]); a.Prezzo.Cent <= cents(high) {
			faults = append(faults, fmt.Sprintf("%s: %q at %d, but half the time up to %s", where, headline, a.Prezzo.Cent, high))
		}
	}
	return faults
}

func cents(amount string) (c fare.Cents) {
	fmt.Sscanf(strings.ReplaceAll(amount, ",", ""), "%d", &c)
	return 100 * c
}

func (s *service) fail(faults []string) {
	for _, fault := range faults {
		s.t.Error(fault)
	}
}

func (s *service) page(r fare.Route, more string, q url.Values) {
	var a published.Analysis
	body, data := s.ask("/?da="+string(r.Origin)+"&a="+string(r.Destination)+more+"&lang=en"), s.ask("/v1/analisi?"+q.Encode())
	if !article.MatchString(body) || json.Unmarshal([]byte(data), &a) != nil {
		return
	}
	key := fmt.Sprintf("%s %s %d", r, a.Prezzo.Partenza, int(a.Prezzo.Cent+50)/100)
	where := "page " + more
	market := a.Ambito == string(verdict.OfRoute) && !a.Prezzo.Dichiarato
	s.fail(s.facts.checkPage(key, where, body, a, market))
	if market && a.Verdetto.Percentile != nil {
		s.facts.addLowest(r, fmt.Sprint(int(a.Prezzo.Cent+50)/100), a.Prezzo.Partenza, where)
		s.facts.add(r.String(), "market", markets[a.Verdetto.Livello], "analisi")
	}
	if m := cardOf.FindStringSubmatch(body); m != nil && a.Verdetto.Percentile != nil && !strings.Contains(body, "<h1>We do not know yet.</h1>") && !a.Prezzo.Dichiarato {
		s.fail(s.facts.readCard(key, "card "+more, s.ask(m[1]), a, market))
		s.documents["card"]++
	}
	for _, m := range cell.FindAllStringSubmatch(body, -1) {
		s.facts.add(fmt.Sprintf("%s %s %s", r, m[1], m[2]), "difference", m[3], where)
	}
	s.documents["page"]++
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
	s.page(r, "", q())
	s.page(r, "&visto=88", q("prezzo", "88"))
	arguments := map[string]any{"origin": from, "destination": to}
	if picture := s.ask("/card/" + from + "-" + to + "-en.svg"); fareWord.MatchString(picture) || marketWord.MatchString(picture) {
		s.t.Errorf("the picture of %s judges", r)
	}
	s.list(r, "fare_calendar", arguments)
	s.list(r, "compare_trips", map[string]any{"origin": from, "destinations": []string{to}})
	var c published.Calendario
	if body := s.ask("/v1/calendario?" + q().Encode()); body == "" || json.Unmarshal([]byte(body), &c) != nil {
		return
	}
	var a published.Analysis
	if body := s.ask("/v1/analisi?" + q().Encode()); json.Unmarshal([]byte(body), &a) == nil {
		s.fail(lowestFaults(a, c))
	}
	for i := 0; i < len(c.Giorni); i += max(1, len(c.Giorni)/departures) {
		day := c.Giorni[i].Partenza
		s.page(r, "&quando="+day, q("partenza", day))
		s.page(r, "&quando="+day+"&flessibile=3", q("partenza", day, "flessibile", "3"))
		s.page(r, "&mese="+day[:7], q("mese", day[:7]))
		s.list(r, "compare_trips", map[string]any{"origin": from, "destinations": []string{to}, "departures": []string{day}})
		text, _, _ := strings.Cut(s.tool("flight_price_verdict", map[string]any{"origin": from, "destination": to,
			"departure": day}), "For an alert on this trip")
		s.fail(s.facts.read(fmt.Sprintf("%s %s %d", r, day, int(*c.Giorni[i].Cent+50)/100), "flight_price_verdict", text, false))
		s.documents["verdict"]++
	}
}

func (s *service) list(r fare.Route, tool string, arguments map[string]any) {
	s.fail(s.facts.readListed(r, tool, s.tool(tool, arguments)))
	s.documents[tool]++
}

func (s *service) origin(city fare.City) {
	var deals published.Occasioni
	if body := s.ask("/v1/occasioni?origine=" + string(city)); body == "" || json.Unmarshal([]byte(body), &deals) != nil {
		return
	}
	key := func(d published.Occasione) string {
		return fmt.Sprintf("%s-%s %s %d", city, d.DestinazioneIata, d.Prezzo.Partenza, int(d.Prezzo.Cent+50)/100)
	}
	keys := map[string]string{}
	for i, d := range deals.Occasioni {
		if d.Usual != nil {
			s.facts.add(key(d), "word", english[d.Level], "occasioni")
			s.facts.add(key(d), "usual", fmt.Sprint(int(*d.Usual+50)/100), "occasioni")
		}
		s.facts.add(key(d), "price", fmt.Sprint(int(d.Prezzo.Cent+50)/100), "occasioni")
		r := fare.Route{Origin: city, Destination: fare.City(d.DestinazioneIata)}
		s.facts.addLowest(r, fmt.Sprint(int(d.Prezzo.Cent+50)/100), d.Prezzo.Partenza, "occasioni")
		if d.Verdetto.Percentile != nil {
			s.facts.add(r.String(), "market", markets[d.Verdetto.Livello], "occasioni")
		}
		keys[places.Name(fare.City(d.DestinazioneIata), "en")] = key(d)
		if i%(1+len(deals.Occasioni)/8) == 0 {
			s.page(r, "&quando="+d.Prezzo.Partenza,
				url.Values{"origine": {string(city)}, "destinazione": {d.DestinazioneIata}, "partenza": {d.Prezzo.Partenza}})
		}
		s.documents["deals"]++
	}
	s.documents["page of deals"] += s.facts.readDeals(s.ask("/?da="+string(city)+"&lang=en"), keys)
	judged := slices.DeleteFunc(deals.Occasioni, func(d published.Occasione) bool { return d.Usual == nil })
	for i, m := range dealt.FindAllStringSubmatch(s.tool("cheap_now", map[string]any{"origin": string(city)}), -1) {
		if d := judged[i]; d.Usual == nil || english[d.Level] != m[3] || whole(m[4]) != fmt.Sprint(int(*d.Usual+50)/100) {
			s.t.Errorf("cheap_now of %s: %q, but %+v", city, m[0], d.ForDay)
		}
	}
	var feed struct {
		Items []struct {
			Title, Content_Text string
			Tags                []string
		}
	}
	if err := json.Unmarshal([]byte(s.ask("/feed/"+string(city)+"-en.json")), &feed); err != nil {
		s.t.Fatal(err)
	}
	for _, item := range feed.Items {
		s.fail(s.facts.readEntry(item.Title, item.Content_Text, item.Tags[0], keys))
		s.documents["feed"]++
	}
}

func check(t *testing.T, p panel, routes, departures int) {
	s, some := open(t, p, routes, departures)
	origins := map[fare.City]bool{}
	s.messages()
	for i, route := range some {
		if i == len(some)/2 { // the questions about the second half of the routes come two days after the refresh
			s.fail(s.facts.faults())
			s.facts, origins, s.ahead = facts{}, map[fare.City]bool{}, 48*time.Hour
		}
		s.route(route, departures)
		if origin := route.Origin; !origins[origin] {
			origins[origin] = true
			s.origin(origin)
		}
	}
	s.fail(s.facts.faults())
	t.Logf("%s: %d routes, documents %v, %d facts", p.file, len(s.routes), s.documents, len(s.facts))
	for _, kind := range []string{"page", "card", "verdict", "fare_calendar", "compare_trips", "deals", "page of deals", "feed",
		"mail", "mail of a day", "mail with a list", "phone", "phone with a list", "digest"} {
		if s.documents[kind] == 0 {
			t.Errorf("no %s was checked", kind)
		}
	}
}

func TestOneFareOneWord(t *testing.T) { check(t, panels[0], 2, 2) }

func TestFaultsAreFound(t *testing.T) {
	a := published.Analysis{Prezzo: published.Prezzo{Cent: 2199, Partenza: "2016-05-09"}, Verdetto: published.Verdetto{Percentile: new(int)}}
	page := func(h1, more string) string {
		return `<article class="verdict caro"><h1>` + h1 + `</h1><p class="sum">€21.99</p>` + more + "</article>"
	}
	const usual = "Flights like this usually cost about €25: this is €3 less."
	for i, planted := range []struct {
		h1, more, text string
		market, found  bool
	}{
		{"A good fare for that day.", usual, "€21.99: good. " + usual, false, false},
		{"Fares are high right now.", usual, usual, true, false},
		{"An expensive fare for that day.", "half the time €19 – €21", "", false, false},
		{"A good fare for that day.", usual, "€21.99: great.", false, true},
		{"A good fare for that day.", usual, "€21.99: fair.", false, true},
		{"A good fare for that day.", usual, "€21.99: expensive.", false, true},
		{"An expensive fare for its day.", usual, "€21.99: good.", false, true},
		{"A good fare for that day.", usual, "Flights like this usually cost about €26: this is €3 less.", false, true},
		{"A good fare for that day.", usual, "Flights like this usually cost about €25: this is €4 less.", false, true},
		{"A good fare for that day.", usual, "Flights like this usually cost about €25: this is €3 more.", false, true},
		{"A good fare for that day.", usual, "Flights like this usually cost about €25: this is about the usual price.", false, true},
		{"Fares are low right now.", usual, "", false, true},
		{"Fares are usual right now.", "", "", false, true},
		{"A good fare for that day.", usual, "Fares are low right now.", false, true},
		{"A good fare for that day.", usual, "Fares are very low right now.", false, true},
		{"A good fare for that day.", "", "", true, true},
		{"€8 less than usual.", "", "", true, true},
		{"A rather expensive fare.", "", "", false, true},
		{"Probably good.", "", "", false, true},
		{"It costs a little more than that.", "", "", false, true},
		{"An expensive fare for that day.", "half the time €19 – €22", "", false, true},
		{"An expensive fare for that day.", "half the time €30", "", false, true},
		{"A great fare for that day.", strings.Replace(usual, "25", "24", 1), usual, false, true},
	} {
		f := facts{}
		found := f.checkPage("a", "page", page(planted.h1, planted.more), a, planted.market)
		found = append(found, f.read("a", "text", planted.text, false)...)
		if found = append(found, f.faults()...); (len(found) > 0) != planted.found {
			t.Errorf("%d: found %q", i, found)
		}
	}
	milan := fare.Route{Origin: "MIL", Destination: "BUH"}
	const key, row = "MIL-BUH 2016-05-09 22", `<tr><th scope="row"><a href="/">Bucharest</a><small>%s than usual</small></th><td>%s</td><td><span class="level caro">%s</span></td>`
	picture := func(words ...string) func(facts) []string {
		return func(f facts) []string {
			return f.readCard(key, "card", "iTXtDescription\x00\x00\x00\x00\x00"+strings.Join(words, "\n"), a, false)
		}
	}
	list := func(text string) func(facts) []string {
		return func(f facts) []string { return f.readListed(milan, "tool", text) }
	}
	deals := func(than, price, word string) func(facts) []string {
		return func(f facts) []string {
			f.readDeals(fmt.Sprintf(row, than, price, word), map[string]string{"Bucharest": key})
			return nil
		}
	}
	for i, planted := range []struct {
		read  func(facts) []string
		found bool
	}{
		{picture("", "A good fare for that day.", "€21.99", usual, ""), false},
		{picture("", "A great fare for that day.", "€21.99", usual, ""), true},
		{picture("", "Fares are low right now.", "€21.99", "High certainty.", ""), true},
		{picture("", "A good fare for that day.", "€23.99", usual, ""), true},
		{picture("", "A good fare for that day.", "€21.99", strings.Replace(usual, "25", "26", 1), ""), true},
		{picture("", "A good fare for that day.", "€21.99", strings.Replace(usual, "€3 less", "€3 more", 1), ""), true},
		{picture(), true},
		{func(f facts) []string { return f.read(key, "card of a route", "Fares are low right now. "+usual, true) }, true},
		{list("Bucharest 21.99 EUR departing on 2016-05-09 (good for that day, usually 25.00 EUR)"), false},
		{list("Bucharest 21.99 EUR departing on 2016-05-09 (great for that day, usually 25.00 EUR)"), true},
		{list("Bucharest 21.99 EUR departing on 2016-05-09 (good for that day, usually 26.00 EUR)"), true},
		{list("Bucharest 21.99 EUR departing on 2016-05-09, fares are low right now"), true},
		{list("2016-05-09 21.99 EUR (good for that day, usually 25.00 EUR)"), false},
		{list("2016-05-09 21.99 EUR (fair for that day, usually 25.00 EUR)"), true},
		{list("2016-05-09 21.99 EUR (good for that day, usually 24.00 EUR)"), true},
		{deals("€3 less", "€21.99", "good"), false},
		{deals("€3 less", "€21.99", "great"), true},
		{deals("€3 more", "€21.99", "good"), true},
		{deals("€5 less", "€21.99", "good"), true},
		{deals("€3 less", "€23.99", "good"), true},
	} {
		f := facts{}
		f.read(key, "page", "A good fare for that day. "+usual, false)
		f.add(key, "price", "22", "occasioni")
		found := planted.read(f)
		if found = append(found, f.faults()...); (len(found) > 0) != planted.found {
			t.Errorf("%d elsewhere: found %q", i, found)
		}
	}
	a.Prezzo.Cent = 2300
	if f := (facts{}); len(f.checkPage("a", "page", page("A good fare for that day.", ""), a, false)) == 0 {
		t.Error("a largest price that is not prezzo was not found")
	}
}
