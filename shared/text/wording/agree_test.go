package wording_test

import (
	"strings"
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

// A level never contradicts the amounts next to it. An expensive fare inside the usual range is
// explained. A small difference is stated as small, not as none. The comparison with the fare's own
// day says "but" if it points the other way.
func TestLevelAgreesWithEuros(t *testing.T) {
	percentile := 72
	of := func(ambito, level string, price, median, q1, q3 fare.Cents) wording.Verdict {
		difference := price - median
		return wording.Verdict{Language: i18n.English(), Of: verdict.Analysis{Ambito: ambito,
			Verdetto: verdict.Verdetto{Livello: level, Percentile: &percentile, ScartoMedianaCent: &difference},
			Quartili: &verdict.Quartili{Q1Cent: q1, MedianaCent: median, Q3Cent: q3},
			Prezzo:   verdict.Prezzo{Cent: price, Partenza: "2016-05-09"}}}
	}
	for _, c := range []struct {
		name              string
		of                wording.Verdict
		headline, typical string
	}{
		{"at the upper end", of(verdict.Rotta, verdict.Caro, 1699, 1499, 1499, 1699),
			"Rather expensive, but still within the usual range: about €2 more than usual for this route.",
			"On this route the lowest fare is usually between €15 and €17; this fare is at the upper end."},
		{"above the range", of(verdict.Rotta, verdict.Caro, 1799, 1499, 1499, 1699),
			"Expensive: about €3 more than usual for this route.",
			"On this route the lowest fare is usually between €15 and €17."},
		{"a range of one amount", of(verdict.Rotta, verdict.Caro, 1539, 1499, 1480, 1520),
			"Rather expensive, but still within the usual range: a little more than usual for this route.",
			"On this route the lowest fare is usually about €15, often a little less than this fare."},
		{"cheap in the range", of(verdict.Rotta, verdict.Buono, 1550, 1899, 1499, 1899),
			"Good: about €3 less than usual for this route.",
			"On this route the lowest fare is usually between €15 and €19."},
		{"a little cheaper", of(verdict.Rotta, verdict.Buono, 1460, 1499, 1499, 1699),
			"Good: a little less than usual for this route.",
			"On this route the lowest fare is usually between €15 and €17."},
	} {
		if got := c.of.Headline(); got != c.headline {
			t.Errorf("%s: %q", c.name, got)
		}
		if got := c.of.Typical(); got != c.typical {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	dear := of(verdict.Rotta, verdict.Caro, 1799, 1499, 1499, 1699)
	for usual, but := range map[fare.Cents]bool{2010: true, 1500: false, 1799: false} {
		dear.Of.SolitoPartenzaCent = &usual
		if got := dear.OwnDay(); strings.HasPrefix(got, "But ") != but {
			t.Errorf("usual %d: %q", usual, got)
		}
	}
	if got := dear.Lower(); got != "" {
		t.Errorf("without a lower fare: %q", got)
	}
	dear.Of.PrezzoPiuBasso = &verdict.Prezzo{Cent: 1299, Partenza: "2016-05-20"}
	for _, l := range i18n.Languages() {
		dear.Language = l
		if got := dear.Lower(); !strings.Contains(got, l.Money(1299)) || !strings.Contains(got, "20") {
			t.Errorf("%s: %q", l.Code, got)
		}
	}
	median := fare.Cents(1499)
	dear.Language, dear.Of.Verdetto.MedianaCent = i18n.English(), &median
	if got := dear.Headline(); got != "Latest fare – expensive: about €3 more than usual for this route." {
		t.Error(got)
	}
	if got := dear.Lower(); !strings.HasSuffix(got, ", about €2 less than usual for this route.") {
		t.Error(got)
	}
	ofDay := fare.Cents(1699)
	dear.Of.SolitoPiuBassoCent = &ofDay
	if got := dear.Lower(); !strings.HasSuffix(got, "route. €12.99 is €4 less than usual for that day.") {
		t.Error(got)
	}
	// Beside a price that the reader has seen, one sentence names the lower fare.
	dear.Of.Prezzo.Dichiarato, dear.Of.PrezzoNoto = true, &verdict.Prezzo{Cent: 3999, Partenza: "2016-05-21"}
	if got := dear.Known(); !strings.Contains(got, dear.Language.Money(1299)) ||
		strings.Contains(got, dear.Language.Money(3999)) {
		t.Errorf("beside a price seen: %q", got)
	}
	if got := dear.Lower(); got != "" {
		t.Errorf("the lower fare is named twice: %q", got)
	}
}
