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
	cents, percentile, season, amount, change := fare.Cents(5000), 7, true, int64(5000), 2.5
	known := verdict.Analysis{Origine: "Milano", Destinazione: "Bucarest", Valuta: "EUR", AggiornatoIl: at,
		Quartili: &verdict.Quartili{}}
	known.Verdetto = verdict.Verdetto{Livello: verdict.Buono, Percentile: &percentile, MedianaCent: &cents,
		ScartoMedianaCent: new(fare.Cents), Affidabilita: verdict.Bassa, Stagionale: &season}
	month := known
	month.Ambito, month.Previsione = verdict.InMese,
		[]verdict.Previsione{{Giorni: 7}, {Giorni: 14, Conviene: true}}
	destination := view.Destination{Destination: "LON", City: "London", Level: verdict.Buono, Certainty: verdict.Alta,
		MedianCents: &amount, ChangePercent: &change,
		Cheapest: &view.Fare{AmountCents: amount, Departure: "2016-05-10"}}
	city := func(name string) published.Citta { return published.Citta{Nome: name} }
	for name, said := range map[string]string{
		"verdict": s.verdict(known, answer.Question{}, fare.DayOf(at)),
		"no verdict": s.verdict(verdict.Analysis{Origine: "Milano", Destinazione: "Bucarest", AggiornatoIl: at,
			Raccolta: &verdict.Raccolta{}}, answer.Question{}, 0),
		"a month": s.verdict(month, answer.Question{When: &answer.When{}}, fare.DayOf(at)),
		"no departure": s.verdict(verdict.Analysis{Origine: "Milano", Destinazione: "Bucarest",
			Ambito: verdict.InPartenza, AggiornatoIl: at}, answer.Question{}, 0),
		"months and window": s.months(verdict.Analysis{Ambito: verdict.Rotta, Valuta: "EUR",
			MesiPerConvenienza:  []verdict.Mese{{Mese: 5}, {Mese: 6}},
			AnticipoConsigliato: &verdict.Anticipo{RisparmioCent: &cents}}),
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
		"calendar": s.calendar(verdict.Calendario{Origine: "Milano", Destinazione: "Bucarest",
			Valuta: "EUR", AggiornatoIl: at,
			Giorni: []verdict.Giorno{{Partenza: "2016-04-20", Cent: &cents, Livello: verdict.Buono,
				Percentile: &percentile, Affidabilita: verdict.Alta}},
			Mesi: []verdict.MeseInCalendario{{Mese: "2016-04", MinimoCent: cents, MedianaCent: &cents,
				Livello: verdict.Caro, Percentile: &percentile, Affidabilita: verdict.Alta}}}, 9),
		"calendar of nothing that is known": s.calendar(verdict.Calendario{Origine: "Milano", Destinazione: "Bucarest",
			Giorni: []verdict.Giorno{{Livello: verdict.Insufficient}}, AggiornatoIl: at}, 1),
		"deals": s.deals(published.Occasioni{Origine: "Milano", Valuta: "EUR", Occasioni: []published.Occasione{
			{Destinazione: "Bucarest", Verdetto: known.Verdetto, Prezzo: verdict.Prezzo{EtaOre: &percentile}},
			{Destinazione: "London", Verdetto: verdict.Verdetto{Livello: verdict.Insufficient}}}}, 2, 9),
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
		"places":   s.places(nil, originOf("Bergamo"), destinationOf("Bucarest")),
		"comparison": s.comparison(published.Confronto{Chiesti: 3, Contati: 2, Migliori: []int{0},
			PiuEconomici: []int{0}, Viaggi: []published.Viaggio{
				{Analisi: &known}, {Problema: &published.ProblemaViaggio{}}, {Problema: &published.ProblemaViaggio{}}}},
			[]string{"Bucarest", "London", "Milano"}),
		"not covered": s.notCovered(&view.NotCovered{Origin: "MIL", Destination: "BUH"}),
	} {
		t.Run(name, func(t *testing.T) { i18ntest.Text(t, said) })
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
