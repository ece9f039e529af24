package verdict

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/upstream"
)

type fromMany []fare.Fare

func (fromMany) Name() string { return "fixture" }

func (s fromMany) Origins(context.Context) (all []fare.City, _ error) {
	for _, f := range s {
		if !slices.Contains(all, f.Route.Origin) {
			all = append(all, f.Route.Origin)
		}
	}
	return all, nil
}

func (s fromMany) Fares(_ context.Context, origin fare.City, since, until time.Time) (upstream.Answer, error) {
	return upstream.Answer{Fares: slices.DeleteFunc(slices.Clone(s), func(f fare.Fare) bool {
		return f.Route.Origin != origin || f.Found <= since.Unix() || f.Found > until.Unix()
	})}, nil
}

// aroundMilanAndLondon stores fares of ten days that depart 30 days from now. Those from Turin were
// EUR 10 dearer before today, the others as today. Another fare from Milan departs a day later,
// from Malpensa.
func aroundMilanAndLondon(t *testing.T) *fixture.Recorder {
	t.Helper()
	today := fare.DayOf(fixture.Today)
	var all fromMany
	for _, c := range []struct {
		route string // with the two airports
		price fare.Cents
		later fare.Day
	}{
		{"MIL-LON BGY-STN", 6000, 0}, {"MIL-LON MXP-LGW", 7000, 1}, {"TRN-LON TRN-LGW", 4200, 0},
		{"GOA-LON GOA-STN", 6000, 0}, {"VRN-LON VRN-LGW", 7500, 0}, {"LUG-LON LUG-LCY", 20000, 0},
		{"MIL-SOU LIN-SOU", 5500, 0}, {"MIL-CBG BGY-CBG", 9000, 0}, {"MIL-BOH BGY-BOH", 1000, 0},
		{"ROM-LON FCO-LHR", 1000, 0}, {"MIL-BUH BGY-OTP", 2500, 0},
	} {
		for ago := range fare.Day(10) {
			price := c.price
			if ago > 0 && strings.HasPrefix(c.route, "TRN") {
				price += 1000
			}
			flight := fare.Flight{From: fare.Airport([]byte(c.route[8:11])), To: fare.Airport([]byte(c.route[12:]))}
			all = append(all, fare.Fare{
				Route: fare.Route{Origin: fare.City(c.route[:3]), Destination: fare.City(c.route[4:7])},
				Observation: fare.Observation{Found: (today - ago).Time().Unix(), Depart: today + 30 + c.later,
					Price: price, Stops: fare.NonStop, Flight: flight},
			})
		}
	}
	slices.SortFunc(all, func(a, b fare.Fare) int { return a.Compare(b.Observation) })
	now := func() time.Time { return fixture.Today }
	table := fixture.Bolt(t, now)
	fixture.Refreshed(t, table, all, now)
	return &fixture.Recorder{Table: table}
}

// listed returns a line for each place nearby.
func listed(v published.Vicini) (all []string) {
	for _, n := range v.Vicini {
		difference := "-"
		if n.DifferenzaCent != nil {
			difference = fmt.Sprint(int64(*n.DifferenzaCent))
		}
		flight, _ := n.Prezzo.Flight()
		all = append(all, fmt.Sprintf("%s %s %s %d km %d %s %s %s-%s", n.Estremo, n.Iata, n.Nome, n.Km,
			n.Prezzo.Cent, difference, n.Livello, flight.From, flight.To))
	}
	return all
}

// The differences were computed by hand, and the distances with a calculator of great circles.
// Bournemouth (145 km) would be the seventh place, and Rome is too far. A fare that was higher on
// all nine earlier days is very cheap, and one that never changed is normal.
func TestNearby(t *testing.T) {
	t.Parallel()
	table := aroundMilanAndLondon(t)
	api := fixture.Described(t, serving(t, table))
	day := (fare.DayOf(fixture.Today) + 30).String()
	around := []string{"origine TRN Torino 124 km 4200 -1800 ottimo TRN-LGW",
		"destinazione SOU Southampton 106 km 5500 -500 normale LIN-SOU",
		"origine GOA Genova 120 km 6000 0 normale GOA-STN",
		"origine VRN Verona 133 km 7500 1500 normale VRN-LGW",
		"destinazione CBG Cambridge 81 km 9000 3000 normale BGY-CBG",
		"origine LUG Lugano 64 km 20000 14000 normale LUG-LCY"}
	for _, c := range []struct {
		name, query string
		status      int
		code        string
		want        []string
	}{
		{"cities", "origine=Milano&destinazione=Londra", 200, "", around},
		{"English names", "origin=Milan&destination=London", 200, "", around},
		{"a day", "origine=MIL&destinazione=LON&partenza=" + day, 200, "", around},
		{"an airport", "origine=MXP&destinazione=LON", 200, "", []string{
			"origine TRN Torino 96 km 4200 -2800 ottimo TRN-LGW",
			"destinazione SOU Southampton 106 km 5500 -1500 normale LIN-SOU",
			"origine BGY Bergamo 76 km 6000 -1000 normale BGY-STN",
			"origine GOA Genova 136 km 6000 -1000 normale GOA-STN",
			"destinazione CBG Cambridge 81 km 9000 2000 normale BGY-CBG",
			"origine LUG Lugano 44 km 20000 13000 normale LUG-LCY"}},
		{"an airport, and a day", "origine=BGY&destinazione=Bournemouth&partenza=" + day, 200, "", []string{
			"destinazione SOU Southampton 39 km 5500 4500 normale LIN-SOU"}},
		{"a trip without a fare", "origine=Torino&destinazione=SOU", 200, "", []string{
			"destinazione LON Londra 86 km 4200 - ottimo TRN-LGW", "origine MIL Milano 130 km 5500 - normale LIN-SOU"}},
		{"nothing nearby", "origine=Roma&destinazione=Londra", 200, "", nil},
		{"no fare, and nothing nearby", "origine=Roma&destinazione=Bucarest", 404, "rotta-non-coperta", nil},
		{"an unknown place", "origine=Atlantide&destinazione=Londra", 404, "citta-sconosciuta", nil},
		{"both ends one city", "origine=BGY&destinazione=MXP", 400, "stessa-citta", nil},
		{"a past day", "origine=Milano&destinazione=Londra&partenza=2016-01-01", 400, "richiesta-non-valida", nil},
		{"a return on the day", "origine=Milano&destinazione=Londra&partenza=" + day + "&ritorno=" + day, 400,
			"richiesta-non-valida", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			api.ServeHTTP(w, httptest.NewRequest("GET", "/v1/vicini?"+c.query, nil))
			var got struct {
				published.Vicini
				Code string
			}
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != c.status || got.Code != c.code {
				t.Fatalf("%d %s %v", w.Code, w.Body, err)
			}
			if diff := cmp.Diff(c.want, listed(got.Vicini)); c.status == 200 && diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A question about places nearby costs one count, the trip's own read, and one read for each of at
// most six places. The lists of covered cities are read once per process and hour. Only the trip in
// the question counts as demand.
func TestNearbyCosts(t *testing.T) {
	t.Parallel()
	table := aroundMilanAndLondon(t)
	api := serving(t, table)
	left := ""
	ask := func(query string) []string {
		before := len(table.Calls())
		w := httptest.NewRecorder()
		if api.ServeHTTP(w, httptest.NewRequest("GET", "/v1/vicini?"+query, nil)); w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		left = w.Header().Get("X-RateLimit-Remaining")
		return table.Calls()[before:]
	}
	read := func(sort string, routes ...string) (all []string) {
		for _, r := range routes {
			all = append(all, "Get ROUTE#"+r+" "+sort+", strong false")
		}
		return all
	}
	six := []string{"LUG-LON", "MIL-CBG", "MIL-SOU", "GOA-LON", "TRN-LON", "VRN-LON"}
	own := slices.Concat([]string{"Take"}, read("SHEET", "MIL-LON"))
	lists := []string{"Write of 1", "Query COVERED", "Get ORIGIN#MIL TRENDS, strong false"}
	first := slices.Concat(own, lists, read("SHEET", six...))
	if diff := cmp.Diff(first, ask("origine=MIL&destinazione=LON")); diff != "" {
		t.Errorf("the first of a process and day: %s", diff)
	}
	if diff := cmp.Diff(slices.Concat(own, read("SHEET", six...)), ask("origine=MIL&destinazione=LON")); diff != "" {
		t.Errorf("the second: %s", diff)
	}
	day := "&partenza=" + (fare.DayOf(fixture.Today) + 30).String()
	of := slices.Concat([]string{"Take"}, read("DEPARTURES#any", "MIL-LON"), []string{"Get FARES POOLED, strong false"},
		read("DEPARTURES#any", six...))
	if diff := cmp.Diff(of, ask("origine=MIL&destinazione=LON"+day)); diff != "" || left != "27" {
		t.Errorf("of a day, with %s calls left: %s", left, diff)
	}
}

// The first page reads no fare of places nearby. The page behind its link reads six, counts as one
// question, and states the cheapest with its difference.
func TestNearbyOnThePage(t *testing.T) {
	t.Parallel()
	table := aroundMilanAndLondon(t)
	api := serving(t, table)
	day := (fare.DayOf(fixture.Today) + 30).String()
	ask := func(target string) (page string, calls []string) {
		before := len(table.Calls())
		w := httptest.NewRecorder()
		if api.ServeHTTP(w, httptest.NewRequest("GET", target, nil)); w.Code >= 500 {
			t.Fatalf("%s: %d", target, w.Code)
		}
		return html.UnescapeString(w.Body.String()), table.Calls()[before:]
	}
	link := regexp.MustCompile(`href="(/[^"]*vicini=si)#vicini"`)
	for _, c := range []struct {
		target string
		want   []string
	}{
		{"/?da=Milan&a=London&lang=en", []string{"<b>From Turin: €18 less.</b>", "From Genoa", "the same price",
			"/?da=Turin&a=London&lang=en", "124 km · Thursday 31 March 2016 · seen today"}},
		{"/?da=Milano&a=Londra&lang=it&quando=" + day, []string{
			"<b>Da Torino: 18\u00a0€ in meno.</b>", "Per Southampton"}},
		{"/?da=Malpensa&a=London&lang=de", []string{
			"<b>Ab Turin: 28\u00a0€ weniger.</b>", "Ab Bergamo", "/?da=Bergamo&a=London&lang=de"}},
		{"/?da=Turin&a=London&lang=en", []string{
			"<b>From and to places nearby it is not cheaper.</b>", "From Genoa", "€18 more"}},
		{"/?da=Turin&a=Southampton&lang=en", []string{"<b>To London: €42.</b>", "From Milan"}},
		{"/?da=Rome&a=London&lang=en", []string{"<b>We know no current fare from or to a place nearby.</b>"}},
	} {
		page, calls := ask(c.target)
		next := link.FindStringSubmatch(page)
		if next == nil || strings.Contains(page, `id="vicini"`) || strings.Contains(fmt.Sprint(calls), "TRENDS") {
			t.Fatalf("%s: link %v, calls %v", c.target, next, calls)
		}
		own := len(calls)
		page, calls = ask(next[1])
		for _, want := range c.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s lacks %q", next[1], want)
			}
		}
		// The page also reads the two lists of covered cities.
		if len(calls) > own+2+6 || count(calls, "Take") != 1 || link.MatchString(page) {
			t.Errorf("%s: calls %v", next[1], calls)
		}
	}
	if page, _ := ask("/?da=Milan&a=London&vicini=no&lang=en"); strings.Contains(page, "From Turin") {
		t.Error("a wrong value shows places nearby")
	}
}

// The answer has at most 1,500 characters, lists two places and counts once. Without the argument
// no place nearby is read.
func TestNearbyOfAgents(t *testing.T) {
	t.Parallel()
	table := aroundMilanAndLondon(t)
	api := serving(t, table)
	day := (fare.DayOf(fixture.Today) + 30).String()
	for arguments, want := range map[string]string{
		`"nearby":true`: "Places nearby: From Turin €42 (€18 less); To Southampton €55 (€5 less).",
		`"nearby":true,"currency":"USD","departure":"` + day + `"`: "Places nearby: From Turin ",
		`"nearby":true,"language":"de","departure":"` + day + `"`:  "Orte in der Nähe: Ab Turin 42 € (18 € weniger)",
		`"nearby":false`: "",
	} {
		before := len(table.Calls())
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"flight_price_verdict","arguments":` +
			`{"origin":"Milan","destination":"London",` + arguments + `}}}`
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		var got struct {
			Result struct {
				Content           []struct{ Text string }
				StructuredContent struct{ Vicini []published.Vicino }
			}
		}
		err := json.Unmarshal(w.Body.Bytes(), &got)
		if err != nil || len(got.Result.Content) == 0 || !strings.Contains(got.Result.Content[0].Text, want) {
			t.Fatalf("%s: %s %v", arguments, w.Body, err)
		}
		calls := table.Calls()[before:]
		places := 2
		if want == "" {
			places = 0
		}
		if n := utf8.RuneCount(w.Body.Bytes()); n > 1500 || len(got.Result.StructuredContent.Vicini) != places ||
			count(calls, "Take") != 1 || want == "" && len(calls) > 4 {
			t.Errorf("%s: %d characters, calls %v: %s", arguments, n, calls, w.Body)
		} else {
			t.Logf("%s: %d characters", arguments, n)
		}
	}
}

func count(all []string, one string) (n int) {
	for _, s := range all {
		if s == one {
			n++
		}
	}
	return n
}
