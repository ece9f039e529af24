package wording_test

import (
	"strings"
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

func TestTwoVocabularies(t *testing.T) {
	dear := verdict.Verdict{Level: verdict.Expensive, Reliability: verdict.HighReliability, Percentile: 72, Sample: 393}
	good := verdict.Verdict{Level: verdict.Good, Reliability: verdict.MediumReliability, Percentile: 30, Median: 2460, Sample: 2506}
	price := verdict.Live{Price: 2199, Depart: 16930}
	quartiles := &verdict.Quartiles{HalfLow: 2300, HalfHigh: 2600}
	day := verdict.Judgement{Scope: verdict.OfDeparture, Judged: verdict.Judged{Fare: price, Verdict: good}, Quartiles: quartiles}
	route := verdict.Judgement{Scope: verdict.OfRoute, Judged: verdict.Judged{Fare: price, Verdict: dear},
		OwnDay: good, OwnQuartiles: quartiles, Quartiles: &verdict.Quartiles{HalfLow: 1900, HalfHigh: 2190}}
	month, alone, seen := route, route, day
	month.Scope = verdict.OfMonth
	alone.OwnDay = verdict.Verdict{}
	seen.Declared = true
	inEnglish := func(a verdict.Judgement) wording.Verdict { return wording.Verdict{Language: i18n.English(), Of: a} }
	back := inEnglish(day)
	back.Of.Fare.Nights = 5
	priced := inEnglish(alone)
	priced.Of.Fare, priced.Of.Declared = verdict.Live{Price: 2199}, true
	const less = "Flights like this usually cost about €25: this is €3 less."
	for _, c := range []struct {
		v                            wording.Verdict
		headline, brief, usual, half string
	}{
		{inEnglish(route), "Fares are high right now.", "fares are high right now", less,
			"On half of the days the lowest fare was between €19 and €21."},
		{inEnglish(alone), "Fares are high right now.", "fares are high right now", "",
			"On half of the days the lowest fare was between €19 and €21."},
		{inEnglish(day), "A good fare for that day.", "€21.99: good", less, "Half the time such a fare is between €23 and €26."},
		{inEnglish(month), "A good fare for its day.", "€21.99: good", less, "Half the time such a fare is between €23 and €26."},
		{back, "A good fare for those days.", "€21.99: good", less, "Half the time such a fare is between €23 and €26."},
		{inEnglish(seen), "A good fare for that day.", "€21.99: good", less, "Half the time such a fare is between €23 and €26."},
		{priced, "An expensive fare.", "€21.99: expensive", "", "On half of the days the lowest fare was between €19 and €21."},
	} {
		if got := c.v.Headline(); got != c.headline {
			t.Errorf("%q, want %q", got, c.headline)
		}
		for _, phrase := range [][2]string{{c.v.Brief(), c.brief}, {c.v.Usual(), c.usual}, {c.v.Half(), c.half}} {
			if phrase[0] != phrase[1] {
				t.Errorf("%s: %q, want %q", c.headline, phrase[0], phrase[1])
			}
		}
	}
	for _, l := range i18n.Languages() {
		words := map[string]bool{}
		for _, level := range []verdict.Level{verdict.Great, verdict.Good, verdict.Fair, verdict.Expensive} {
			words[l.Text("level."+string(level))], words[l.Text("market."+string(level))] = true, true
			a := day
			a.Verdict.Level = level
			v := wording.Verdict{Language: l, Of: a}
			if stem := []rune(v.Level()); !strings.Contains(strings.ToLower(v.Headline()), string(stem[:3])) {
				t.Errorf("%s: %q does not state %q", l.Code, v.Headline(), v.Level())
			}
		}
		if len(words) != 8 {
			t.Errorf("%s: the words are %v", l.Code, words)
		}
	}
}

func TestAboutTheUsualPrice(t *testing.T) {
	forint := i18n.English().InCurrency("HUF", func(c fare.Cents) fare.Cents { return 400 * c })
	for _, c := range []struct {
		price, usual fare.Cents
		want, signed string
		in           string
	}{
		{2560, 2460, "about the usual price", "0", "about the usual price"},
		{2561, 2460, "€1 more than usual", "+1", "404\u00a0HUF more than usual"},
		{9802, 10000, "about the usual price", "0", "about the usual price"},
		{9799, 10000, "€2 less than usual", "−2", "804\u00a0HUF less than usual"},
	} {
		if got := wording.Than(i18n.English(), c.price, c.usual); got != c.want {
			t.Errorf("%d beside %d: %q", c.price, c.usual, got)
		}
		if got := wording.Signed(i18n.English(), c.price, c.usual); got != c.signed {
			t.Errorf("%d beside %d: %q", c.price, c.usual, got)
		}
		if got := wording.Than(forint, c.price, c.usual); got != c.in {
			t.Errorf("%d beside %d in forint: %q", c.price, c.usual, got)
		}
		judged := verdict.Judgement{Scope: verdict.OfDeparture, Euro: 100, Judged: verdict.Judged{
			Fare: verdict.Live{Price: c.price}, Verdict: verdict.Verdict{Level: verdict.Fair, Median: c.usual}}}
		judged = judged.In("HUF", func(c fare.Cents) fare.Cents { return 400 * c })
		same := i18n.English().InCurrency("HUF", func(c fare.Cents) fare.Cents { return c })
		if got := (wording.Verdict{Language: same, Of: judged}).Than(); got != c.in {
			t.Errorf("%d beside %d, converted: %q", c.price, c.usual, got)
		}
	}
}
