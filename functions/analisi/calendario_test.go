package analisi_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"verdetto/functions/analisi/analisitest"
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

// calendars covers two routes. Only one has recorded departures.
func calendars(hideFares bool) *httpapi.API {
	s := analisitest.OfMilBuh()
	s.HideFares = hideFares
	s.Summaries[fare.Route{Origin: "MIL", Destination: "PAR"}] = analisitest.SummaryOf(40)
	return s.Open()
}

func TestCalendar(t *testing.T) {
	h := calendars(false)
	for _, c := range []struct {
		name, query string
		status      int
		code        string
		days        int
	}{
		{"all", "origine=Milano&destinazione=Bucarest", 200, "", 61},
		{"by code", "origine=MIL&destinazione=BUH", 200, "", 61},
		{"a month", "origine=Milano&destinazione=Bucarest&mese=2016-04", 200, "", 30},
		{"this month", "origine=Milano&destinazione=Bucarest&mese=2016-03", 200, "", 31},
		{"a month without fares", "origine=Milano&destinazione=Bucarest&mese=2016-09", 404, "nessuna-tariffa", 0},
		{"no departures", "origine=Milano&destinazione=Parigi", 404, "nessuna-tariffa", 0},
		{"not covered", "origine=Bucarest&destinazione=Milano", 404, "rotta-non-coperta", 0},
		{"the same city", "origine=Milano&destinazione=MXP", 400, "stessa-citta", 0},
		{"no city", "origine=Milano&destinazione=Atlantide", 404, "citta-sconosciuta", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := analisitest.Get(t, h, "/v1/calendario?"+c.query)
			var got struct {
				verdict.Calendario
				Code string
			}
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != c.status || got.Code != c.code ||
				len(got.Giorni) != c.days {
				t.Fatalf("%d %d days %.500s %v", w.Code, len(got.Giorni), w.Body, err)
			}
			if c.status != 200 {
				return
			}
			if w.Header().Get("Cache-Control") != "public, s-maxage=3600" || w.Header().Get("ETag") == "" {
				t.Errorf("%v", w.Header())
			}
			if g := got.Giorni[1]; g.Cent == nil || g.Percentile == nil || g.Livello == "" || *g.EtaOre != 11 ||
				g.Precisione != "istante" {
				t.Errorf("%+v", g)
			}
			again := httptest.NewRequest("GET", "/v1/calendario?"+c.query, nil)
			again.Header.Set("If-None-Match", w.Header().Get("ETag"))
			w = httptest.NewRecorder()
			if h.ServeHTTP(w, again); w.Code != 304 {
				t.Errorf("the same again: %d", w.Code)
			}
		})
	}
}

// If single fares may not be shown, the calendar has levels and months.
func TestCalendarOfFaresThatAreNotShown(t *testing.T) {
	w := analisitest.Get(t, calendars(true), "/v1/calendario?origine=Milano&destinazione=Bucarest")
	var got verdict.Calendario
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 ||
		len(got.Giorni) != 61 || len(got.Mesi) != 2 {
		t.Fatalf("%d %.400s %v", w.Code, w.Body, err)
	}
	days, _, _ := strings.Cut(w.Body.String(), `"mesi"`)
	for _, amount := range []string{`"cent"`, "quotato", "importo"} {
		if strings.Contains(days, amount) {
			t.Errorf("the days show %s: %.400s", amount, days)
		}
	}
	for _, g := range got.Giorni {
		if g.Livello == "" || g.Percentile == nil {
			t.Errorf("%+v", g)
		}
	}
}
