package wording_test

import (
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

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
	changed := func(change func(*wording.Verdict)) wording.Verdict {
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
		return changed(func(v *wording.Verdict) {
			v.Of.Verdict.Level, v.Of.Lowest = level, &verdict.Low{Price: cent, Day: today - 15}
		})
	}
	june := fare.DayOf(time.Date(2025, 6, 19, 0, 0, 0, 0, time.UTC))
	days := func(lower, same int, interval *verdict.Interval) wording.Verdict {
		return changed(func(v *wording.Verdict) {
			v.Of.Scope = verdict.OfRoute
			v.Of.Verdict = verdict.Verdict{Days: &verdict.DayCount{Lower: lower, Equal: same, Since: june}, Sample: 13,
				Interval: interval}
		})
	}
	for got, want := range map[string]string{
		changed(func(v *wording.Verdict) { v.Of.Verdict.Level = verdict.Unjudged }).Headline(): "We do not know yet.",
		changed(scope(verdict.OfDeparture)).Fare():                                             "Fare for Monday 9 May 2016: €21.99, seen 3 days ago.",
		changed(scope(verdict.OfRoute)).Fare(): "The lowest fare now: " +
			"€21.99, for Monday 9 May 2016, seen 3 days ago.",
		changed(stated(verdict.OfDeparture, 4999)).Fare(): "Your price: €88.99.",
		changed(stated(verdict.OfDeparture, 4999)).Known(): "We know a fare for Monday 9 May of €49.99, " +
			"seen 3 days ago: €39 less than yours.",
		changed(stated(verdict.OfRoute, 9899)).Known(): "We know a fare for this route of " +
			"€98.99 (Monday 9 May 2016), seen 3 days ago: €10 more than yours.",
		changed(stated(verdict.OfDeparture, 8899)).Known(): "We know a fare for Monday 9 May of €88.99, seen 3 days ago: " +
			"the same as yours.",
		past(verdict.Great, 1799).Past(): "But the same departure was €17.99 on Monday 15 February 2016.",
		days(1, 0, nil).Rank():           "Of 13 days since 19 June 2025, 1 had a lower fare.",
		days(1, 0, &verdict.Interval{From: 3, To: 17}).Missed(): "On some days we saw no fare: counting those too, " +
			"between 3 and 17 of 100 days had a lower one.",
		days(1, 0, &verdict.Interval{From: 7, To: 8}).Missed(): "",
		days(0, 0, nil).Rank():                                 "None of the 13 days since 19 June 2025 had a lower fare.",
		days(0, 4, nil).Rank():                                 "None of the 13 days since 19 June 2025 had a lower fare; 4 had the same.",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for name, got := range map[string]string{
		"a known fare beside the known fare": changed(scope(verdict.OfRoute)).Known(),
		"the past of a dear fare":            past(verdict.Expensive, 1799).Past(),
		"a past that was hardly lower":       past(verdict.Great, 2150).Past(),
		"waiting with a price of the reader": changed(stated(verdict.OfDeparture, 4999)).Waiting(),
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
