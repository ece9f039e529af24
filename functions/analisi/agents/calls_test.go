package agents_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/analisi/analisitest"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
)

const malformed = "richiesta-non-valida"

const milanoBucarest = `{"origin":"Milano","destination":"Bucarest"}`

func TestCounts(t *testing.T) {
	for _, c := range []struct {
		name, tool, arguments string
		pro                   bool
		want                  map[string]int64
	}{
		{"verdict", "flight_price_verdict", milanoBucarest, false, map[string]int64{"analisi-free": 1}},
		{"routes", "watched_routes", `{}`, false, map[string]int64{"rotte-free": 1}},
		{"trends", "price_trends", `{"origin":"MIL"}`, false, map[string]int64{"price-trends-free": 1}},
		{"calendar", "fare_calendar", milanoBucarest, false, map[string]int64{"calendario-free": 1}},
		{"cheap now", "cheap_now", `{"origin":"MIL"}`, false, map[string]int64{"occasioni-free": 1}},
		{"history", "departure_history", milanoBucarest, false, map[string]int64{"storico-free": 1}},
		{"three trips are three", "compare_trips", `{"origin":"Milano","destinations":["Bucarest","Londra","Tokyo"]}`,
			false, map[string]int64{"analisi-free": 3}},
		{"of which one cannot be asked are none", "compare_trips",
			`{"origin":"Milano","destinations":["Bucarest"],"departures":["2016-04-09","2016-01-09"]}`,
			false, map[string]int64{}},
		{"a month that has been is not", "fare_calendar",
			`{"origin":"Milano","destination":"Bucarest","month":"2016-01"}`, false, map[string]int64{}},
		{"verdict with a key", "flight_price_verdict", milanoBucarest, true, map[string]int64{"analisi-pro": 1}},
		{"trends with a key", "price_trends", `{"origin":"MIL"}`, true, map[string]int64{"price-trends-pro": 1}},
		{"a city that is not known is counted", "flight_price_verdict", `{"origin":"Milano","destination":"Atlantis"}`,
			false, map[string]int64{"analisi-free": 1}},
		{"a missing argument is not", "flight_price_verdict", `{"origin":"Milano"}`, false, map[string]int64{}},
		{"the same city is not", "flight_price_verdict", `{"origin":"Milano","destination":"MXP"}`, false, map[string]int64{}},
		{"an unknown currency is not", "price_trends", `{"origin":"Milano","currency":"xau"}`,
			false, map[string]int64{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := open(t, knownRoutes(), "")
			var headers []string
			if c.pro {
				headers = []string{"X-Api-Key", d.customers.key(t, "ada@example.com", now.Add(time.Hour))}
			}
			_, header := d.call(t, c.tool, c.arguments, headers...)
			if diff := cmp.Diff(c.want, d.counters.names()); diff != "" {
				t.Error(diff)
			}
			if (header.Get("X-Plan") == "pro") != c.pro ||
				(header.Get("X-RateLimit-Remaining") != "") != (len(c.want) > 0) {
				t.Errorf("headers %v", header)
			}
		})
	}
}

func TestOneCap(t *testing.T) {
	d := open(t, knownRoutes(), "")
	for n := range 15 {
		w := d.send(t, http.MethodGet, "/v1/analisi?origine=Milano&destinazione=Bucarest", "")
		answer, header := d.call(t, "flight_price_verdict", milanoBucarest)
		if left := fmt.Sprint(28 - 2*n); w.Code != 200 || answer.IsError ||
			header.Get("X-RateLimit-Remaining") != left || header.Get("X-RateLimit-Limit") != "30" {
			t.Fatalf("pair %d: %d %+v %v, want %s left", n, w.Code, answer, header, left)
		}
	}
	if w := d.send(t, http.MethodGet, "/v1/analisi?origine=Milano&destinazione=Bucarest",
		""); w.Code != http.StatusTooManyRequests {
		t.Errorf("the endpoint: %d", w.Code)
	}
	answer, header := d.call(t, "flight_price_verdict", milanoBucarest)
	if answer.code(t) != "troppe-richieste" || header.Get("X-RateLimit-Remaining") != "0" ||
		header.Get("Retry-After") != "43200" {
		t.Errorf("%+v %v", answer, header)
	}
	said := map[string]string{}
	for _, l := range i18n.Languages() {
		answer, _ := d.call(t, "flight_price_verdict",
			strings.TrimSuffix(milanoBucarest, "}")+`,"language":"`+l.Code+`"}`)
		text := answer.Content[0].Text
		for _, part := range []string{"12h0m0s", "X-Api-Key", " usage ", "/x402/v1/analisi", "0.01 USDC"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %q does not tell of %s", l.Code, text, part)
			}
		}
		if same, ok := said[text]; ok {
			t.Errorf("%s says what %s says", l.Code, same)
		}
		said[text] = l.Code
	}
	// Tools with another quota or none still work, and with a key all tools do.
	if answer, _ := d.call(t, "watched_routes", `{}`); answer.IsError {
		t.Errorf("%+v", answer)
	}
	if w := d.send(t, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); w.Code != 200 ||
		!strings.Contains(w.Body.String(), "price_trends") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if answer, _ := d.call(t, "flight_price_verdict", milanoBucarest, "X-Api-Key",
		d.customers.key(t, "ada@example.com", now.Add(time.Hour))); answer.IsError {
		t.Errorf("%+v", answer)
	}
}

func TestCallersAreKeptApart(t *testing.T) {
	d := open(t, knownRoutes(), "")
	keys := make([]string, 8)
	for i := range keys {
		keys[i] = d.customers.key(t, fmt.Sprintf("caller%d@example.com", i), now.Add(time.Hour))
	}
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() {
			for range 10 {
				of, _ := d.call(t, "flight_price_verdict", milanoBucarest, "X-Api-Key", keys[i])
				routes, _ := d.call(t, "watched_routes", `{}`)
				if of.IsError || routes.IsError {
					t.Errorf("caller %d: %+v, %+v", i, of, routes)
				}
			}
		})
	}
	all.Wait()
	perCaller := 0
	for key, n := range d.counters.taken {
		if strings.Contains(key, "#analisi-pro#") && n == 10 {
			perCaller++
		}
	}
	if diff := cmp.Diff(map[string]int64{"analisi-pro": 80, "rotte-free": 80},
		d.counters.names()); diff != "" || perCaller != 8 {
		t.Errorf("%d callers were counted as themselves; %s", perCaller, diff)
	}
}

func TestRefusals(t *testing.T) {
	stale := analisitest.SummaryOf(40)
	stale.AsOf -= 30
	d := open(t, fares{
		milbuh:                              analisitest.SummaryOf(40),
		{Origin: "MIL", Destination: "ROM"}: stale,
		{Origin: "MIL", Destination: "PAR"}: fmt.Errorf("read: %w", store.ErrUnavailable),
		{Origin: "MIL", Destination: "MAD"}: errors.New("secret internal text"),
		{Origin: "MIL", Destination: "BCN"}: func(context.Context) { panic("secret internal text") },
	}, "")
	for _, c := range []refusal{
		{"nothing given", "flight_price_verdict", `{}`, malformed, "destination origin",
			[]string{"origin is missing", "not counted"}},
		{"null", "flight_price_verdict", `null`, malformed, "destination origin", nil},
		{"no object", "flight_price_verdict", `["Milano","Bucarest"]`, malformed, "arguments",
			[]string{"no JSON object"}},
		{"no list", "compare_trips", `{"origin":"Milano","destinations":true}`, malformed, "destinations",
			[]string{"no list of strings"}},
		{"an argument twice", "flight_price_verdict", `{"origin":"Milano","origine":"Roma","destination":"Bucarest"}`,
			malformed, "origin", []string{`is given twice, also as "origine"`}},
		{"a price in another currency", "flight_price_verdict",
			`{"origin":"Milano","destination":"Bucarest","price":"$45","currency":"RON"}`, malformed, "price",
			[]string{"is no number"}},
		{"a boolean in words", "flight_price_verdict", `{"origin":"Milano","destination":"Bucarest","non_stop":"maybe"}`,
			malformed, "non_stop", []string{"is neither true nor false"}},
		{"a list of numbers", "compare_trips", `{"origin":"Milano","destinations":[7]}`, malformed, "destinations",
			[]string{"no list of strings"}},
		{"an empty list", "compare_trips", `{"origin":"Milano","destinations":[]}`, malformed, "destinations",
			[]string{"is empty"}},
		{"an empty name in a list", "compare_trips", `{"origin":"Milano","destinations":["Roma"," "]}`, malformed,
			"destinations", []string{"is empty"}},
		{"too many in a list", "compare_trips",
			`{"origin":"Milano","destinations":["a","b","c","d","e","f","g","h","i","j","k"]}`, malformed,
			"destinations", []string{"want 10 at most"}},
		{"too many trips", "compare_trips",
			`{"origin":"Milano","destinations":["Roma","Bari","Pisa","Parigi"],"months":["2016-04","2016-05",` +
				`"2016-06"]}`, malformed, "destinations", []string{"make 12 trips"}},
		{"days and months", "compare_trips",
			`{"origin":"Milano","destinations":["Roma"],"departures":["2016-04-09"],"months":["2016-04"]}`, malformed,
			"months", []string{"excludes departures"}},
		{"a day that has been", "compare_trips",
			`{"origin":"Milano","destinations":["Roma"],"departures":["2016-02-29"]}`, malformed, "departures",
			[]string{"is past"}},
		{"a day that cannot be read", "departure_history",
			`{"origin":"Milano","destination":"Bucarest","departure":"soon"}`, malformed, "departure",
			[]string{"departure: We cannot read “soon” as a day."}},
		{"a day that does not exist", "compare_trips",
			`{"origin":"Milano","destinations":["Roma"],"departures":["30 April","31 April"]}`, malformed, "departures",
			[]string{"The calendar has no such day: “31 April”."}},
		{"an unknown currency of several", "compare_trips",
			`{"origin":"Milano","destinations":["Roma"],"currency":"xau"}`, "valuta-sconosciuta", "currency", nil},
		{"an unknown currency of a calendar", "fare_calendar",
			`{"origin":"Milano","destination":"Bucarest","currency":"xau"}`, "valuta-sconosciuta", "currency", nil},
		{"not a string", "flight_price_verdict", `{"origin":7,"destination":"Bucarest"}`, malformed, "origin",
			[]string{"no string"}},
		{"null for a string", "flight_price_verdict", `{"origin":null,"destination":"Bucarest"}`, malformed, "origin",
			[]string{"is missing"}},
		{"blank", "flight_price_verdict", `{"origin":"  ","destination":"Bucarest"}`, malformed, "origin",
			[]string{"is empty"}},
		{"too long", "flight_price_verdict", `{"origin":"` + strings.Repeat("a", 101) + `","destination":"Bucarest"}`,
			malformed, "origin", []string{"longer than 100"}},
		{"control character", "flight_price_verdict", `{"origin":"Mil\u0000ano","destination":"Bucarest"}`, malformed, "origin",
			[]string{"control"}},
		{"an argument of another tool", "price_trends", `{"origin":"Milano","month":"2016-04"}`,
			malformed, "arguments", []string{`"month"`, "it takes currency, destination, language, origin, skip"}},
		{"same city", "flight_price_verdict", `{"origin":"Milano","destination":"MXP"}`, "stessa-citta", "destination",
			[]string{"Milan (MIL)", "two different"}},
		{"unknown city", "flight_price_verdict", `{"origin":"Milano","destination":"Bukarestt"}`, "citta-sconosciuta",
			"destination", []string{"Did you mean Bukarest", "another spelling"}},
		{"unknown origin of routes", "watched_routes", `{"origin":"Atlantis"}`, "citta-sconosciuta",
			"origin", []string{"IATA"}},
		{"bad page", "watched_routes", `{"page":"2"}`, malformed, "page", []string{"successiva"}},
		{"unknown city of trends", "price_trends", `{"origin":"Milano","destination":"Atlantis"}`,
			"citta-sconosciuta", "destination", nil},
		{"same city in trends", "price_trends", `{"origin":"Milano","destination":"LIN"}`,
			"stessa-citta", "destination", nil},
		{"unknown currency", "price_trends", `{"origin":"Milano","currency":"xau"}`, "valuta-sconosciuta", "currency",
			[]string{"EUR, RON, USD"}},
		{"unknown currency of a price", "flight_price_verdict",
			`{"origin":"Milano","destination":"Bucharest","price":45,"currency":"xau"}`, "valuta-sconosciuta",
			"currency", []string{"EUR, RON, USD"}},
		{"a level that is none", "cheap_now", `{"origin":"Milano","levels":"ottimo, good"}`, malformed, "levels",
			[]string{"ottimo, buono, normale"}},
		{"a price of nothing", "cheap_now", `{"origin":"Milano","max_price":-3}`, malformed, "max_price",
			[]string{"more than 0"}},
		{"a month that has been", "cheap_now", `{"origin":"Milano","month":"2015-01"}`, malformed, "month",
			[]string{"is past"}},
		{"deals not covered", "cheap_now", `{"origin":"Roma"}`, "rotta-non-coperta", "",
			[]string{"no fare from Rome", "watched_routes"}},
		{"no departures", "fare_calendar", `{"origin":"Milano","destination":"Roma"}`, "nessuna-tariffa", "",
			[]string{"within 7 days"}},
		{"a calendar of one city", "fare_calendar", `{"origin":"Milano","destination":"LIN"}`,
			"stessa-citta", "destination", nil},
		{"a departure and a month", "departure_history",
			`{"origin":"Milano","destination":"Bucarest","departure":"2016-04-01","month":"2016-04"}`, malformed,
			"month", []string{"excludes departure"}},
		{"route not covered", "flight_price_verdict", `{"origin":"Bucarest","destination":"Milano"}`,
			"rotta-non-coperta", "", []string{"watched_routes"}},
		{"trends not covered", "price_trends", `{"origin":"Roma"}`, "rotta-non-coperta", "",
			[]string{"fare from ROM", "watched_routes"}},
		{"trends of a route not covered", "price_trends", `{"origin":"Milano","destination":"Tokyo"}`,
			"rotta-non-coperta", "", []string{"from MIL to TYO"}},
		{"no live fare", "flight_price_verdict", `{"origin":"Milano","destination":"Roma"}`, "nessuna-tariffa", "",
			[]string{"within 7 days", "price_trends"}},
		{"storage is down", "flight_price_verdict", `{"origin":"Milano","destination":"Parigi"}`, "servizio-non-disponibile",
			"", []string{"Try again in a few seconds"}},
		{"storage fails", "flight_price_verdict", `{"origin":"Milano","destination":"Madrid"}`, "errore-interno", "",
			[]string{"Call again"}},
		{"a panic", "flight_price_verdict", `{"origin":"Milano","destination":"Barcellona"}`, "errore-interno", "",
			[]string{"Call again"}},
	} {
		t.Run(c.name, func(t *testing.T) { d.checkRefusal(t, c) })
	}
	if n := strings.Count(d.logs.String(), "secret internal text"); n < 2 {
		t.Errorf("what failed is not in the log: %s", d.logs)
	}
}

type refusal struct {
	name, tool, arguments, code string
	faulty                      string // the faulty arguments
	says                        []string
}

func (d *fixture) checkRefusal(t *testing.T, c refusal) {
	t.Helper()
	answer, header := d.call(t, c.tool, c.arguments)
	if answer.code(t) != c.code || header.Get("Cache-Control") != "no-store" {
		t.Errorf("%+v", answer)
	}
	text := answer.Content[0].Text
	if c.code == malformed {
		c.says = slices.Concat(strings.Fields(c.faulty), c.says)
	}
	for _, part := range c.says {
		if !strings.Contains(text, part) {
			t.Errorf("%q lacks %q", text, part)
		}
	}
	if strings.Contains(text, "secret") {
		t.Errorf("%+v", answer)
	}
}

func TestKeys(t *testing.T) {
	d := open(t, knownRoutes(), "")
	ended := d.customers.key(t, "ended@example.com", now.Add(-time.Hour))
	replaced := d.customers.key(t, "ada@example.com", now.Add(time.Hour))
	d.customers.key(t, "ada@example.com", now.Add(time.Hour))
	for _, c := range []struct{ name, key, code string }{
		{"nonsense", "vd_nonsense", "chiave-non-valida"},
		{"replaced", replaced, "chiave-non-valida"},
		{"ended", ended, "piano-scaduto"},
	} {
		for _, method := range []string{"initialize", "ping", "tools/list", "tools/call"} {
			w := d.send(t, http.MethodPost, "/mcp",
				`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{}}`, "X-Api-Key", c.key)
			if w.Code != http.StatusUnauthorized || !strings.Contains(w.Body.String(), c.code) {
				t.Errorf("%s, %s: %d %s", c.name, method, w.Code, w.Body)
			}
		}
	}
	if n := d.counters.names(); len(n) > 0 {
		t.Errorf("counted: %v", n)
	}
}

// However many unknown arguments a call has, the answer lists three and is short.
func TestManyUnknownArguments(t *testing.T) {
	d := open(t, knownRoutes(), "")
	var arguments strings.Builder
	for n := range 5000 {
		fmt.Fprintf(&arguments, `"x%d":1,`, n)
	}
	for _, tool := range []string{"flight_price_verdict", "compare_trips", "watched_routes"} {
		w := d.send(t, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+
			`","arguments":{`+strings.TrimSuffix(arguments.String(), ",")+`}}}`)
		if body := w.Body.String(); w.Body.Len() > 4096 || !strings.Contains(body, malformed) ||
			strings.Count(body, "which this tool does not take") > 2*3 {
			t.Errorf("%s: %d bytes: %.5000s", tool, len(body), body)
		}
	}
}

// For a city with more destinations an agent gets maxDestinations of them, and the text says so.
func TestMostPopularOnly(t *testing.T) {
	d := open(t, knownRoutes(), "")
	answer, _ := d.call(t, "price_trends", `{"origin":"Parigi"}`)
	var got struct{ Destinations []struct{ Observations int } }
	decode(t, strings.NewReader(string(answer.StructuredContent)), &got)
	if len(got.Destinations) != 20 || got.Destinations[0].Observations != 100 ||
		got.Destinations[19].Observations != 81 ||
		!strings.Contains(answer.Content[0].Text,
			"30 destinations with a current fare, of which places 1 to 20 by how often they were observed are shown") {
		t.Errorf("%d destinations: %s", len(got.Destinations), answer.Content[0].Text)
	}
}

// A tool call ends at the deadline of its HTTP request.
func TestTimeIsPassedOn(t *testing.T) {
	var deadline time.Time
	s := fares{fare.Route{Origin: "MIL", Destination: "BUH"}: func(ctx context.Context) {
		deadline,
			_ = ctx.Deadline()
	}}
	d := open(t, s, "")
	at := time.Now().Add(time.Hour)
	ctx, cancel := context.WithDeadline(t.Context(), at)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp",
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"flight_price_verdict",`+
			`"arguments":`+milanoBucarest+`}}`))
	r.Header.Set("Content-Type", "application/json")
	d.ServeHTTP(httptest.NewRecorder(), r)
	if !deadline.Equal(at) {
		t.Errorf("the store was asked with deadline %v, want %v", deadline, at)
	}
}

// Agents do not see the HTTP header that marks sample fares, so the text says that they are
// invented.
func TestInventedFaresAreMarked(t *testing.T) {
	for data, want := range map[string]bool{"sample": true, "": false} {
		d := open(t, knownRoutes(), data)
		for _, c := range sampleCalls[:3] {
			answer, header := d.call(t, c.tool, milanoBucarest)
			told := slices.ContainsFunc(answer.Content,
				func(part struct{ Type, Text string }) bool { return strings.Contains(part.Text, "invented") })
			if told != want || header.Get("X-Data") != data {
				t.Errorf("data %q: %+v %v", data, answer.Content, header)
			}
		}
	}
}
