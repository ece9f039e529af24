package verdict

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
)

// Every amount is converted once, even if two fields share a pointer, and the original answer stays
// unchanged.
func TestShown(t *testing.T) {
	median, minimum, difference, percentile := fare.Cents(3333), fare.Cents(1001), fare.Cents(-1334), 7
	found := time.Date(2016, 3, 1, 0, 0, 0, 0, time.UTC)
	of := func(median, minimum, difference, cent, month, change fare.Cents, currency string) Analysis {
		return Analysis{
			Valuta: currency,
			Verdetto: Verdetto{Livello: Buono, Percentile: &percentile, MedianaCent: &median,
				MinimoCent: &minimum, ScartoMedianaCent: &difference},
			Prezzo:             Prezzo{Cent: cent, Valuta: currency, Quotato: Quotato{99.5, "RON"}, TrovatoIl: &found},
			MesiPerConvenienza: []Mese{{Mese: 3, MedianaCent: month, Campione: 9}},
			Quartili:           &Quartili{MinimoCent: minimum},
			Previsione:         []Previsione{{Giorni: 7, Attesa: Attesa{MediaCent: change}}},
		}
	}
	a := of(median, minimum, difference, 1999, 4000, -50, "EUR")
	a.Verdetto.MinimoCent, a.Quartili.MinimoCent = a.Verdetto.MedianaCent, 3333
	before := of(median, median, difference, 1999, 4000, -50, "EUR")
	half := func(c fare.Cents) fare.Cents { return (c + 1) / 2 }
	got := Convert(a, "USD", half)
	want := of(1667, 1667, 1000-1667, 1000, 2000, -24, "USD")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, a); diff != "" {
		t.Errorf("what was given is changed: %s", diff)
	}
	prices := []Giorno{{Partenza: "2016-04-20", Cent: &median, Quotato: &Quotato{33.33, "EUR"}},
		{Partenza: "2016-04-21"}}
	days := Convert(Calendario{Valuta: "EUR", Giorni: prices}, "USD", half)
	if days.Valuta != "USD" || *days.Giorni[0].Cent != 1667 || days.Giorni[0].Quotato.Valuta != "EUR" ||
		days.Giorni[1].Cent != nil || *prices[0].Cent != 3333 {
		t.Errorf("%+v", days)
	}
}
