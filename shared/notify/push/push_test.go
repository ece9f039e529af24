package push_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/carrier/ntfy"
	"verdetto/shared/carrier/ntfy/ntfytest"
	"verdetto/shared/carrier/telegram"
	"verdetto/shared/carrier/telegram/telegramtest"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/notify/push"
	"verdetto/shared/store"
)

const (
	topic = "https://ntfy.sh/topic"
	ada   = 42
	url   = "https://v.example"
)

func messageIn(language string) notify.Message {
	return notify.Message{
		ID: "20260304-MIL-BUH-1", Day: 20516, Language: language, Unsubscribe: url + "/u", Snooze: url + "/s", Manage: url + "/m",
		Fares: []notify.Fare{{
			Route: fare.Route{Origin: "MIL", Destination: "BUH"}, Origin: "Milan", Destination: "Bucharest",
			Price: 4000, Before: 5000, LastDay: 20500, Lowest: 4200, Depart: 20530, Found: time.Unix(1772600000, 0),
			Level: "ottimo", Reliability: "alta", Percentile: 4, Sample: 80, Median: 5600, Minimum: 3900,
			ForDay: &notify.Judged{Level: "buono", Reliability: "media", Usual: 5600, Sample: 80},
			Page:   url + "/page",
		}},
	}
}

func TestWhatPhonesShow(t *testing.T) {
	trip := store.Trip{From: 20530, To: 20530, Nights: fare.Return4to7, Nonstop: true}
	for _, c := range []struct {
		name   string
		to     store.Alert
		change func(*notify.Message)
		lines  []string
		lacks  string
	}{
		{"verdict", store.Alert{}, func(*notify.Message) {},
			[]string{"Departing on Wednesday 18 March 2026.", "€40.00, good", "Fares are very low right now.",
				"Flights like this usually cost about €56: this is €16 less.", "Certainty: medium",
				"Seen today, Wednesday 4 March 2026.",
				"You asked for an alert when fares are low or very low."}, "in our message"},
		{"threshold", store.Alert{Threshold: 4000}, func(*notify.Message) {},
			[]string{"You asked for an alert when the cheapest fare is €40.00 or less."}, "in our message"},
		{"flight", store.Alert{}, func(m *notify.Message) { m.Fares[0].Flight = "Ryanair, non-stop." },
			[]string{"Departing on Wednesday 18 March 2026. Ryanair, non-stop."}, ""},
		{"low", store.Alert{Kind: store.Low, Days: 30}, func(*notify.Message) {},
			[]string{"The lowest in 30 days: until now it was €42.00.",
				"You asked for an alert when the fare is lower than in the last 30 days."}, ""},
		{"drop", store.Alert{Kind: store.Drop, Percent: 10}, func(*notify.Message) {},
			[]string{"€10.00 less (20%) than in our message of Monday 16 February 2026: then it was €50.00."}, ""},
		{"change", store.Alert{Kind: store.Change}, func(*notify.Message) {},
			[]string{"Now €40.00; in our message of Monday 16 February 2026 it was €50.00.",
				"You asked for an alert when the fare changes."}, ""},
		{"a trip", store.Alert{Trip: trip}, func(m *notify.Message) {
			m.Fares[0].Trip, m.Fares[0].Return = trip, 20535
			m.Fares[0].Departure, m.Fares[0].Waits = []string{"Usually 50 to 60."},
				[]string{"Waiting has not paid.", "Within 7 days."}
		}, []string{"departure: Wednesday 18 March 2026, return, 4–7 nights away, non-stop flights only",
			"Departing on Wednesday 18 March 2026. Returning on Monday 23 March 2026.", "Usually 50 to 60.",
			"Waiting has not paid."}, "Within 7 days"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := messageIn("en")
			c.change(&m)
			text, click, buttons := onNtfy(t, c.to, m)
			for _, line := range c.lines {
				if !strings.Contains("\n"+text+"\n", "\n"+line+"\n") {
					t.Errorf("no line %q in\n%s", line, text)
				}
			}
			if c.lacks != "" && strings.Contains(text, c.lacks) {
				t.Errorf("it says %q:\n%s", c.lacks, text)
			}
			if diff := cmp.Diff([]string{"Your alerts " + url + "/m", "Pause for a month " + url + "/s",
				"Stop this alert " + url + "/u"}, buttons); diff != "" || click != url+"/page" {
				t.Errorf("a tap opens %s; %s", click, diff)
			}
			shown := onTelegram(t, c.to, m)
			if want := map[string]string{"See the verdict": url + "/page", "Your alerts": url + "/m",
				"Pause for a month": url + "/s", "Stop this alert": url + "/u"}; !cmp.Equal(want, shown.Buttons) {
				t.Error(cmp.Diff(want, shown.Buttons))
			}
			if shown.Bold+"\n\n"+text != shown.Text {
				t.Errorf("Telegram shows other words: %s", cmp.Diff(shown.Bold+"\n\n"+text, shown.Text))
			}
		})
	}
}

func TestWhatPhonesShowAtTheEnd(t *testing.T) {
	for language, want := range map[string]string{"en": "departure: Wednesday 18 March 2026", "it": "partenza: mercoledì 18 marzo 2026",
		"de": "Abflug: Mittwoch, 18. März 2026", "fr": "départ", "es": "salida: miércoles 18 de marzo de 2026",
		"pt": "partida: quarta-feira, 18 de março de 2026"} {
		m := messageIn(language)
		m.Ended, m.Snooze = true, ""
		m.Fares[0] = notify.Fare{Route: m.Fares[0].Route, Origin: "Milan", Destination: "Bucharest",
			Trip: store.Trip{From: 20530, To: 20530}}
		text, click, buttons := onNtfy(t, store.Alert{Trip: m.Fares[0].Trip}, m)
		first, terms, _ := strings.Cut(text, "\n")
		if !strings.Contains(first, want) || terms == "" || click != url+"/m" || len(buttons) != 1 {
			t.Errorf("%s: %q, a tap opens %s, %q", language, text, click, buttons)
		}
	}
}

func onNtfy(t *testing.T, to store.Alert, m notify.Message) (text, click string, buttons []string) {
	t.Helper()
	server := ntfytest.New()
	defer server.Close()
	to.Channel, to.Address = store.Ntfy, topic
	if err := (push.Ntfy{Publisher: ntfy.Publisher{Outbound: server}, BaseURL: url}).Deliver(t.Context(), to,
		m); err != nil {
		t.Fatal(err)
	}
	shown := server.Messages(topic)
	if len(shown) != 1 || shown[0].Sequence != m.ID {
		t.Fatalf("%+v", shown)
	}
	for _, a := range shown[0].Actions {
		buttons = append(buttons, a.Label+" "+a.URL)
	}
	return shown[0].Text, shown[0].Click, buttons
}

func onTelegram(t *testing.T, to store.Alert, m notify.Message) telegramtest.Message {
	t.Helper()
	server := telegramtest.New()
	defer server.Close()
	server.Path, server.Webhook = "/", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	if err := server.Start(ada, "https://t.me/"+telegramtest.Name, "en"); err != nil {
		t.Fatal(err)
	}
	bot, err := telegram.New(telegramtest.Token, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	to.Channel, to.Address = store.Telegram, "42"
	if err := (push.Telegram{Bot: bot, BaseURL: url}).Deliver(t.Context(), to, m); err != nil {
		t.Fatal(err)
	}
	shown := server.Messages(ada)
	return shown[len(shown)-1]
}
