package wording_test

import (
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

// The sentences depend on the question. A sentence about a fare names its age, its weekday and the
// earlier fares of the same departure.
func TestVerdictInWords(t *testing.T) {
	today, err := fare.ParseDay("2016-03-01")
	if err != nil {
		t.Fatal(err)
	}
	found := (today - 3).Time().Add(time.Hour)
	percentile, difference := 8, fare.Cents(-812)
	base := verdict.Analysis{Ambito: verdict.InPartenza,
		Verdetto: verdict.Verdetto{Livello: verdict.Buono, Affidabilita: verdict.Alta, Percentile: &percentile,
			ScartoMedianaCent: &difference, Campione: 2506},
		Prezzo: verdict.Prezzo{Cent: 2199, Partenza: "2016-05-09", TrovatoIl: &found},
	}
	of := func(change func(*wording.Verdict)) wording.Verdict {
		v := wording.Verdict{Language: i18n.English(), Of: base, On: today + 69, Today: today}
		change(&v)
		return v
	}
	scope := func(ambito string) func(*wording.Verdict) {
		return func(v *wording.Verdict) { v.Of.Ambito = ambito }
	}
	stated := func(ambito string, known fare.Cents) func(*wording.Verdict) {
		return func(v *wording.Verdict) {
			v.Of.Ambito, v.Of.PrezzoNoto = ambito, &verdict.Prezzo{Cent: known, Partenza: "2016-05-09", TrovatoIl: &found}
			v.Of.Prezzo = verdict.Prezzo{Cent: 8899, Dichiarato: true,
				Quotato: verdict.Quotato{Importo: 88.99, Valuta: "EUR"}}
			lead := 69
			v.Of.AnticipoGiorni = &lead
		}
	}
	past := func(level string, cent fare.Cents) wording.Verdict {
		return of(func(v *wording.Verdict) {
			v.Of.Verdetto.Livello, v.Of.MinimoPartenza = level, &verdict.MinimoVisto{Cent: cent, Giorno: "2016-02-15"}
		})
	}
	days := func(lower, same int, interval *verdict.Intervallo) string {
		return of(func(v *wording.Verdict) {
			v.Of.Ambito = verdict.Rotta
			v.Of.Verdetto = verdict.Verdetto{GiorniInferiori: &lower, GiorniUguali: &same, Campione: 13, Dal: "2025-06-19",
				Intervallo: interval}
		}).Rank()
	}
	nearly, dearer := fare.Cents(-40), fare.Cents(1100)
	own := func(ambito string, usual fare.Cents) wording.Verdict {
		return of(func(v *wording.Verdict) { v.Of.Ambito, v.Of.SolitoPartenzaCent = ambito, &usual })
	}
	back := of(func(v *wording.Verdict) { v.Of.Prezzo.Ritorno = "2016-05-14" })
	for got, want := range map[string]string{
		of(scope(verdict.InPartenza)).Headline(): "Good: about €8 less than usual for Monday 9 May.",
		of(scope(verdict.InMese)).Headline():     "Good: about €8 less than usual for May 2016.",
		of(scope(verdict.Rotta)).Headline():      "Good: about €8 less than usual for this route.",
		of(func(v *wording.Verdict) {
			v.Around, v.Of.Verdetto.Affidabilita = true, verdict.Bassa
		}).Headline(): "Probably good: about €8 less than usual for these days.",
		of(func(v *wording.Verdict) {
			v.Of.Verdetto.Livello, v.Of.Verdetto.ScartoMedianaCent = verdict.Normale, &nearly
		}).Headline(): "Normal: about the usual price for Monday 9 May.",
		of(func(v *wording.Verdict) {
			v.Of.Verdetto.ScartoMedianaCent = &dearer // contradicts the level
		}).Headline(): "Good: about the usual price for Monday 9 May.",
		of(func(v *wording.Verdict) { v.Of.Verdetto.Percentile = nil }).Headline(): "We do not know yet.",
		of(scope(verdict.InPartenza)).Brief():                                      "€21.99: good",
		of(scope(verdict.InPartenza)).Fare():                                       "Lowest fare for Monday 9 May 2016: €21.99, seen 3 days ago.",
		of(scope(verdict.Rotta)).Fare(): "Lowest of the latest fares: " +
			"€21.99, for Monday 9 May 2016, seen 3 days ago.",
		of(stated(verdict.InPartenza, 4999)).Fare(): "Your price: €88.99.",
		of(stated(verdict.InPartenza, 4999)).Known(): "The lowest we know for Monday 9 May is €49.99, " +
			"seen 3 days ago: €39 less than yours.",
		of(stated(verdict.Rotta, 9899)).Known(): "The lowest we know for this route is " +
			"€98.99 (Monday 9 May 2016), seen 3 days ago: €10 more than yours.",
		of(stated(verdict.InPartenza, 8899)).Known(): "The lowest we know for Monday 9 May is €88.99, seen 3 days ago: " +
			"the same as yours.",
		own(verdict.Rotta, 2460).OwnDay():  "The usual fare for that day is about €25: this is €3 less.",
		own(verdict.InMese, 2210).OwnDay(): "The usual fare for that day is about €22: this is no different.",
		own(verdict.InMese, 1960).OwnDay(): "But the usual fare for that day alone is about €20: this is €2 more.",
		back.Headline():                    "Good: about €8 less than usual for Monday 9 May – Saturday 14 May.",
		past(verdict.Ottimo, 1799).Past():  "But the same departure was €17.99 on Monday 15 February 2016.",
		days(1, 0, nil):                    "Of 13 days since 19 June 2025, 1 had a lower fare.",
		days(1, 0, &verdict.Intervallo{Da: 3, A: 17}): "Of 13 days since 19 June 2025, 1 had a lower fare; " +
			"with the days we did not see, 3 to 17 of 100.",
		days(0, 0, nil): "None of the 13 days since 19 June 2025 had a lower fare.",
		days(0, 4, nil): "None of the 13 days since 19 June 2025 had a lower fare; 4 had the same.",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for name, got := range map[string]string{
		"a known fare beside the known fare": of(scope(verdict.Rotta)).Known(),
		"the past of a dear fare":            past(verdict.Caro, 1799).Past(),
		"a past that was hardly lower":       past(verdict.Ottimo, 2150).Past(),
		"the own day of a verdict about it":  own(verdict.InPartenza, 2460).OwnDay(),
		"waiting with a price of the reader": of(stated(verdict.InPartenza, 4999)).Waiting(),
	} {
		if got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestCompared(t *testing.T) {
	for confronto, want := range map[string]string{
		verdict.DiOggi:   "based on fares on sale now for 17 other days",
		verdict.Storia:   "based on 17 fares seen on this route",
		verdict.Entrambe: "based on 17 fares: those seen on this route and those on sale now for other days",
	} {
		if got := wording.Compared(i18n.English(), verdict.Verdetto{Confronto: confronto, Campione: 17}); got != want {
			t.Errorf("%s: %q, want %q", confronto, got, want)
		}
	}
}
