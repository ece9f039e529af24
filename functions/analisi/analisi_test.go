package analisi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/analisi"
	"verdetto/functions/analisi/analisitest"
	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

const malformed = "richiesta-non-valida"

func TestVerdict(t *testing.T) {
	h := analisitest.OfMilBuh().Open()
	for _, path := range []string{"/v1/analisi", "/api/v1/analisi"} {
		w := analisitest.Get(t, h, path+"?origine=MILANO&destinazione=bucure%C8%99ti")
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" ||
			w.Header().Get("Cache-Control") != "no-store" {
			t.Fatalf("%s: %d %v %s", path, w.Code, w.Header(), w.Body)
		}
		var got map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		fields := func(v any) []string {
			var names []string
			for name := range v.(map[string]any) {
				names = append(names, name)
			}
			slices.Sort(names)
			return names
		}
		for _, c := range []struct {
			of   any
			want []string
		}{
			{got, []string{"aggiornatoIl", "ambito", "anticipoConsigliato", "destinazione", "destinazioneIata",
				"luoghi", "mesiPerConvenienza", "origine", "origineIata", "osservazioni", "prezzo", "quartili",
				"valuta", "verdetto"}},
			{got["prezzo"], []string{"cent", "etaOre", "partenza", "precisione", "quotato", "trovatoIl", "valuta"}},
			{got["verdetto"], []string{"affidabilita", "campione", "dal", "giorniInferiori", "giorniUguali",
				"intervallo", "livello", "medianaCent", "minimoCent", "percentile",
				"scartoMedianaCent", "stagionale"}},
			{got["mesiPerConvenienza"].([]any)[0], []string{"campione", "medianaCent", "mese"}},
			{got["anticipoConsigliato"], []string{"aGiorni", "campione", "daGiorni", "medianaCent", "risparmioCent"}},
		} {
			if diff := cmp.Diff(c.want, fields(c.of)); diff != "" {
				t.Errorf("%s: fields: %s", path, diff)
			}
		}
		if got["origine"] != "Milano" || got["destinazione"] != "București" || got["valuta"] != "EUR" ||
			got["aggiornatoIl"] != "2016-03-01T01:00:00Z" {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
}

func TestTooLittleData(t *testing.T) {
	w := analisitest.Get(t, analisitest.Site{Summaries: analisitest.Summaries{analisitest.MilBuh: analisitest.SummaryOf(3)}}.Open(), "/v1/analisi?origine=Milano&destinazione=Bucarest")
	var got struct {
		Verdetto     map[string]any `json:"verdetto"`
		Osservazioni int            `json:"osservazioni"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s %v", w.Code, w.Body, err)
	}
	if diff := cmp.Diff(map[string]any{"livello": "dati-insufficienti", "campione": 3.0}, got.Verdetto); diff != "" ||
		got.Osservazioni != 16 {
		t.Errorf("%s", w.Body)
	}
}

func TestProblems(t *testing.T) {
	stale := analisitest.SummaryOf(40)
	stale.AsOf -= 30
	h := analisitest.Site{Summaries: analisitest.Summaries{
		analisitest.MilBuh:                  analisitest.SummaryOf(40),
		{Origin: "MIL", Destination: "ROM"}: stale,
		{Origin: "MIL", Destination: "PAR"}: fmt.Errorf("read: %w", store.ErrUnavailable),
		{Origin: "MIL", Destination: "MAD"}: errors.New("secret internal text"),
		{Origin: "MIL", Destination: "BCN"}: []byte("\x05not a summary"),
	}}.Open()
	long := strings.Repeat("a", 101)
	for _, c := range []struct {
		name, query string
		status      int
		code        string
		parameters  string // the parameters named as faulty
		suggestion  string
	}{
		{"both missing", "", 400, malformed, "origine destinazione", ""},
		{"one missing", "origine=Milano", 400, malformed, "destinazione", ""},
		{"empty", "origine=&destinazione=Bucarest", 400, malformed, "origine", ""},
		{"blank", "origine=Milano&destinazione=%20%20", 400, malformed, "destinazione", ""},
		{"over-long", "origine=" + long + "&destinazione=Bucarest", 400, malformed, "origine", ""},
		{"100 runes are not over-long", "origine=" + strings.Repeat("%C3%A9", 100) + "&destinazione=Bucarest", 404,
			"citta-sconosciuta", "origine", ""},
		{"control character", "origine=Mil%00ano&destinazione=Bucarest", 400, malformed, "origine", ""},
		{"line break", "origine=Milano&destinazione=Buca%0Arest", 400, malformed, "destinazione", ""},
		{"invalid UTF-8", "origine=Mil%ffano&destinazione=Bucarest", 400, malformed, "origine", ""},
		{"repeated", "origine=Milano&origine=Roma&destinazione=Bucarest", 400, malformed, "origine", ""},
		{"repeated alike", "origine=Milano&destinazione=Bucarest&destinazione=Bucarest", 400,
			malformed, "destinazione", ""},
		{"bad escape", "origine=Mil%zzano&destinazione=Bucarest", 400, malformed, "", ""},
		{"same city", "origine=Milano&destinazione=Milan", 400, "stessa-citta", "destinazione", ""},
		{"unknown city", "origine=Milano&destinazione=Bukarestt", 404, "citta-sconosciuta", "destinazione", "Bukarest"},
		{"nothing like a city", "origine=qqqqqqqqqqqq&destinazione=Bucarest", 404, "citta-sconosciuta", "origine", ""},
		{"not covered", "origine=Bucarest&destinazione=Milano", 404, "rotta-non-coperta", "", ""},
		{"no live fare", "origine=Milano&destinazione=Roma", 404, "nessuna-tariffa", "", ""},
		{"storage is down", "origine=Milano&destinazione=Parigi", 503, "servizio-non-disponibile", "", ""},
		{"storage fails", "origine=Milano&destinazione=Madrid", 500, "errore-interno", "", ""},
		{"summary is broken", "origine=Milano&destinazione=Barcellona", 500, "errore-interno", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := analisitest.Get(t, h, "/v1/analisi?"+c.query)
			var p httpapi.Problem
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
				t.Fatalf("%s: %v", w.Body, err)
			}
			var parameters []string
			for _, f := range p.Errors {
				parameters = append(parameters, f.Name)
			}
			if w.Code != c.status || p.Status != c.status || p.Code != c.code ||
				strings.Join(parameters, " ") != c.parameters {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if w.Header().Get("Content-Type") != "application/problem+json" ||
				w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("headers %v", w.Header())
			}
			if c.suggestion != "" && !slices.Contains(p.Suggestions, c.suggestion) {
				t.Errorf("suggestions %q lack %s", p.Suggestions, c.suggestion)
			}
			if strings.Contains(w.Body.String(), "internal text") || strings.Contains(w.Body.String(), "not known") {
				t.Errorf("the answer holds internal text: %s", w.Body)
			}
			if p.Detail == "" || p.Title == "" || p.Type == "" {
				t.Errorf("incomplete: %s", w.Body)
			}
		})
	}
}

func TestDemand(t *testing.T) {
	w := &analisitest.Requests{Err: errors.New("storage is down")}
	site, at := analisitest.OfMilBuh(), analisitest.Today
	site.Demand, site.Now = w, func() time.Time { return at }
	h := site.Open()
	ask := func(query string, status int) {
		t.Helper()
		if got := analisitest.Get(t, h, "/v1/analisi?"+query); got.Code != status {
			t.Fatalf("%s: %d %s", query, got.Code, got.Body)
		}
	}
	ask("origine=Roma&destinazione=Parigi", 404)
	ask("origine=Milano&destinazione=Bucarest", 200)
	w.Err = nil
	for range 3 {
		ask("origine=Roma&destinazione=Parigi", 404)
		ask("origine=Roma&destinazione=Londra", 404)
		ask("origine=Milano&destinazione=Bucarest", 200)
		ask("origine=Atlantide&destinazione=Londra", 404)
	}
	if diff := cmp.Diff([]fare.City{"ROM"}, w.Origins); diff != "" ||
		w.Until.Before(analisitest.Today.Add(14*24*time.Hour)) {
		t.Errorf("noted %v until %v", w.Origins, w.Until)
	}
	// Demand for a series is recorded once per process and day, whichever endpoint is called.
	analisitest.Get(t, h, "/?da=Milano&a=Bucarest")
	analisitest.Get(t, h, "/card/MIL-BUH-it.png")
	at = analisitest.Today.AddDate(0, 0, 1)
	ask("origine=Milano&destinazione=Bucarest", 200)
	ask("origine=Milano&destinazione=Bucarest", 200)
	day := func(n int) string { return "MIL-BUH " + analisitest.Today.AddDate(0, 0, n).Format(time.DateOnly) }
	if diff := cmp.Diff([]string{day(8), day(9)}, w.Demand); diff != "" {
		t.Errorf("demand: %s", diff)
	}
}

func TestRoutes(t *testing.T) {
	h := analisitest.Site{}.Open()
	for _, c := range []struct {
		name, query string
		status      int
		routes      string // the first two
		count       int
		next        string
	}{
		{"all, first page", "", 200, "MIL-LON MIL-BUH", 2, "MIL"},
		{"all, second page", "page=MIL", 200, "ROM-LON", 1, ""},
		{"all, beyond the end", "page=ROM", 200, "", 0, ""},
		{"from a city", "origine=milan", 200, "MIL-LON MIL-BUH", 2, ""},
		{"from a city by its code", "origine=MIL", 200, "MIL-LON MIL-BUH", 2, ""},
		{"from a city that is not covered", "origine=Parigi", 200, "", 0, ""},
		{"one route", "origine=Milano&destinazione=Londra", 200, "MIL-LON", 1, ""},
		{"one that is not", "origine=Milano&destinazione=Parigi", 200, "", 0, ""},
		{"into a city", "destinazione=Londra", 200, "AAA-LON AAB-LON", 100, "ADV"},
		{"into a city, second page", "destinazione=Londra&page=ADV", 200, "ADW-LON ADX-LON", 50, ""},
		{"unknown city", "origine=Atlantide", 404, "", 0, ""},
		{"bad page", "page=2", 400, "", 0, ""},
		{"repeated", "origine=Milano&origine=Roma", 400, "", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := analisitest.Get(t, h, "/v1/rotte?"+c.query)
			var got published.Routes
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			var routes []string
			for _, r := range got.Rotte {
				routes = append(routes, r.Origine.Codice+"-"+r.Destinazione.Codice)
			}
			if w.Code != c.status || len(routes) != c.count ||
				strings.Join(routes[:min(2, len(routes))], " ") != c.routes || got.Successiva != c.next {
				t.Errorf("%d %.300s", w.Code, w.Body)
			}
		})
	}
	w := analisitest.Get(t, h, "/v1/rotte?origine=Roma")
	want := `{"rotte":[{"origine":{"codice":"ROM","nome":"Roma"},"destinazione":{"codice":"LON","nome":"Londra"},` +
		`"osservazioni":1,"campione":0,"aggiornatoIl":"2016-03-01T11:00:00Z"}]}`
	if got := strings.TrimSpace(w.Body.String()); got != want {
		t.Errorf("%s", got)
	}
}

func TestAlive(t *testing.T) {
	h := httpapi.New(httpapi.Config{Now: analisitest.Noon, Log: slog.New(slog.DiscardHandler),
		Limiter: limit.New(analisitest.Unlimited{}, analisitest.Noon)})
	(&analisi.Service{Reader: &answer.Reader{Now: analisitest.Noon}}).Register(h)
	for _, method := range []string{"GET", "HEAD"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, "/healthz", nil))
		if w.Code != 200 || w.Header().Get("Cache-Control") != "no-store" ||
			(w.Body.String() == "{\"stato\":\"attivo\"}\n") != (method == "GET") {
			t.Errorf("%s: %d %v %s", method, w.Code, w.Header(), w.Body)
		}
	}
}
