package agents_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// All parts of a long list together contain every destination exactly once.
func TestEveryDestination(t *testing.T) {
	d := open(t, knownRoutes(), "")
	seen := map[string]bool{}
	for skip, pages := 0, 0; ; pages++ {
		answer, _ := d.call(t, "price_trends", fmt.Sprintf(`{"origin":"Parigi","skip":%d}`, skip))
		var got struct {
			Destinations []struct{ Destination string }
		}
		decode(t, strings.NewReader(string(answer.StructuredContent)), &got)
		for _, one := range got.Destinations {
			seen[one.Destination] = true
		}
		skip += len(got.Destinations)
		if more := strings.Contains(answer.Content[0].Text,
			fmt.Sprintf("call again with skip %d.", skip)); !more || pages > 3 {
			break
		}
	}
	if len(seen) != 30 {
		t.Errorf("%d destinations, want 30", len(seen))
	}
}

// A call with n trips counts as n calls, in one write. If the remaining quota is smaller, the first
// trips are answered, and each other trip has an error with the reason.
func TestSeveralWithinTheCap(t *testing.T) {
	d := open(t, knownRoutes(), "")
	ask := func() (c struct {
		Contati int
		Viaggi  []struct {
			Analisi  *struct{ Verdetto struct{ Livello string } }
			Problema *struct{ Code string }
		}
	}, text string) {
		answer, _ := d.call(t, "compare_trips",
			`{"origin":"Milano","destinations":["Bucarest","Londra"],"departures":["2016-03-26","2016-03-27",`+
				`"2016-03-28","2016-03-29"]}`)
		decode(t, strings.NewReader(string(answer.StructuredContent)), &c)
		return c, answer.Content[0].Text
	}
	for n := range 3 {
		if c, _ := ask(); c.Contati != 8 || d.counters.writes != n+1 {
			t.Fatalf("call %d: %d counted in %d writes", n, c.Contati, d.counters.writes)
		}
	}
	c, text := ask() // 24 of 30 are used up
	if c.Contati != 6 || c.Viaggi[0].Analisi == nil || c.Viaggi[5].Problema.Code != "nessuna-tariffa" &&
		c.Viaggi[5].Problema.Code != "rotta-non-coperta" || c.Viaggi[6].Problema.Code != "troppe-richieste" ||
		c.Viaggi[7].Problema.Code != "troppe-richieste" {
		t.Errorf("%+v", c)
	}
	for _, part := range []string{"8 trips were requested; only the first 6 were looked up",
		"London (2016-03-28): troppe-richieste", "Best-judged: Bucharest"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q lacks %q", text, part)
		}
	}
	if answer, _ := d.call(t, "compare_trips",
		`{"origin":"Milano","destinations":["Bucarest"]}`); answer.code(t) != "troppe-richieste" {
		t.Errorf("%+v", answer)
	}
}

// What agents also send has the answer of the call in the tool's own names and types.
func TestTolerance(t *testing.T) {
	d := open(t, knownRoutes(), "")
	const route = `"origin":"Milano","destination":"Bucarest"`
	for _, c := range []struct{ tool, sent, meant string }{
		{"flight_price_verdict", route + `,"price":"45"`, route + `,"price":45`},
		{"flight_price_verdict", `"origine":"Milano","destination":"Bucarest","nonstop":true`, route + `,"non_stop":true`},
		{"flight_price_verdict", route + `,"non_stop":"true"`, route + `,"non_stop":true`},
		{"flight_price_verdict", route + `,"departure":"2016-04-12","flexible_days":3`,
			route + `,"departure":"2016-04-12","flexible_days":"3"`},
		{"flight_price_verdict", route + `,"partenza":"2016-04-12","flessibile":"1"`,
			route + `,"departure":"2016-04-12","flexible_days":"1"`},
		{"flight_price_verdict", route + `,"price":"45,50 €"`, route + `,"price":45.5`},
		{"flight_price_verdict", route + `,"prezzo":"50 USD"`, route + `,"price":50,"currency":"USD"`},
		{"flight_price_verdict", route + `,"price":"$50"`, route + `,"price":50,"currency":"USD"`},
		{"flight_price_verdict", route + `,"diretto":"no","nearby":0,"price":""`, route},
		{"flight_price_verdict", `"from":"Milano","to":"Bucarest","date":"2016-04-12","lang":"it"`,
			route + `,"departure":"2016-04-12","language":"it"`},
		{"fare_calendar", route + `,"nonStop":1,"withoutAirline":"W6"`, route + `,"non_stop":true,"without_airline":"W6"`},
		{"cheap_now", `"origin":"Milano","max-price":"60","skip":"0"`, `"origin":"Milano","max_price":60,"skip":0`},
		{"compare_trips", `"origin":"Milano","destination":"Bucarest, Londra"`,
			`"origin":"Milano","destinations":["Bucarest","Londra"]`},
	} {
		sent, _ := d.call(t, c.tool, "{"+c.sent+"}")
		meant, _ := d.call(t, c.tool, "{"+c.meant+"}")
		if sent.Content[0] != meant.Content[0] || string(sent.StructuredContent) != string(meant.StructuredContent) {
			t.Errorf("%s: %s\n%s, want\n%s", c.sent, sent.Content[0].Text, sent.StructuredContent, meant.StructuredContent)
		}
	}
}

func TestLanguage(t *testing.T) {
	d := open(t, knownRoutes(), "")
	for _, c := range []struct {
		tool, arguments string
		says            map[string]string
	}{
		{"flight_price_verdict", `"origin":"Milano","destination":"Bucarest"`,
			map[string]string{"": "Milan to Bucharest. Fares are very low right now.\nThe lowest fare now: €30, for " +
				"Tuesday 10 May 2016, seen today. None of the 40 days since 21 January 2016 had a lower fare. On half of the " +
				"days the lowest fare was between €31 and €35.",
				"en":    "Milan to Bucharest. Fares are very low",
				"it":    "In questo momento i prezzi sono molto bassi.",
				"de":    "Mailand – Bukarest. Die Preise sind zurzeit sehr niedrig.",
				"fr":    "Les prix sont très bas en ce moment.",
				"es":    "De Milán a Bucarest. Ahora mismo los precios son muy bajos.",
				"pt-BR": "Neste momento os preços estão muito baixos.",
				"nl":    "Milan to Bucharest. Fares are very low"}},
		{"cheap_now", `"origin":"Milano"`, map[string]string{"en": "against their other days: Bucharest 30.00 EUR on 2016-05-10, great for that day",
			"it": "rispetto ai loro altri giorni: Bucarest 30.00 EUR",
			"de": "am niedrigsten sind: Bukarest 30.00 EUR",
			"fr": "par rapport à leurs autres jours\u00a0: Bucarest 30.00 EUR",
			"es": "frente a sus otros días: Bucarest 30.00 EUR",
			"pt": "face aos seus outros dias: Bucareste 30.00 EUR"}},
		{"price_trends", `"origin":"Milan","destination":"London"`,
			map[string]string{"en": "From Milan to London", "it": "Da Milano a Londra"}},
		{"watched_routes", `"origin":"Milan"`, map[string]string{"en": "Milan to London", "it": "Londra"}},
		{"fare_calendar", `"origin":"Bergamo","destination":"Bucarest"`,
			map[string]string{"en": "You asked for Bergamo, but fares cover all Milan airports",
				"it": "Hai chiesto Bergamo, ma i prezzi valgono per tutti gli aeroporti di Milano"}},
		{"flight_price_verdict", `"origin":"Milano","destination":"Bucarest","departure":"12.4."`,
			map[string]string{"en": "We read “12.4.” as Tuesday 12 April 2016.\nMilan to Bucharest.",
				"it": "Abbiamo letto «12.4.» come martedì 12 aprile 2016."}},
		{"compare_trips", `"origin":"Milano","destinations":["Bucarest"],"departures":["12 aprile"]`,
			map[string]string{"en": "We read “12 aprile” as Tuesday 12 April 2016."}},
		{"flight_price_verdict", `"origin":"Roma","destination":"Bucarest"`,
			map[string]string{"en": "We have never seen a fare from Rome (ROM) to Bucharest (BUH).",
				"it": "watched_routes: chiamalo",
				"de": "Diese Strecke beobachten wir noch nicht. Wir haben sie vorgemerkt. Als Werkzeug " +
					"ist das watched_routes"}},
	} {
		for language, says := range c.says {
			arguments := "{" + c.arguments + "}"
			if language != "" {
				arguments = "{" + c.arguments + `,"language":"` + language + `"}`
			}
			answer, _ := d.call(t, c.tool, arguments)
			if text := answer.Content[0].Text; !strings.Contains(text, says) {
				t.Errorf("%s in %q: %q lacks %q", c.tool, language, text, says)
			}
		}
	}
}

// Reading the reference does not count toward a quota. Reading the coverage counts like a call of
// the tool watched_routes, and lists every destination.
func TestResources(t *testing.T) {
	d := open(t, knownRoutes(), "")
	read := func(uri string) string {
		return d.send(t, http.MethodPost, "/mcp",
			`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+uri+`"}}`).Body.String()
	}
	for _, c := range []struct {
		uri    string
		says   []string
		counts int64
	}{
		{"verdetto://reference", []string{"# Verdetto", "/v1/occasioni", "text/plain"}, 0},
		{"verdetto://coverage", []string{`\"codice\":\"MIL\",\"nome\":\"Milan\"`, "verdetto://coverage/{origin}"}, 1},
		{"verdetto://coverage/MIL", []string{`\"codice\":\"LON\"`, `\"codice\":\"BUH\"`, `\"codice\":\"PAR\"`}, 2},
		{"verdetto://coverage/Atlantis", []string{`"error"`, "citta-sconosciuta", "-32602"}, 3},
		{"verdetto://prices", []string{`"error"`, "-32602"}, 3},
	} {
		got := read(c.uri)
		for _, part := range c.says {
			if !strings.Contains(got, part) {
				t.Errorf("%s lacks %s: %.400s", c.uri, part, got)
			}
		}
		if n := d.counters.names()["rotte-free"]; n != c.counts {
			t.Errorf("%s: %d counted, want %d", c.uri, n, c.counts)
		}
	}
	for method, says := range map[string]string{"resources/list": "verdetto://coverage",
		"resources/templates/list": "verdetto://coverage/{origin}"} {
		if w := d.send(t, http.MethodPost, "/mcp",
			`{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`); !strings.Contains(w.Body.String(), says) {
			t.Errorf("%s: %s", method, w.Body)
		}
	}
}
