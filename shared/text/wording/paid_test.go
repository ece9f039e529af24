package wording_test

import (
	"testing"

	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

// TestPaid: what passengers paid is said in every language, for one month, for months of one year
// and of two years. Whole amounts are rounded.
func TestPaid(t *testing.T) {
	for _, c := range []struct{ language, from, to, want string }{
		{"en", "2026-01", "2026-03", "Passengers paid 1,285\u00a0BRL on average for one-way tickets sold from January to March 2026 (source: ANAC)."},
		{"en", "2026-03", "2026-03", "Passengers paid 1,285\u00a0BRL on average for one-way tickets sold in March 2026 (source: ANAC)."},
		{"en", "2025-11", "2026-01", "Passengers paid 1,285\u00a0BRL on average for one-way tickets sold from November 2025 to January 2026 (source: ANAC)."},
		{"it", "2026-01", "2026-03", "I passeggeri hanno pagato in media 1.285\u00a0BRL per biglietti di sola andata venduti tra gennaio e marzo 2026 (fonte: ANAC)."},
		{"it", "2026-03", "2026-03", "I passeggeri hanno pagato in media 1.285\u00a0BRL per biglietti di sola andata venduti nel mese di marzo 2026 (fonte: ANAC)."},
		{"de", "2026-01", "2026-03", "Passagiere zahlten im Durchschnitt 1.285\u00a0BRL für Flüge in eine Richtung, verkauft von Januar bis März 2026 (Quelle: ANAC)."},
		{"de", "2026-03", "2026-03", "Passagiere zahlten im Durchschnitt 1.285\u00a0BRL für Flüge in eine Richtung, verkauft im März 2026 (Quelle: ANAC)."},
		{"fr", "2026-01", "2026-03", "Les passagers ont payé en moyenne 1\u202f285\u00a0BRL pour des allers simples vendus entre janvier et mars 2026 (source\u00a0: ANAC)."},
		{"fr", "2026-04", "2026-04", "Les passagers ont payé en moyenne 1\u202f285\u00a0BRL pour des allers simples vendus en avril 2026 (source\u00a0: ANAC)."},
		{"es", "2025-11", "2026-01", "Los pasajeros pagaron de media 1285\u00a0BRL por billetes solo de ida vendidos entre noviembre de 2025 y enero de 2026 (fuente: ANAC)."},
		{"pt", "2026-01", "2026-03", "Os passageiros pagaram em média 1285\u00a0BRL por bilhetes só de ida vendidos entre janeiro e março de 2026 (fonte: ANAC)."},
	} {
		v := wording.Verdict{Language: i18n.ForCode(c.language), Of: verdict.Analysis{Riferimento: &verdict.Riferimento{
			Fonte: "anac", Dal: c.from, Al: c.to, Media: verdict.MediaPagata{Cent: 128_450, Valuta: "BRL"}, Posti: 9}}}
		if got := v.Paid(); got != c.want {
			t.Errorf("%s %s to %s: %q, want %q", c.language, c.from, c.to, got, c.want)
		}
	}
	if got := (wording.Verdict{Language: i18n.English()}).Paid(); got != "" {
		t.Errorf("without a record: %q", got)
	}
}
