package agents

import (
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/answer/view"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/i18n/i18ntest"
	"verdetto/shared/verdict"
)

func TestSentencesOfALanguage(t *testing.T) {
	s := sentences{i18ntest.Toy(t)}
	at := time.Date(2016, 3, 1, 12, 0, 0, 0, time.UTC)
	cents, percentile, amount, change := fare.Cents(5000), 7, int64(5000), 2.5
	known := verdict.Judgement{Scope: verdict.OfRoute, At: at, Newest: at, Quartiles: &verdict.Quartiles{},
		Judged: verdict.Judged{Fare: verdict.Live{Price: cents}, Verdict: verdict.Verdict{Level: verdict.Good, Median: cents,
			Reliability: verdict.LowReliability}}}
	month, listed := known, published.Analysis{Valuta: "EUR", Verdetto: published.Verdetto{Livello: string(verdict.Good),
		Percentile: &percentile, MedianaCent: &cents, Affidabilita: string(verdict.LowReliability)}}
	month.Scope, month.Forecasts = verdict.OfMonth,
		[]verdict.Forecast{{Fall: verdict.Fall{Days: 7}}, {Fall: verdict.Fall{Days: 14}, Pays: true}}
	destination := view.Destination{Destination: "LON", City: "London", Level: string(verdict.Good),
		Certainty:   string(verdict.HighReliability),
		MedianCents: &amount, ChangePercent: &change,
		Cheapest: &view.Fare{AmountCents: amount, Departure: "2016-05-10"}}
	route := s.route("Milano", "Bucarest")
	city := func(name string) published.Citta { return published.Citta{Nome: name} }
	for name, text := range map[string]string{
		"verdict": s.verdict(known, route, "EUR", answer.Question{}),
		"no verdict": s.verdict(verdict.Judgement{Scope: verdict.OfRoute, Newest: at, Collection: &verdict.Collection{}},
			route, "EUR", answer.Question{}),
		"a month": s.verdict(month, route, "EUR", answer.Question{When: &answer.When{}}),
		"no departure": s.verdict(verdict.Judgement{Scope: verdict.OfDeparture, Newest: at}, route, "EUR",
			answer.Question{}),
		"months and window": s.months(verdict.Judgement{Scope: verdict.OfRoute, Months: []verdict.Month{{Month: 5}, {Month: 6}},
			Window: &verdict.Window{Saving: cents}}, "EUR"),
		"routes": s.routes(published.Routes{Rotte: []published.Rotta{{Origine: city("Milano"),
			Destinazione: city("Bucarest")}, {Origine: city("Milano"), Destinazione: city("London")}},
			Successiva: "MIL"}),
		"no routes": s.routes(published.Routes{}),
		"trends": s.trends(view.Trends{City: "Milano", Origin: "MIL", Currency: "EUR", UpdatedAt: &at,
			Destinations: []view.Destination{destination, {Destination: "LON", City: "London"}}}, 4, 9),
		"all the trends": s.trends(view.Trends{City: "Milano", Origin: "MIL", Currency: "EUR",
			Destinations: []view.Destination{destination}}, 0, 1),
		"no trends": s.trends(view.Trends{City: "Milano", Origin: "MIL"}, 0, 0),
		"trend": s.trends(view.Trends{City: "Milano", Origin: "MIL", Currency: "EUR",
			Destinations: []view.Destination{destination}, WeeklyLows: []view.WeeklyLow{{}}}, 0, 1),
		"calendar": s.calendar(published.Calendario{Origine: "Milano", Destinazione: "Bucarest",
			Valuta: "EUR", AggiornatoIl: at,
			Giorni: []published.Giorno{{Partenza: "2016-04-20", Cent: &cents, Livello: "buono"}},
			Mesi:   []published.MeseInCalendario{{Mese: "2016-04", MinimoCent: cents, MedianaCent: &cents, Livello: "caro"}}}, 9),
		"calendar of nothing that is known": s.calendar(published.Calendario{Origine: "Milano", Destinazione: "Bucarest",
			Giorni: []published.Giorno{{Livello: string(verdict.Unjudged)}}, AggiornatoIl: at}, 1),
		"deals": s.deals(published.Occasioni{Origine: "Milano", Valuta: "EUR", Occasioni: []published.Occasione{
			{Destinazione: "Bucarest", Verdetto: listed.Verdetto, Prezzo: published.Prezzo{EtaOre: &percentile}},
			{Destinazione: "London", Verdetto: published.Verdetto{Livello: string(verdict.Unjudged)}}}}, 2, 9),
		"no deals": s.deals(published.Occasioni{Origine: "Milano"}, 0, 0),
		"past":     s.past(published.Storico{Origine: "Milano", Destinazione: "Bucarest", AggiornatoIl: at}),
		"past departure": s.past(published.Storico{Origine: "Milano", Destinazione: "Bucarest", Valuta: "EUR",
			AggiornatoIl: at, Partenza: &published.Movimento{Partenza: "2016-04-20",
				Giorni: []published.Visto{{Giorno: "2016-02-20", Cent: 1}}}}),
		"past of a month": s.past(published.Storico{Origine: "Milano", Destinazione: "Bucarest", Valuta: "EUR",
			AggiornatoIl: at, Mese: &published.DelMese{Mese: "2016-04",
				Settimane: []published.Settimana{{Settimana: "2016-W09"}}}}),
		"past of nothing": s.past(published.Storico{Origine: "Milano", Destinazione: "Bucarest", AggiornatoIl: at,
			Partenza: &published.Movimento{Partenza: "2016-04-20"}}),
		"pages":    s.pages(Verdict{Pagina: "Milano", Avviso: "Bucarest"}, fare.DayOf(at), true),
		"no alert": s.pages(Verdict{Pagina: "Milano"}, fare.DayOf(at), true),
		"places":   s.places(verdict.Pair{}, originOf("Bergamo"), destinationOf("Bucarest")),
		"comparison": s.comparison(published.Confronto{Chiesti: 3, Contati: 2, Migliori: []int{0},
			PiuEconomici: []int{0}, Viaggi: []published.Viaggio{
				{Analisi: &listed}, {Problema: &published.ProblemaViaggio{}}, {Problema: &published.ProblemaViaggio{}}}},
			[]string{"Bucarest", "London", "Milano"}),
	} {
		t.Run(name, func(t *testing.T) { i18ntest.Text(t, text) })
	}
}

func TestLanguagesAreListed(t *testing.T) {
	doc := descriptions.Arguments["language"]
	words := strings.FieldsFunc(doc, func(r rune) bool { return strings.ContainsRune(" ,:.", r) })
	for _, code := range i18n.Codes() {
		if code != i18ntest.Toy(t).Code && !slices.Contains(words, code) {
			t.Errorf("%q lacks %s", doc, code)
		}
	}
}
