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
	found := (today - 3).Time().Add(time.Hour).Unix()
	base := verdict.Judgement{Scope: verdict.OfDeparture, Judged: verdict.Judged{
		Fare:    verdict.Live{Price: 2199, Depart: today + 69, Found: found},
		Verdict: verdict.Verdict{Level: verdict.Good, Reliability: verdict.HighReliability, Median: 2199 + 812, Sample: 2506},
	}}
	of := func(change func(*wording.Verdict)) wording.Verdict {
		v := wording.Verdict{Language: i18n.English(), Of: base, On: today + 69, Today: today}
		change(&v)
		return v
	}
	scope := func(scope verdict.Scope) func(*wording.Verdict) {
		return func(v *wording.Verdict) { v.Of.Scope = scope }
	}
	stated := func(scope verdict.Scope, known fare.Cents) func(*wording.Verdict) {
		return func(v *wording.Verdict) {
			v.Of.Scope, v.Of.Known = scope, &verdict.Live{Price: known, Depart: today + 69, Found: found}
			v.Of.Fare, v.Of.Declared = verdict.Live{Price: 8899, Quoted: fare.Money{Amount: 8899, Currency: fare.EUR}}, true
			lead := 69
			v.Of.Lead = &lead
		}
	}
	past := func(level verdict.Level, cent fare.Cents) wording.Verdict {
		return of(func(v *wording.Verdict) {
			v.Of.Verdict.Level, v.Of.Lowest = level, &verdict.Low{Price: cent, Day: today - 15}
		})
	}
	june := fare.DayOf(time.Date(2025, 6, 19, 0, 0, 0, 0, time.UTC))
	days := func(lower, same int, interval *verdict.Interval) string {
		return of(func(v *wording.Verdict) {
			v.Of.Scope = verdict.OfRoute
			v.Of.Verdict = verdict.Verdict{Days: &verdict.DayCount{Lower: lower, Equal: same, Since: june}, Sample: 13,
				Interval: interval}
		}).Rank()
	}
	own := func(scope verdict.Scope, usual fare.Cents) wording.Verdict {
		return of(func(v *wording.Verdict) {
			v.Of.Scope, v.Of.OwnDay = scope, verdict.Verdict{Level: verdict.Fair, Median: usual}
		})
	}
	back := of(func(v *wording.Verdict) { v.Of.Fare.Nights = 5 })
	for got, want := range map[string]string{
		of(scope(verdict.OfDeparture)).Headline(): "Good: about €8 less than usual for Monday 9 May.",
		of(scope(verdict.OfMonth)).Headline():     "Good: about €8 less than usual for May 2016.",
		of(scope(verdict.OfRoute)).Headline():     "Good: about €8 less than usual for this route.",
		of(func(v *wording.Verdict) {
			v.Around, v.Of.Verdict.Reliability = true, verdict.LowReliability
		}).Headline(): "Probably good: about €8 less than usual for these days.",
		of(func(v *wording.Verdict) {
			v.Of.Verdict.Level, v.Of.Verdict.Median = verdict.Fair, 2199+40
		}).Headline(): "Normal: about the usual price for Monday 9 May.",
		of(func(v *wording.Verdict) {
			v.Of.Verdict.Median = 2199 - 1100 // contradicts the level
		}).Headline(): "Good: about the usual price for Monday 9 May.",
		of(func(v *wording.Verdict) { v.Of.Verdict.Level = verdict.Unjudged }).Headline(): "We do not know yet.",
		of(scope(verdict.OfDeparture)).Brief():                                            "€21.99: good",
		of(scope(verdict.OfDeparture)).Fare():                                             "Lowest fare for Monday 9 May 2016: €21.99, seen 3 days ago.",
		of(scope(verdict.OfRoute)).Fare(): "Lowest of the latest fares: " +
			"€21.99, for Monday 9 May 2016, seen 3 days ago.",
		of(stated(verdict.OfDeparture, 4999)).Fare(): "Your price: €88.99.",
		of(stated(verdict.OfDeparture, 4999)).Known(): "The lowest we know for Monday 9 May is €49.99, " +
			"seen 3 days ago: €39 less than yours.",
		of(stated(verdict.OfRoute, 9899)).Known(): "The lowest we know for this route is " +
			"€98.99 (Monday 9 May 2016), seen 3 days ago: €10 more than yours.",
		of(stated(verdict.OfDeparture, 8899)).Known(): "The lowest we know for Monday 9 May is €88.99, seen 3 days ago: " +
			"the same as yours.",
		own(verdict.OfRoute, 2460).OwnDay(): "The usual fare for that day is about €25: this is €3 less.",
		own(verdict.OfMonth, 2210).OwnDay(): "The usual fare for that day is about €22: this is no different.",
		own(verdict.OfMonth, 1960).OwnDay(): "But the usual fare for that day alone is about €20: this is €2 more.",
		back.Headline():                     "Good: about €8 less than usual for Monday 9 May – Saturday 14 May.",
		past(verdict.Great, 1799).Past():    "But the same departure was €17.99 on Monday 15 February 2016.",
		days(1, 0, nil):                     "Of 13 days since 19 June 2025, 1 had a lower fare.",
		days(1, 0, &verdict.Interval{From: 3, To: 17}): "Of 13 days since 19 June 2025, 1 had a lower fare; " +
			"with the days we did not see, 3 to 17 of 100.",
		days(0, 0, nil): "None of the 13 days since 19 June 2025 had a lower fare.",
		days(0, 4, nil): "None of the 13 days since 19 June 2025 had a lower fare; 4 had the same.",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for name, got := range map[string]string{
		"a known fare beside the known fare": of(scope(verdict.OfRoute)).Known(),
		"the past of a dear fare":            past(verdict.Expensive, 1799).Past(),
		"a past that was hardly lower":       past(verdict.Great, 2150).Past(),
		"the own day of a verdict about it":  own(verdict.OfDeparture, 2460).OwnDay(),
		"waiting with a price of the reader": of(stated(verdict.OfDeparture, 4999)).Waiting(),
	} {
		if got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestCompared(t *testing.T) {
	for comparison, want := range map[verdict.Comparison]string{
		verdict.OnSaleToday:      "based on fares on sale now for 17 other days",
		verdict.Earlier:          "based on 17 fares seen on this route",
		verdict.OnSaleAndEarlier: "based on 17 fares: those seen on this route and those on sale now for other days",
	} {
		if got := wording.Compared(i18n.English(), verdict.Verdict{Comparison: comparison, Sample: 17}); got != want {
			t.Errorf("%s: %q, want %q", comparison, got, want)
		}
	}
}
