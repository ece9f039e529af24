package analisi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/analisi"
	"verdetto/shared/fare"
	"verdetto/shared/httpapi"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// sheets is a store of sheets in memory; an error in it is what reading gives.
type sheets map[fare.Route]any

func (s sheets) Sheet(_ context.Context, r fare.Route, _ store.Consistency) ([]byte, int64, error) {
	switch v := s[r].(type) {
	case verdict.Sheet:
		return v.Encode(), 1, nil
	case []byte:
		return v, 1, nil
	case error:
		return nil, 0, v
	}
	return nil, 0, store.ErrNotFound
}

var (
	milbuh = fare.Route{Origin: "MIL", Destination: "BUH"}
	today  = time.Date(2016, 3, 1, 12, 0, 0, 0, time.UTC)
)

// sheet is a route seen on so many past days, and today.
func sheet(days int) verdict.Sheet {
	d := fare.DayOf(today)
	var all []fare.Observation
	for i := 0; i <= days; i++ {
		for _, ahead := range []fare.Day{5, 25, 50, 70} {
			found := d - fare.Day(i)
			price := fare.Cents(3000 + 17*i + 100*int(50-min(ahead, 50)))
			all = append(all, fare.Observation{Found: found.Time().Unix() + 3600, Depart: found + ahead, Price: price})
		}
	}
	return verdict.Build(all, nil, d)
}

func serve(t *testing.T, s sheets) *httpapi.API {
	t.Helper()
	now := func() time.Time { return today }
	api := httpapi.New(httpapi.Config{Now: now, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	(&analisi.Service{Sheets: s, Now: now}).Register(api)
	return api
}

func get(t *testing.T, h http.Handler, target string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	path, query, _ := strings.Cut(target, "?")
	r.URL = &url.URL{Path: path, RawQuery: query}
	h.ServeHTTP(w, r)
	return w
}

func TestVerdict(t *testing.T) {
	h := serve(t, sheets{milbuh: sheet(40)})
	for _, path := range []string{"/v1/analisi", "/api/v1/analisi"} {
		w := get(t, h, path+"?origine=MILANO&destinazione=bucure%C8%99ti")
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" || w.Header().Get("Cache-Control") != "no-store" {
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
			{got, []string{"aggiornatoIl", "anticipoConsigliato", "destinazione", "mesiPerConvenienza", "origine", "osservazioni", "valuta", "verdetto"}},
			{got["verdetto"], []string{"affidabilita", "campione", "livello", "medianaCent", "minimoCent", "percentile", "scartoMedianaCent", "stagionale"}},
			{got["mesiPerConvenienza"].([]any)[0], []string{"campione", "medianaCent", "mese"}},
			{got["anticipoConsigliato"], []string{"aGiorni", "campione", "daGiorni", "medianaCent", "risparmioCent"}},
		} {
			if diff := cmp.Diff(c.want, fields(c.of)); diff != "" {
				t.Errorf("%s: fields: %s", path, diff)
			}
		}
		if got["origine"] != "Milano" || got["destinazione"] != "București" || got["valuta"] != "EUR" || got["aggiornatoIl"] != "2016-03-01T01:00:00Z" {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
}

func TestTooLittleData(t *testing.T) {
	w := get(t, serve(t, sheets{milbuh: sheet(3)}), "/v1/analisi?origine=Milano&destinazione=Bucarest")
	var got struct {
		Verdetto     map[string]any `json:"verdetto"`
		Osservazioni int            `json:"osservazioni"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s %v", w.Code, w.Body, err)
	}
	if diff := cmp.Diff(map[string]any{"livello": "dati-insufficienti", "campione": 3.0}, got.Verdetto); diff != "" || got.Osservazioni != 16 {
		t.Errorf("%s", w.Body)
	}
}

func TestProblems(t *testing.T) {
	stale := sheet(40)
	stale.AsOf -= 30
	h := serve(t, sheets{
		milbuh:                              sheet(40),
		{Origin: "MIL", Destination: "ROM"}: stale,
		{Origin: "MIL", Destination: "PAR"}: fmt.Errorf("read: %w", store.ErrUnavailable),
		{Origin: "MIL", Destination: "MAD"}: errors.New("secret internal text"),
		{Origin: "MIL", Destination: "BCN"}: []byte("not a sheet"),
	})
	long := strings.Repeat("a", 101)
	for _, c := range []struct {
		name, query string
		status      int
		code        string
		parameters  string // those named as faulty
		suggestion  string
	}{
		{"both missing", "", 400, "richiesta-non-valida", "origine destinazione", ""},
		{"one missing", "origine=Milano", 400, "richiesta-non-valida", "destinazione", ""},
		{"empty", "origine=&destinazione=Bucarest", 400, "richiesta-non-valida", "origine", ""},
		{"blank", "origine=Milano&destinazione=%20%20", 400, "richiesta-non-valida", "destinazione", ""},
		{"over-long", "origine=" + long + "&destinazione=Bucarest", 400, "richiesta-non-valida", "origine", ""},
		{"100 runes are not over-long", "origine=" + strings.Repeat("%C3%A9", 100) + "&destinazione=Bucarest", 404, "citta-sconosciuta", "origine", ""},
		{"control character", "origine=Mil%00ano&destinazione=Bucarest", 400, "richiesta-non-valida", "origine", ""},
		{"line break", "origine=Milano&destinazione=Buca%0Arest", 400, "richiesta-non-valida", "destinazione", ""},
		{"invalid UTF-8", "origine=Mil%ffano&destinazione=Bucarest", 400, "richiesta-non-valida", "origine", ""},
		{"repeated", "origine=Milano&origine=Roma&destinazione=Bucarest", 400, "richiesta-non-valida", "origine", ""},
		{"repeated alike", "origine=Milano&destinazione=Bucarest&destinazione=Bucarest", 400, "richiesta-non-valida", "destinazione", ""},
		{"bad escape", "origine=Mil%zzano&destinazione=Bucarest", 400, "richiesta-non-valida", "", ""},
		{"same city", "origine=Milano&destinazione=Milan", 400, "stessa-citta", "destinazione", ""},
		{"unknown city", "origine=Milano&destinazione=Bukarestt", 404, "citta-sconosciuta", "destinazione", "Bukarest"},
		{"nothing like a city", "origine=qqqqqqqqqqqq&destinazione=Bucarest", 404, "citta-sconosciuta", "origine", ""},
		{"not covered", "origine=Bucarest&destinazione=Milano", 404, "rotta-non-coperta", "", ""},
		{"no live fare", "origine=Milano&destinazione=Roma", 404, "nessuna-tariffa", "", ""},
		{"storage is down", "origine=Milano&destinazione=Parigi", 503, "servizio-non-disponibile", "", ""},
		{"storage fails", "origine=Milano&destinazione=Madrid", 500, "errore-interno", "", ""},
		{"sheet is broken", "origine=Milano&destinazione=Barcellona", 500, "errore-interno", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := get(t, h, "/v1/analisi?"+c.query)
			var p httpapi.Problem
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
				t.Fatalf("%s: %v", w.Body, err)
			}
			var parameters []string
			for _, f := range p.Errors {
				parameters = append(parameters, f.Name)
			}
			if w.Code != c.status || p.Status != c.status || p.Code != c.code || strings.Join(parameters, " ") != c.parameters {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if w.Header().Get("Content-Type") != "application/problem+json" || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("headers %v", w.Header())
			}
			if c.suggestion != "" && !slices.Contains(p.Suggestions, c.suggestion) {
				t.Errorf("suggestions %q lack %s", p.Suggestions, c.suggestion)
			}
			if strings.Contains(w.Body.String(), "internal text") || strings.Contains(w.Body.String(), "not known") {
				t.Errorf("internal text is told: %s", w.Body)
			}
			if p.Detail == "" || p.Title == "" || p.Type == "" {
				t.Errorf("incomplete: %s", w.Body)
			}
		})
	}
}
