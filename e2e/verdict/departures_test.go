package verdict

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/functions/refresh"
	"verdetto/shared/store"
	"verdetto/shared/upstream/sample"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

func invented(t *testing.T) (ask func(query string) *httptest.ResponseRecorder) {
	now := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	table := fixture.Bolt(t, clock)
	r := refresh.Refresher{Source: sample.New(), Fares: store.Fares{Table: table}, Now: clock, Workers: 1}
	if report, err := r.Run(t.Context(), "MIL"); err != nil || report.Failed > 0 {
		t.Fatalf("%+v %v", report, err)
	}
	h := fixture.Instance(t, table, sample.New(), clock)
	return func(query string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/v1/analisi?origine=Milano&destinazione=Bucarest"+query, nil))
		return w
	}
}

// The call does not count towards the quota.
func TestBadDepartures(t *testing.T) {
	t.Parallel()
	ask := invented(t)
	for query, want := range map[string]string{
		"&partenza=2026-11-21":                                         "partenza is past: today is 2026-11-22",
		"&partenza=2027-11-23":                                         "partenza is too far ahead: send a day up to 2027-11-22",
		"&partenza=2027-02-29":                                         "partenza is not a day such as 2027-03-20",
		"&partenza=29.2.2027":                                          "partenza",
		"&mese=2026-10":                                                "mese is past: today is 2026-11-22",
		"&mese=2027-12":                                                "mese is too far ahead",
		"&mese=2027-13":                                                "mese is not a month such as 2027-03",
		"&mese=2027-01&partenza=2027-01-10":                            "mese excludes partenza: send one of them",
		"&ritorno=2027-01-10":                                          "ritorno needs partenza",
		"&partenza=2027-01-10&ritorno=2027-01-10":                      "ritorno is not after the departure",
		"&partenza=2027-01-10&ritorno=2027-01-09":                      "ritorno is not after the departure: send a day after 2027-01-10",
		"&partenza=2027-01-10&ritorno=2028-01-09":                      "ritorno is too long after the departure",
		"&partenza=2027-01-10&ritorno=2027-01-32":                      "ritorno is not a day such as 2027-03-20",
		"&partenza=2027-01-10&ritorno=2027-01-15&notti=4-7":            "notti excludes ritorno: send one of them",
		"&flessibile=3":                                                "flessibile needs partenza, the day of departure",
		"&partenza=2027-01-10&flessibile=4":                            "flessibile",
		"&partenza=2027-01-10&prezzo=0":                                "prezzo is out of range",
		"&partenza=2027-01-10&prezzo=-5":                               "prezzo",
		"&partenza=2027-01-10&prezzo=2000000":                          "prezzo is out of range",
		"&partenza=2027-01-10&prezzo=45&valuta=XXX":                    "no reference rate for XXX",
		"&partenza=2027-01-10&partenza=2027-01-11":                     "partenza",
		"&partenza=2027-01-10&destinazione=Bucarest&origine=Bucharest": "origine",
	} {
		w := ask(query)
		var p httpapi.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		if w.Code != http.StatusBadRequest || !strings.Contains(p.Detail, want) || len(p.Errors) == 0 {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
	if w := ask("&mese=2027-01"); w.Code != http.StatusOK || w.Header().Get("X-RateLimit-Remaining") != "29" {
		t.Errorf("after questions that are not counted: %d, remaining %s", w.Code,
			w.Header().Get("X-RateLimit-Remaining"))
	}
}

// Later versions may add fields to those of the specification.
func TestSpecifiedAnswer(t *testing.T) {
	t.Parallel()
	ask := invented(t)
	types := func(w *httptest.ResponseRecorder) map[string]string {
		var body map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		all := map[string]string{}
		walk("", body, all)
		return all
	}
	specified := map[string]string{
		"origine": "string", "destinazione": "string", "valuta": "string", "osservazioni": "number",
		"aggiornatoIl":     "string",
		"verdetto.livello": "string", "verdetto.affidabilita": "string", "verdetto.percentile": "number",
		"verdetto.medianaCent": "number",
		"verdetto.minimoCent":  "number", "verdetto.scartoMedianaCent": "number", "verdetto.campione": "number",
		"verdetto.stagionale":       "bool",
		"mesiPerConvenienza[].mese": "number", "mesiPerConvenienza[].medianaCent": "number",
		"mesiPerConvenienza[].campione": "number",
		"anticipoConsigliato.daGiorni":  "number", "anticipoConsigliato.aGiorni": "number",
		"anticipoConsigliato.medianaCent": "number",
		"anticipoConsigliato.campione":    "number", "anticipoConsigliato.risparmioCent": "number",
	}
	route, month := types(ask("")), types(ask("&mese=2027-02"))
	for field, is := range specified {
		if route[field] != is || month[field] != is {
			t.Errorf("%s is %q, of a month %q; specified: %s", field, route[field], month[field], is)
		}
	}
	for field := range route {
		if strings.HasPrefix(field, "previsione") || strings.HasPrefix(field, "anticipoGiorni") {
			t.Errorf("%s is said of a route", field)
		}
	}
	for _, field := range []string{"quartili.q1Cent", "anticipoGiorni", "nellAnticipo"} {
		if month[field] == "" {
			t.Errorf("%s is not said of a month", field)
		}
	}
	for field := range month {
		if strings.HasPrefix(field, "previsione") {
			t.Errorf("%s is said of a month before any outcome is known", field)
		}
	}
	var a verdict.Analysis
	if err := json.Unmarshal(ask("&mese=2027-02").Body.Bytes(), &a); err != nil || a.Ambito != verdict.InMese ||
		!slices.Contains([]string{"2027-02"}, a.Prezzo.Partenza[:7]) {
		t.Errorf("%+v %v", a, err)
	}
}

// walk records the type of every field by its path.
func walk(path string, value any, into map[string]string) {
	switch v := value.(type) {
	case map[string]any:
		for name, field := range v {
			walk(strings.TrimPrefix(path+"."+name, "."), field, into)
		}
	case []any:
		for _, one := range v {
			walk(path+"[]", one, into)
		}
	case string:
		into[path] = "string"
	case float64:
		into[path] = "number"
	case bool:
		into[path] = "bool"
	case nil:
		into[path] = "null"
	}
}
