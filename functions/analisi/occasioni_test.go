package analisi_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/analisi/analisitest"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/web/httpapi"
)

func dealing(d *analisitest.DealsOfMilan, now func() time.Time) (*httpapi.API, *analisitest.Requests) {
	wanted := &analisitest.Requests{}
	return analisitest.Site{Coverage: d, Demand: wanted, Now: now, BaseURL: "https://verdetto.example"}.Open(), wanted
}

func TestCheapNow(t *testing.T) {
	back := analisitest.Deal(verdict.Buono, 20, fare.DayOf(analisitest.Today)+10, 6999, 9000, fare.NonStop, 3)
	back.Fare.Nights = 6
	returns := deals.Entry{Destination: "MAD", AsOf: fare.DayOf(analisitest.Today), Observations: 90,
		Any: deals.Fares{Route: []deals.Deal{back}}}
	all := analisitest.Entries()
	all[0].Any.Months[0].Fare.Price = 3900 // a lower fare to BUH
	h, wanted := dealing(&analisitest.DealsOfMilan{Has: deals.Origin{}.Merge(all),
		Returns: deals.Origin{}.Merge([]deals.Entry{returns})}, nil)
	for _, c := range []struct {
		name, query string
		status      int
		code        string
		want        string // destinations, the best first
		lower       string // the destination with a lower known fare
	}{
		{"all", "origine=Milano", 200, "", "LON MAD BUH PAR ROM", "BUH"},
		{"good ones", "origine=Milano&livello=ottimo,buono", 200, "", "LON MAD BUH", "BUH"},
		{"one level", "origine=MIL&livello=dati-insufficienti", 200, "", "ROM", ""},
		{"up to", "origine=Milano&massimo=25", 200, "", "LON MAD ROM", ""},
		{"up to a cent less", "origine=Milano&massimo=24.99", 200, "", "LON", ""},
		{"without stops", "origine=Milano&diretto=true", 200, "", "BUH", ""},
		{"a month", "origine=Milano&mese=2016-04", 200, "", "BUH", ""},
		{"a month with none", "origine=Milano&mese=2016-09", 200, "", "", ""},
		{"returns", "origine=Milano&notti=4-7", 200, "", "MAD", ""},
		{"returns that are too dear", "origine=Milano&notti=4-7&massimo=69.98", 200, "", "", ""},
		{"returns of a month", "origine=Milano&notti=4-7&mese=2016-04", 400, malformed, "", ""},
		{"returns without fares", "origine=Milano&notti=15%2B", 404, "rotta-non-coperta", "", ""},
		{"no amount", "origine=Milano&massimo=-5", 400, malformed, "", ""},
		{"no origin", "", 400, malformed, "", ""},
		{"an unknown city", "origine=Atlantide", 404, "citta-sconosciuta", "", ""},
		{"a city that is not covered", "origine=Vienna", 404, "rotta-non-coperta", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := analisitest.Get(t, h, "/v1/occasioni?"+c.query)
			var got struct {
				published.Occasioni
				Code string
			}
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != c.status || got.Code != c.code {
				t.Fatalf("%d %s %v", w.Code, w.Body, err)
			}
			var cities []string
			for _, o := range got.Occasioni.Occasioni {
				cities = append(cities, o.DestinazioneIata)
				if low := o.PrezzoPiuBasso; (low != nil) != (c.lower == o.DestinazioneIata) || low != nil && low.Cent >= o.Prezzo.Cent {
					t.Errorf("%s: a lower fare %+v of %+v", o.DestinazioneIata, low, o.Prezzo)
				}
			}
			if strings.Join(cities, " ") != c.want {
				t.Errorf("%v, want %s", cities, c.want)
			}
			if c.status == 200 && (w.Header().Get("Cache-Control") != "public, s-maxage=3600" ||
				w.Header().Get("ETag") == "" || got.OrigineIata != "MIL") {
				t.Errorf("%v %s", w.Header(), w.Body)
			}
		})
	}
	if diff := cmp.Diff([]fare.City{"VIE"}, wanted.Origins); diff != "" {
		t.Errorf("requested of the next refresh: %s", diff)
	}
	var got published.Occasioni
	if err := json.Unmarshal(analisitest.Get(t, h,
		"/v1/occasioni?origine=Milano&notti=4-7").Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if p := got.Occasioni[0].Prezzo; got.Notti != "4-7" || p.Cent != 6999 ||
		p.Ritorno != back.Fare.Depart.Time().AddDate(0, 0, 6).Format(time.DateOnly) {
		t.Errorf("%+v", got)
	}
	got = published.Occasioni{}
	if err := json.Unmarshal(analisitest.Get(t, h, "/v1/occasioni?origine=Milano").Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	// London's fare is 80 hours old, which lowers its reliability.
	first, last := got.Occasioni[0], got.Occasioni[4]
	if first.Destinazione != "Londra" || first.Verdetto.Affidabilita != verdict.Media || *first.Prezzo.EtaOre != 80 ||
		first.Prezzo.Cent != 1999 || *first.Verdetto.ScartoMedianaCent != -2501 {
		t.Errorf("%+v", first)
	}
	if last.Verdetto.Livello != verdict.Insufficient || last.Verdetto.Percentile != nil ||
		last.Verdetto.MedianaCent != nil || last.Verdetto.Affidabilita != "" {
		t.Errorf("too little data, and yet: %+v", last)
	}
	// Eight days later all fares are too old.
	later, _ := dealing(&analisitest.DealsOfMilan{Has: deals.Origin{}.Merge(analisitest.Entries())},
		func() time.Time { return analisitest.Today.AddDate(0, 0, 8) })
	if w := analisitest.Get(t, later, "/v1/occasioni?origine=Milano"); w.Code != 200 ||
		!strings.Contains(w.Body.String(), `"occasioni":[]`) || strings.Contains(w.Body.String(), "aggiornatoIl") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	down, _ := dealing(&analisitest.DealsOfMilan{Err: store.ErrUnavailable}, nil)
	if w := analisitest.Get(t, down, "/v1/occasioni?origine=Milano"); w.Code != 503 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
