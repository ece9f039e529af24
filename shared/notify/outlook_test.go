package notify_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"verdetto/shared/answer"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

type judged struct {
	analysis verdict.Judgement
	err      error
	asked    []answer.Question
}

func (j *judged) Answer(_ context.Context, q answer.Question) (answer.Answer, error) {
	j.asked = append(j.asked, q)
	return answer.Answer{Judgement: j.analysis}, j.err
}

func departing(price fare.Cents, pays bool) verdict.Judgement {
	lead := 150
	return verdict.Judgement{
		Scope: verdict.OfDeparture,
		Judged: verdict.Judged{Fare: verdict.Live{Price: price}, Verdict: verdict.Verdict{Level: verdict.Good,
			Reliability: verdict.MediumReliability, Percentile: 12, Median: 5000, Sample: 120, Comparison: verdict.Earlier}},
		Quartiles: &verdict.Quartiles{Q1: 4010, Q3: 6490, HalfLow: 4010, HalfHigh: 6490}, Lead: &lead,
		Forecasts: []verdict.Forecast{
			{Fall: verdict.Fall{Days: 7, Chance: .12}, Rise: .07, Mean: 310, Dearer: .6},
			{Fall: verdict.Fall{Days: 14, Chance: .4, OrMore: true}, Mean: -250, Dearer: .3, Pays: pays},
		},
	}
}

func TestMailsSayWhatIsToBeExpected(t *testing.T) {
	const advises, advisesNot = "has paid off on average", "has not paid off"
	for _, c := range []struct {
		name         string
		answers      judged
		says, saysNo []string
		logged       bool
	}{
		{"waiting did not pay", judged{analysis: departing(3000, false)},
			[]string{advisesNot, "between €40 and €65",
				"Flights like this usually cost about €50: this is €20 less.", "120 fares",
				"Waiting 7 days has not paid off: such fares then cost €3.10 more on average",
				"(12 of 100 clearly fell, 7 clearly rose)."},
			[]string{advises, "14 days", "40 or more"}, false},
		{"waiting paid", judged{analysis: departing(3000, true)},
			[]string{advises + ": such fares then cost €2.50 less", "but 30 ended up dearer"}, []string{advisesNot}, false},
		{"another fare is the cheapest for it", judged{analysis: departing(2900, true)}, nil,
			[]string{advises, advisesNot, "DOES WAITING PAY?"}, false},
		{"too little is known", judged{analysis: verdict.Judgement{Judged: verdict.Judged{Fare: verdict.Live{Price: 3000}}}}, nil,
			[]string{"DOES WAITING PAY?"}, false},
		{"it has no fare", judged{err: &answer.NoAnswer{Reason: answer.NoFareOn}}, nil, []string{"DOES WAITING PAY?"}, false},
		{"the store fails", judged{err: fmt.Errorf("read: %w", store.ErrUnavailable)}, nil,
			[]string{"DOES WAITING PAY?"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log strings.Builder
			h := notifytest.New(t)
			h.Answers, h.Log = &c.answers, &log
			h.Subscribe("ada", "MIL-BUH", 0)
			h.Subscribe("eve", "MIL-BUH", 0)
			leave(h, notifytest.Steady(3000)...)
			h.Work(notify.Result{Sent: 2, Settled: 1})
			h.WantMailed("ada", "eve")
			text := strings.ReplaceAll(h.Mails()[0].Text, "\n", " ")
			lacks := func(s string) bool { return !strings.Contains(text, s) }
			if slices.ContainsFunc(c.says, lacks) ||
				slices.ContainsFunc(c.saysNo, func(s string) bool { return !lacks(s) }) {
				t.Errorf("the mail says:\n%s", text)
			}
			if !strings.Contains(text, "https://verdetto.example/?da=MIL&a=BUH&lang=en") {
				t.Error("no link to the verdict")
			}
			if c.logged != (log.Len() > 0) {
				t.Errorf("log %q", log.String())
			}
			if len(c.answers.asked) != 1 || c.answers.asked[0].When.Date != fare.DayOf(h.Now())+150 {
				t.Errorf("asked %+v", c.answers.asked)
			}
		})
	}
	t.Run("no question without a mail", func(t *testing.T) {
		h := notifytest.New(t)
		answers := &judged{err: errors.New("not to be asked")}
		h.Answers = answers
		h.Subscribe("ada", "MIL-BUH", 1000)
		leave(h, notifytest.Steady(3000)...)
		h.Work(notify.Result{Settled: 1})
		if len(answers.asked) > 0 {
			t.Errorf("asked %+v", answers.asked)
		}
	})
}

func TestAlertMailSaysWhenItWasAskedFor(t *testing.T) {
	h := notifytest.New(t)
	h.Subscribe("ada", "MIL-BUH", 0)
	h.AddAlerts("MIL-BUH", 0, "bo")
	leave(h, notifytest.Steady(3000)...)
	h.Work(notify.Result{Sent: 2, Settled: 1})
	h.WantMailed("ada", "bo")
	for _, m := range h.Mails() {
		asked := strings.Contains(strings.ReplaceAll(m.Text, "\n", " "), "asked for it on Wednesday 4 March 2026")
		if m.Tag != mail.AlertTag || asked != (m.To == notifytest.AddressOf("ada")) ||
			strings.Contains(m.Text, "Chiesto da te") {
			t.Errorf("%s: %s", m.To, m.Text)
		}
	}
}
