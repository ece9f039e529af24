package wording_test

import (
	"regexp"
	"strings"
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

func TestAdviceToWaitNeedsEvidence(t *testing.T) {
	lead, week := 40, 7
	record := func(pays ...bool) (a verdict.Judgement) {
		a.Lead = &lead
		for i, p := range pays {
			a.Forecasts = append(a.Forecasts,
				verdict.Forecast{Fall: verdict.Fall{Days: 7 * (i + 1), Chance: .3}, Rise: .2, Mean: -500, Dearer: .37, Pays: p})
		}
		return a
	}
	for _, l := range i18n.Languages() {
		sentence := func(id string, days int, mean fare.Cents) string {
			return l.Text("waits."+id, "Days", days, "Amount", l.Money(mean), "Fell", l.Count("waits.fell", 30, "More", false), "Rose",
				l.Count("waits.rose", 20), "Dearer", l.Count("waits.ended", 37))
		}
		for _, c := range []struct {
			name  string
			given verdict.Judgement
			says  string
		}{
			{"no certain departure", verdict.Judgement{}, ""},
			{"within a week", verdict.Judgement{Lead: &week}, l.Text("waits.soon")},
			{"no outcomes yet", record(), ""},
			{"never surely paid", record(false, false), sentence("unclear", 7, 500)},
			{"the longer one paid", record(false, true), sentence("saved", 14, 500)},
			{"the shorter one paid", record(true, false), sentence("saved", 7, 500)},
		} {
			if got := wording.Advice(l, c.given); got != c.says {
				t.Errorf("%s, %s: %q", l.Code, c.name, got)
			}
			if got := wording.Waits(l, c.given); len(got) > 1 || strings.Join(got, "") != c.says {
				t.Errorf("%s, %s: %q", l.Code, c.name, got)
			}
		}
		undated := record(false)
		undated.Lead = nil
		for mean, id := range map[fare.Cents]string{20: "cost", 0: "nothing_changed", -20: "unclear"} {
			undated.Forecasts[0].Mean = mean
			if got := wording.Advice(l, undated); got != sentence(id, 7, max(mean, -mean)) {
				t.Errorf("%s, %d: %q", l.Code, mean, got)
			}
		}
	}
}

func TestAdviceWithoutCases(t *testing.T) {
	lead := 40
	zero := regexp.MustCompile(`(^|[ (])0 `)
	for _, l := range i18n.Languages() {
		for mean, saves := range map[fare.Cents]bool{500: false, 1: false, -500: true} {
			f := verdict.Forecast{Fall: verdict.Fall{Days: 7}, Mean: mean, Pays: saves}
			advice := wording.Advice(l, verdict.Judgement{Lead: &lead, Forecasts: []verdict.Forecast{f}})
			for _, got := range []string{advice, wording.Record(l, verdict.Judgement{Forecasts: []verdict.Forecast{f}})} {
				if zero.MatchString(got) {
					t.Errorf("%s: %q", l.Code, got)
				}
			}
		}
	}
}

func TestSentences(t *testing.T) {
	l := i18n.English()
	for got, want := range map[string]string{
		wording.Comparables(l, 1):  "Hardly any comparable fare was lower.",
		wording.Comparables(l, 2):  "About 2 of 100 comparable fares were lower.",
		wording.Comparables(l, 99): "Hardly any comparable fare was higher.",
		wording.Percent(l, .004):   "<1%",
		wording.Percent(l, 0):      "0%",
		wording.Change(l, 310):     "€3.10 more",
		wording.Change(l, -300):    "€3 less",
		wording.Change(l, 0):       "the same",
		wording.Fall(l, verdict.Forecast{Fall: verdict.Fall{Chance: .4, OrMore: true}}): "40% or more",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
