package wording_test

import (
	"strings"
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

// TestNobodyIsToldToWait: in every language, the advice to wait needs evidence on the record, and
// states how often waiting went wrong.
func TestNobodyIsToldToWait(t *testing.T) {
	lead, week := 40, 7
	of := func(pays ...bool) (a verdict.Analysis) {
		a.AnticipoGiorni = &lead
		for i, p := range pays {
			a.Previsione = append(a.Previsione,
				verdict.Previsione{Giorni: 7 * (i + 1), Calo5: .3,
					Attesa: verdict.Attesa{MediaCent: -500, PiuCaro: .37}, Conviene: p})
		}
		return a
	}
	for _, l := range i18n.Languages() {
		no, soon := l.Text("waits.no"), l.Text("waits.soon")
		for _, c := range []struct {
			name  string
			given verdict.Analysis
			says  string
			lines int
		}{
			{"no certain departure", verdict.Analysis{}, "", 0},
			{"within a week", verdict.Analysis{AnticipoGiorni: &week}, soon, 1},
			{"no outcomes yet", of(), "", 0},
			{"never paid", of(false, false), no, 3},
			{"one horizon", of(false), no, 2},
			{"the longer one paid", of(false, true),
				l.Text("waits.yes", "Days", 14, "Change", l.Money(500), "Dearer", 37), 3},
			{"the shorter one paid", of(true, false),
				l.Text("waits.yes", "Days", 7, "Change", l.Money(500), "Dearer", 37), 3},
		} {
			got := wording.Waits(l, c.given)
			if len(got) != c.lines || wording.Advice(l, c.given) != c.says {
				t.Errorf("%s, %s: %q", l.Code, c.name, got)
			}
			if c.lines > 1 && (got[0] != c.says || !strings.Contains(got[1], wording.Percent(l, .3))) {
				t.Errorf("%s, %s: %q", l.Code, c.name, got)
			}
		}
	}
}

// TestCompared: each comparison has its own sentence, with the number of fares.
func TestCompared(t *testing.T) {
	for confronto, want := range map[string]string{
		verdict.DiOggi:   "Compared with 17 other days on sale now.",
		verdict.Storia:   "Compared with 17 fares seen on this route.",
		verdict.Entrambe: "Compared with 17 fares: those seen on this route, and other days on sale now.",
	} {
		if got := wording.Compared(i18n.English(), verdict.Verdetto{Confronto: confronto, Campione: 17}); got != want {
			t.Errorf("%s: %q, want %q", confronto, got, want)
		}
	}
}

func TestSentences(t *testing.T) {
	l := i18n.English()
	typical := func(scope string, low, high fare.Cents) string {
		return wording.Typical(l, verdict.Analysis{Ambito: scope,
			Quartili: &verdict.Quartili{Q1Cent: low, Q3Cent: high}})
	}
	for got, want := range map[string]string{
		typical(verdict.InPartenza, 4049, 6451): "Comparable departures usually cost " +
			"between €40 and €65 this far ahead.",
		typical(verdict.InPartenza, 3990, 4010): "Comparable departures usually cost " +
			"about €40 this far ahead.",
		typical(verdict.InMese, 4000, 6500): "The lowest fare of a month is usually between €40 " +
			"and €65 this far ahead.",
		typical(verdict.InMese, 4000, 4000): "The lowest fare of a month is usually about €40 this far ahead.",
		wording.Comparables(l, 1):           "Hardly a comparable fare was lower.",
		wording.Comparables(l, 2):           "Of 100 comparable fares, about 2 were lower.",
		wording.Comparables(l, 99):          "Hardly a comparable fare was higher.",
		wording.Percent(l, .004):            "<1%",
		wording.Percent(l, 0):               "0%",
		wording.Change(l, 310):              "€3.10 more",
		wording.Change(l, -300):             "€3 less",
		wording.Change(l, 0):                "the same",
		wording.Fall(l, verdict.Previsione{Calo5: .4, Calo5Oltre: true}): "40% or more",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
