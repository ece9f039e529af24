package wording_test

import (
	"strings"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

// A level never contradicts the amounts next to it. An expensive fare inside the usual range is
// explained. A small difference is stated as small, not as none. The comparison with the fare's own
// day says "but" if it points the other way.
func TestLevelAgreesWithEuros(t *testing.T) {
	may := fare.DayOf(time.Date(2016, 5, 9, 0, 0, 0, 0, time.UTC))
	of := func(scope verdict.Scope, level verdict.Level, price, median, q1, q3 fare.Cents) wording.Verdict {
		return wording.Verdict{Language: i18n.English(), Of: verdict.Judgement{Scope: scope,
			Judged: verdict.Judged{Fare: verdict.Live{Price: price, Depart: may},
				Verdict: verdict.Verdict{Level: level, Median: median}},
			Quartiles: &verdict.Quartiles{Q1: q1, Median: median, Q3: q3}}}
	}
	for _, c := range []struct {
		name              string
		of                wording.Verdict
		headline, typical string
	}{
		{"at the upper end", of(verdict.OfRoute, verdict.Expensive, 1699, 1499, 1499, 1699),
			"Rather expensive, but still within the usual range: about €2 more than usual for this route.",
			"On this route the lowest fare is usually between €15 and €17; this fare is at the upper end."},
		{"above the range", of(verdict.OfRoute, verdict.Expensive, 1799, 1499, 1499, 1699),
			"Expensive: about €3 more than usual for this route.",
			"On this route the lowest fare is usually between €15 and €17."},
		{"a range of one amount", of(verdict.OfRoute, verdict.Expensive, 1539, 1499, 1480, 1520),
			"Rather expensive, but still within the usual range: a little more than usual for this route.",
			"On this route the lowest fare is usually about €15, often a little less than this fare."},
		{"cheap in the range", of(verdict.OfRoute, verdict.Good, 1550, 1899, 1499, 1899),
			"Good: about €3 less than usual for this route.",
			"On this route the lowest fare is usually between €15 and €19."},
		{"a little cheaper", of(verdict.OfRoute, verdict.Good, 1460, 1499, 1499, 1699),
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
	dear := of(verdict.OfRoute, verdict.Expensive, 1799, 1499, 1499, 1699)
	for usual, but := range map[fare.Cents]bool{2010: true, 1500: false, 1799: false} {
		dear.Of.OwnDay = verdict.Verdict{Level: verdict.Fair, Median: usual}
		if got := dear.OwnDay(); strings.HasPrefix(got, "But ") != but {
			t.Errorf("usual %d: %q", usual, got)
		}
	}
	if got := dear.Lower(); got != "" {
		t.Errorf("without a lower fare: %q", got)
	}
	dear.Of.Lower = &verdict.Judged{Fare: verdict.Live{Price: 1299, Depart: may + 11}}
	for _, l := range i18n.Languages() {
		dear.Language = l
		if got := dear.Lower(); !strings.Contains(got, l.Money(1299)) || !strings.Contains(got, "20") {
			t.Errorf("%s: %q", l.Code, got)
		}
	}
	dear.Language = i18n.English()
	if got := dear.Headline(); got != "Latest fare – expensive: about €3 more than usual for this route." {
		t.Error(got)
	}
	if got := dear.Lower(); !strings.HasSuffix(got, ", about €2 less than usual for this route.") {
		t.Error(got)
	}
	dear.Of.Lower.Verdict = verdict.Verdict{Level: verdict.Fair, Median: 1699}
	if got := dear.Lower(); !strings.HasSuffix(got, "route. €12.99 is €4 less than usual for that day.") {
		t.Error(got)
	}
	// Beside a price that the reader has seen, one sentence names the lower fare.
	dear.Of.Declared, dear.Of.Known = true, &verdict.Live{Price: 3999, Depart: may + 12}
	if got := dear.Known(); !strings.Contains(got, dear.Language.Money(1299)) ||
		strings.Contains(got, dear.Language.Money(3999)) {
		t.Errorf("beside a price seen: %q", got)
	}
	if got := dear.Lower(); got != "" {
		t.Errorf("the lower fare is named twice: %q", got)
	}
}
