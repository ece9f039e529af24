package analisi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/analisi/analisitest"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

// Rounding may shift an amount by 1 cent. The verdict, and the price as the source quoted it, do
// not change.
func TestCurrency(t *testing.T) {
	h, _ := counting()
	const route = "origine=Milano&destinazione=Bucarest"
	for _, c := range []struct {
		name, target string
		// amount returns an amount, its currency, and the part of the answer that the conversion
		// must not change.
		amount func(body []byte) (fare.Cents, string, string)
	}{
		{"a verdict", "/v1/analisi?" + route, func(b []byte) (fare.Cents, string, string) {
			a := decoded[verdict.Analysis](t, b)
			return a.Prezzo.Cent, a.Valuta + a.Prezzo.Valuta, a.Verdetto.Livello + a.Prezzo.Quotato.Valuta
		}},
		{"a price in the currency", "/v1/analisi?" + route + "&prezzo=40", func(b []byte) (fare.Cents, string, string) {
			a := decoded[verdict.Analysis](t, b)
			return *a.Verdetto.MedianaCent, a.Valuta + a.Prezzo.Valuta, ""
		}},
		{"a departure", "/v1/analisi?" + route + "&partenza=2016-04-09", func(b []byte) (fare.Cents, string, string) {
			a := decoded[verdict.Analysis](t, b)
			return a.Quartili.MedianaCent, a.Valuta + a.Prezzo.Valuta, a.Verdetto.Livello
		}},
		{"a calendar", "/v1/calendario?" + route, func(b []byte) (fare.Cents, string, string) {
			a := decoded[verdict.Calendario](t, b)
			return *a.Giorni[3].Cent, a.Valuta + a.Valuta, a.Giorni[3].Livello + a.Giorni[3].Quotato.Valuta
		}},
		{"deals", "/v1/occasioni?origine=Milano", func(b []byte) (fare.Cents, string, string) {
			a := decoded[published.Occasioni](t, b)
			return a.Occasioni[0].Prezzo.Cent, a.Valuta + a.Occasioni[0].Prezzo.Valuta, a.Occasioni[0].Verdetto.Livello
		}},
		{"a history", "/v1/storico?" + route + "&partenza=2016-03-26", func(b []byte) (fare.Cents, string, string) {
			a := decoded[published.Storico](t, b)
			return a.Partenza.Giorni[0].Cent, a.Valuta + a.Valuta, a.Partenza.Giorni[0].Giorno
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			euro, _, stays := c.amount(analisitest.Get(t, h, c.target).Body.Bytes())
			for currency, rate := range map[string]float64{"EUR": 1, "usd": 1.25, "RON": 5} {
				w := analisitest.Get(t, h, c.target+"&valuta="+currency)
				if w.Code != 200 {
					t.Fatalf("%s: %d %s", currency, w.Code, w.Body)
				}
				amount, in, same := c.amount(w.Body.Bytes())
				want := fare.Cents(float64(euro)*rate + .5)
				if amount != want || in != strings.Repeat(strings.ToUpper(currency), 2) || same != stays {
					t.Errorf("%s: %d in %s and %s, want %d and %s", currency, amount, in, same, want, stays)
				}
			}
			w := analisitest.Get(t, h, c.target+"&valuta=XAU")
			p := decoded[httpapi.Problem](t, w.Body.Bytes())
			if w.Code != 400 || p.Code != "valuta-sconosciuta" || strings.Join(p.Suggestions, " ") != "EUR HRK RON USD" ||
				p.Errors[0].Name != "valuta" {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if w := analisitest.Get(t, h, c.target+"&valuta=EU"); w.Code != 400 ||
				!strings.Contains(w.Body.String(), malformed) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	// massimo is in the requested currency. The fare to LON is 19.99 euros, or 24.99 dollars; the
	// next costs 25 euros.
	if o := decoded[published.Occasioni](t, analisitest.Get(t, h,
		"/v1/occasioni?origine=Milano&massimo=25&valuta=USD").Body.Bytes()); len(o.Occasioni) != 1 ||
		o.Occasioni[0].Prezzo.Cent != 2499 {
		t.Errorf("up to 25 dollars: %+v", o)
	}
}

func decoded[T any](t *testing.T, body []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%v: %.300s", err, body)
	}
	return v
}

func TestPlaces(t *testing.T) {
	h, _ := counting()
	milan := verdict.Luogo{Estremo: "origine", Chiesto: "Milano", Citta: "Milano", Iata: "MIL",
		Aeroporti: []string{"MXP", "LIN", "BGY"}, Paese: "IT", Stato: "Lombardy",
		Nota: "Fares are for all Milan airports (MXP, LIN, BGY)."}
	asked := func(what string) verdict.Luogo {
		l := milan
		l.Chiesto = what
		return l
	}
	for _, c := range []struct {
		origin, called string
		want           verdict.Luogo
	}{
		{"Milan", "Milan", func() verdict.Luogo { l := milan; l.Chiesto = "Milan"; return l }()},
		{"mil", "Milano", milan},
		{"bergamo", "Bergamo", asked("Bergamo")},
		{"bgy", "Milano", asked("BGY")},
	} {
		for _, path := range []string{"/v1/analisi?destinazione=Bucarest&",
			"/v1/analisi?destinazione=Bucarest&partenza=2016-04-09&", "/v1/calendario?destinazione=Bucarest&",
			"/v1/storico?destinazione=Bucarest&", "/v1/occasioni?"} {
			got := decoded[struct {
				Origine, OrigineIata string
				Luoghi               []verdict.Luogo
			}](t, analisitest.Get(t, h, path+"origine="+c.origin).Body.Bytes())
			if got.Origine != c.called || got.OrigineIata != "MIL" || len(got.Luoghi) == 0 {
				t.Errorf("%s of %s: %+v", path, c.origin, got)
				continue
			}
			if diff := cmp.Diff(c.want, got.Luoghi[0]); diff != "" {
				t.Errorf("%s of %s: %s", path, c.origin, diff)
			}
		}
	}
}

// The amount is not rounded twice.
func TestOwnPriceAsTyped(t *testing.T) {
	h, _ := counting()
	for query, want := range map[string]verdict.Prezzo{
		"prezzo=48.62&valuta=USD":      {Cent: 4862, Quotato: verdict.Quotato{Importo: 48.62, Valuta: "USD"}},
		"prezzo=$50":                   {Cent: 4000, Quotato: verdict.Quotato{Importo: 50, Valuta: "USD"}},
		"prezzo=50+USD&valuta=RON":     {Cent: 20000, Quotato: verdict.Quotato{Importo: 50, Valuta: "USD"}},
		"prezzo=1.234,50+%E2%82%AC":    {Cent: 123450, Quotato: verdict.Quotato{Importo: 1234.5, Valuta: "EUR"}},
		"prezzo=1,234.50":              {Cent: 123450, Quotato: verdict.Quotato{Importo: 1234.5, Valuta: "EUR"}},
		"price=48.62+usd&currency=USD": {Cent: 4862, Quotato: verdict.Quotato{Importo: 48.62, Valuta: "USD"}},
	} {
		w := analisitest.Get(t, h, "/v1/analisi?origine=Milano&destinazione=Bucarest&"+query)
		got := decoded[verdict.Analysis](t, w.Body.Bytes()).Prezzo
		if got.Cent != want.Cent || got.Quotato != want.Quotato {
			t.Errorf("%s: %d, %d %v, want %d %v", query, w.Code, got.Cent, got.Quotato, want.Cent, want.Quotato)
		}
	}
}
