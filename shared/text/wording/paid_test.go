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
	sentences := map[string][2]string{
		"en": {"Passengers paid 1,285\u00a0BRL on average for one-way tickets sold ", " (source: ANAC)."},
		"it": {"I passeggeri hanno pagato in media 1.285\u00a0BRL " +
			"per biglietti di sola andata venduti ", " (fonte: ANAC)."},
		"de": {"Passagiere zahlten im Durchschnitt 1.285\u00a0BRL " +
			"für Flüge in eine Richtung, verkauft ", " (Quelle: ANAC)."},
		"fr": {"Les passagers ont payé en moyenne 1\u202f285\u00a0BRL " +
			"pour des allers simples vendus ", " (source\u00a0: ANAC)."},
		"es": {"Los pasajeros pagaron de media 1285\u00a0BRL por billetes solo de ida vendidos ", " (fuente: ANAC)."},
		"pt": {"Os passageiros pagaram em média 1285\u00a0BRL por bilhetes só de ida vendidos ", " (fonte: ANAC)."},
	}
	for _, c := range []struct{ language, from, to, months string }{
		{"en", "2026-01", "2026-03", "from January to March 2026"},
		{"en", "2026-03", "2026-03", "in March 2026"},
		{"en", "2025-11", "2026-01", "from November 2025 to January 2026"},
		{"it", "2026-01", "2026-03", "tra gennaio e marzo 2026"},
		{"it", "2026-03", "2026-03", "nel mese di marzo 2026"},
		{"de", "2026-01", "2026-03", "von Januar bis März 2026"},
		{"de", "2026-03", "2026-03", "im März 2026"},
		{"fr", "2026-01", "2026-03", "entre janvier et mars 2026"},
		{"fr", "2026-04", "2026-04", "en avril 2026"},
		{"es", "2025-11", "2026-01", "entre noviembre de 2025 y enero de 2026"},
		{"pt", "2026-01", "2026-03", "entre janeiro e março de 2026"},
	} {
		want := sentences[c.language][0] + c.months + sentences[c.language][1]
		v := wording.Verdict{Language: i18n.ForCode(c.language), Of: verdict.Analysis{Riferimento: &verdict.Riferimento{
			Fonte: "anac", Dal: c.from, Al: c.to, Media: verdict.MediaPagata{Cent: 128_450, Valuta: "BRL"}, Posti: 9}}}
		if got := v.Paid(); got != want {
			t.Errorf("%s %s to %s: %q, want %q", c.language, c.from, c.to, got, want)
		}
	}
	if got := (wording.Verdict{Language: i18n.English()}).Paid(); got != "" {
		t.Errorf("without a record: %q", got)
	}
}
