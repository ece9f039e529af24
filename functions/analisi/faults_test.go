package analisi_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/analisi/analisitest"
	"verdetto/shared/published"
	"verdetto/shared/store"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

// A call answered with 400 does not count toward the quota.
func TestBadInput(t *testing.T) {
	const route, list = "origine=Milano&destinazione=Bucarest", "origine=Milano&destinazioni=Bucarest"
	paths := map[string]string{"analisi": route, "calendario": route, "storico": route, "vicini": route,
		"occasioni": "origine=Milano", "confronto": list}
	for _, c := range []struct {
		name      string
		query     string
		status    int
		code      string
		parameter string // the faulty one; empty: none
		says      string
		of        string // the paths that accept it
	}{
		{"a day that has been", "partenza=2016-02-29", 400, malformed, "partenza",
			"is past: today is 2016-03-01", "analisi storico vicini"},
		{"a day too far ahead", "partenza=2017-03-02", 400, malformed, "partenza",
			"send a day up to 2017-03-01", "analisi storico vicini"},
		{"no day of the calendar", "partenza=2017-02-29", 400, malformed, "partenza",
			"a day such as", "analisi storico vicini"},
		{"no day at all", "partenza=tomorrow", 400, malformed, "partenza", "a day such as", "analisi storico vicini"},
		{"a day that has been, of several", "partenze=2016-04-01,2016-02-29", 400, malformed, "partenze",
			"is past", "confronto"},
		{"no day, of several", "partenze=2016-04-01,", 400, malformed, "partenze", "days such as", "confronto"},
		{"a month that has been", "mese=2016-02", 400, malformed, "mese", "is past",
			"analisi calendario storico occasioni vicini"},
		{"a month too far ahead", "mese=2017-04", 400, malformed, "mese", "too far ahead",
			"analisi calendario storico occasioni vicini"},
		{"a month that is none", "mese=2016-13", 400, malformed, "mese", "a month such as",
			"analisi calendario storico occasioni vicini"},
		{"the month of nothing", "mese=2016-00", 400, malformed, "mese", "a month such as",
			"analisi calendario storico occasioni vicini"},
		{"a month that has been, of several", "mesi=2016-04,2016-02", 400, malformed, "mesi", "is past", "confronto"},
		{"days and months", "partenze=2016-04-01&mesi=2016-04", 400, malformed, "mesi",
			"send one of them", "confronto"},
		{"a day and a month", "partenza=2016-04-01&mese=2016-04", 400, malformed, "mese",
			"send one of them", "analisi storico vicini"},
		{"back before the departure", "partenza=2016-04-10&ritorno=2016-04-09", 400, malformed, "ritorno",
			"send a day after 2016-04-10", "analisi vicini"},
		{"back on the day", "partenza=2016-04-10&ritorno=2016-04-10", 400, malformed, "ritorno",
			"send a day after", "analisi vicini"},
		{"back too late", "partenza=2016-04-10&ritorno=2017-04-10", 400, malformed, "ritorno",
			"send a day up to", "analisi vicini"},
		{"back without a departure", "ritorno=2016-04-10", 400, malformed, "ritorno",
			"needs partenza", "analisi vicini"},
		{"nights that are none", "notti=5", 400, malformed, "notti", "1-3, 4-7, 8-14 or 15+",
			"analisi calendario storico occasioni confronto vicini"},
		{"days either side of nothing", "flessibile=3", 400, malformed, "flessibile", "needs partenza", "analisi"},
		{"a price of nothing", "prezzo=0", 400, malformed, "prezzo", "more than 0", "analisi"},
		{"an absurd price", "prezzo=999999999", 400, malformed, "prezzo", "at most 100,000 EUR", "analisi"},
		{"a negative price", "prezzo=-3", 400, malformed, "prezzo", "an amount such as", "analisi"},
		{"a price in words", "prezzo=cheap", 400, malformed, "prezzo", "an amount such as", "analisi"},
		{"a price in a currency without a rate", "prezzo=50+XAU", 400, "valuta-sconosciuta", "prezzo",
			"Choose one of: EUR, HRK, RON, USD", "analisi"},
		{"nothing at most", "massimo=0", 400, malformed, "massimo", "more than 0", "occasioni"},
		{"levels that are none", "livello=gratis", 400, malformed, "livello", "levels such as", "occasioni"},
		{"a currency without a rate", "valuta=XAU", 400, "valuta-sconosciuta", "valuta", "Choose one of: EUR, HRK, RON, USD",
			"analisi calendario storico occasioni confronto vicini"},
		{"a currency that is none", "valuta=euro", 400, malformed, "valuta", "three letters",
			"analisi calendario storico occasioni confronto vicini"},
		{"neither true nor false", "diretto=si", 400, malformed, "diretto", "",
			"analisi calendario storico occasioni confronto vicini"},
		{"given twice", "valuta=EUR&valuta=USD", 400, malformed, "valuta", "give it once",
			"analisi calendario storico occasioni confronto vicini"},
		{"non-stop where it is not known", "diretto=true", 404, "soste-sconosciute", "", "any number of stops",
			"analisi calendario storico vicini"},
		{"returns of which none was seen", "notti=8-14", 404, "rotta-non-coperta", "", "The next refresh asks for it",
			"analisi calendario storico vicini"},
	} {
		for name, query := range paths {
			if !slices.Contains(strings.Fields(c.of), name) {
				continue
			}
			t.Run(c.name+"/"+name, func(t *testing.T) {
				h, counter := counting()
				w := analisitest.Get(t, h, "/v1/"+name+"?"+query+"&"+c.query)
				p := decoded[httpapi.Problem](t, w.Body.Bytes())
				var parameter string
				said := p.Detail
				for _, e := range p.Errors {
					parameter, said = parameter+e.Name, said+" "+e.Detail
				}
				if w.Code != c.status || p.Code != c.code || parameter != c.parameter ||
					!strings.Contains(said, c.says) || w.Header().Get("Content-Type") != "application/problem+json" {
					t.Errorf("%d %s", w.Code, w.Body)
				}
				if (counter.counted > 0) != (c.status != 400) {
					t.Errorf("%d were counted", counter.counted)
				}
			})
		}
	}
}

type counter struct {
	limit.Counters
	counted, writes int64
}

func (c *counter) Take(_ context.Context, _ store.Key, n, most int64, _ time.Time) (int64, error) {
	if c.counted >= most {
		return 0, store.ErrLimit
	}
	c.counted, c.writes = c.counted+n, c.writes+1
	return c.counted, nil
}

func counting() (*httpapi.API, *counter) {
	c, s := &counter{}, analisitest.OfMilBuh()
	s.Counters, s.Coverage, s.BaseURL = c, &analisitest.DealsOfMilan{Has: deals.Origin{}.Merge(analisitest.Entries())},
		"https://verdetto.example"
	return s.Open(), c
}

// Each trip gets the answer of a call for it alone, in the same order. A call with n trips counts
// as n calls in one write. Each trip beyond the quota says so.
func TestSeveralTrips(t *testing.T) {
	h, c := counting()
	ask := func(query string) (published.Confronto, int) {
		t.Helper()
		w := analisitest.Get(t, h, "/v1/confronto?origine=Milano&"+query)
		return decoded[published.Confronto](t, w.Body.Bytes()), w.Code
	}
	of := func(c published.Confronto) (all []string) {
		for _, v := range c.Viaggi {
			what := v.Destinazione + " " + v.Partenza + v.Mese
			if v.Problema != nil {
				what += " " + v.Problema.Code
			}
			all = append(all, strings.Join(strings.Fields(what), " "))
		}
		return all
	}
	got, status := ask("destinazioni=Bucarest,%20Roma,Atlantide&partenze=2016-04-09,2016-04-10&valuta=usd")
	want := []string{"Bucarest 2016-04-09", "Bucarest 2016-04-10", "Roma 2016-04-09 rotta-non-coperta",
		"Roma 2016-04-10 rotta-non-coperta",
		"Atlantide 2016-04-09 citta-sconosciuta", "Atlantide 2016-04-10 citta-sconosciuta"}
	if diff := cmp.Diff(want, of(got)); diff != "" || status != 200 || got.Chiesti != 6 || got.Contati != 6 ||
		c.counted != 6 || c.writes != 1 {
		t.Fatalf("%d, %d counted in %d writes, %s", status, c.counted, c.writes, diff)
	}
	for i, day := range []string{"2016-04-09", "2016-04-10"} {
		alone := analisitest.Get(t, h, "/v1/analisi?origine=Milano&destinazione=Bucarest&valuta=usd&partenza="+day)
		if diff := cmp.Diff(alone.Body.String(), written(t, got.Viaggi[i].Analisi)+"\n"); diff != "" {
			t.Errorf("%s: %s", day, diff)
		}
	}
	cheap := func(i int) float64 { return float64(got.Viaggi[i].Analisi.Prezzo.Cent) }
	if len(got.Migliori) != 2 || len(got.PiuEconomici) != 2 ||
		cheap(got.PiuEconomici[0]) > cheap(got.PiuEconomici[1]) ||
		*got.Viaggi[got.Migliori[0]].Analisi.Verdetto.Percentile > *got.Viaggi[got.Migliori[1]].Analisi.Verdetto.Percentile {
		t.Errorf("%v %v", got.Migliori, got.PiuEconomici)
	}
	c.counted = 27 // of 30
	got, status = ask("destinazioni=Bucarest&mesi=2016-03,2016-04,2016-05,2016-06,2016-07")
	if diff := cmp.Diff([]string{"Bucarest 2016-03", "Bucarest 2016-04", "Bucarest 2016-05 nessuna-tariffa",
		"Bucarest 2016-06 troppe-richieste", "Bucarest 2016-07 troppe-richieste"}, of(got)); diff != "" ||
		status != 200 || got.Contati != 3 {
		t.Errorf("%d, %d of %d: %s", status, got.Contati, got.Chiesti, diff)
	}
	if w := analisitest.Get(t, h, "/v1/confronto?origine=Milano&destinazioni=Bucarest"); w.Code != 429 ||
		w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	for query, detail := range map[string]string{
		"destinazioni=a,b,c,d,e,f,g,h,i,j,k":                                              "11 trips",
		"destinazioni=Roma,Bucarest&mesi=2016-03,2016-04,2016-05,2016-06,2016-07,2016-08": "12 trips",
		"destinazioni=Roma,,Bucarest":                                                     "an empty name",
		"destinazioni=Roma,Milano":                                                        "stessa-citta",
	} {
		if w := analisitest.Get(t, h, "/v1/confronto?origine=Milano&"+query); w.Code != 400 ||
			!strings.Contains(w.Body.String(), detail) {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
}

func written(t *testing.T, v any) string {
	t.Helper()
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
