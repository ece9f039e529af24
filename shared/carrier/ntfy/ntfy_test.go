package ntfy_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/ntfy"
	"verdetto/shared/carrier/ntfy/ntfytest"
	"verdetto/shared/runtime/faulttest"
)

const topic = "https://ntfy.example.com/fares-of-ada"

var message = ntfy.Message{
	ID: "20260301-MIL-BUH-0123", Title: "Milano–Bucarest: 49,90 €", Text: "Già più basso del solito",
	Tags:    []string{"airplane"},
	Click:   "https://verdetto.example/?origine=MIL",
	Actions: []ntfy.Action{{"Verdetto", "https://verdetto.example/"}, {"Basta", "https://verdetto.example/stop"}},
}

func server(t *testing.T) *ntfytest.Server {
	t.Helper()
	s := ntfytest.New()
	t.Cleanup(s.Close)
	return s
}

func TestPublish(t *testing.T) {
	s := server(t)
	p := ntfy.Publisher{Outbound: s}
	for range 2 {
		if err := p.Publish(t.Context(), topic, message); err != nil {
			t.Fatal(err)
		}
	}
	other := message
	other.ID, other.Text = "20260308-MIL-BUH-0123", "Another"
	if err := p.Publish(t.Context(), topic, other); err != nil {
		t.Fatal(err)
	}
	shown := s.Messages(topic)
	if len(shown) != 2 || s.Calls() != 3 {
		t.Fatalf("%d messages after %d calls: %+v", len(shown), s.Calls(), shown)
	}
	want := ntfytest.Message{
		ID: shown[0].ID, Time: shown[0].Time, Event: "message", Topic: "fares-of-ada",
		Sequence: message.ID, Title: message.Title, Text: message.Text, Tags: message.Tags, Click: message.Click,
		Actions: []ntfytest.Action{
			{Action: "view", Label: "Verdetto", URL: "https://verdetto.example/"},
			{Action: "view", Label: "Basta", URL: "https://verdetto.example/stop"},
		},
	}
	if diff := cmp.Diff(want, shown[0]); diff != "" {
		t.Error(diff)
	}
	if len(s.Messages("https://ntfy.sh/fares-of-ada")) != 0 {
		t.Error("the topic of another server shows it")
	}
}

func TestFaults(t *testing.T) {
	published := message
	published.ID = "published"
	for name, c := range map[string]struct {
		fault faulttest.Fault
		want  error
		shown int
	}{
		"the topic is somebody's": {refusal(40301, "forbidden"), mail.ErrRefused, 0},
		"a key is wanted":         {refusal(40101, "unauthorized"), mail.ErrRefused, 0},
		"the name is not allowed": {refusal(40010, "invalid request: topic name is not allowed"),
			mail.ErrRefused, 0},
		"no such page": {refusal(40401, "page not found"), mail.ErrRefused, 0},
		"another site that says 200": {faulttest.Fault{Status: http.StatusOK, Body: "<!doctype html>"},
			mail.ErrRefused, 0},
		"another API that says 200": {faulttest.Fault{Status: http.StatusOK, Body: `{"ok":true}`}, mail.ErrRefused, 0},
		"200 about another topic": {faulttest.Fault{Status: http.StatusOK,
			Body: `{"id":"a","event":"message","topic":"b"}`}, mail.ErrRefused, 0},
		"another site that says 204": {faulttest.Fault{Status: http.StatusNoContent}, mail.ErrRefused, 0},
		"it has moved":               {faulttest.Fault{Status: http.StatusMovedPermanently}, mail.ErrRefused, 0},
		"too many messages in a day": {refusal(42908, "limit reached: daily message quota reached"),
			mail.ErrThrottled, 0},
		"no device reads it": {refusal(50701, "cannot publish to UnifiedPush topic"),
			mail.ErrThrottled, 0},
		"its proxy has no server":     {faulttest.Fault{Status: http.StatusServiceUnavailable}, mail.ErrThrottled, 0},
		"it fails":                    {refusal(50001, "internal server error"), mail.ErrUnavailable, 0},
		"its proxy has no answer":     {faulttest.Fault{Status: http.StatusBadGateway}, mail.ErrUnavailable, 0},
		"cut before it was published": {faulttest.Fault{Cut: true}, mail.ErrUnavailable, 0},
		"the answer is lost":          {faulttest.Fault{Cut: true, After: true}, mail.ErrUnavailable, 1},
		"it fails after it has it": {faulttest.Fault{Status: http.StatusInternalServerError, After: true},
			mail.ErrUnavailable, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t)
			faulttest.Break(s).Fail(c.fault)
			err := ntfy.Publisher{Outbound: s}.Publish(t.Context(), topic, message)
			if !errors.Is(err, c.want) {
				t.Errorf("%v is not %v", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "fares-of-ada") {
				t.Errorf("the error shows the topic: %v", err)
			}
			if got := len(s.Messages(topic)); got != c.shown {
				t.Errorf("%d messages", got)
			}
			if err := (ntfy.Publisher{Outbound: s}).Publish(t.Context(), topic, message); err != nil ||
				len(s.Messages(topic)) != 1 {
				t.Errorf("again: %v, %d messages", err, len(s.Messages(topic)))
			}
		})
	}
}

func refusal(code int, says string) faulttest.Fault {
	return faulttest.Fault{Status: code / 100, Body: ntfytest.Refusal(code, says)}
}

func TestUnreachable(t *testing.T) {
	s := server(t)
	s.Close()
	if err := (ntfy.Publisher{Outbound: s}).Publish(t.Context(), topic, message); !errors.Is(err, mail.ErrThrottled) {
		t.Error(err)
	}
}

func TestMalformed(t *testing.T) {
	s := server(t)
	for name, change := range map[string]func(*ntfy.Message){
		"no text":                func(m *ntfy.Message) { m.Text = "" },
		"a text of 4097 bytes":   func(m *ntfy.Message) { m.Text = strings.Repeat("a", ntfy.MaxText+1) },
		"four buttons":           func(m *ntfy.Message) { m.Actions = append(m.Actions, m.Actions...) },
		"a button without label": func(m *ntfy.Message) { m.Actions = []ntfy.Action{{"", "https://verdetto.example"}} },
		"an ID with a space":     func(m *ntfy.Message) { m.ID = "a b" },
		"an ID too long":         func(m *ntfy.Message) { m.ID = strings.Repeat("a", 65) },
	} {
		t.Run(name, func(t *testing.T) {
			m := message
			change(&m)
			if err := (ntfy.Publisher{Outbound: s}).Publish(t.Context(), topic, m); !errors.Is(err, mail.ErrRefused) {
				t.Errorf("%v", err)
			}
		})
	}
	if s.Calls() != 0 {
		t.Errorf("%d calls", s.Calls())
	}
}

func TestParseTopic(t *testing.T) {
	for given, want := range map[string]string{
		"https://ntfy.sh/my-topic":                   "https://ntfy.sh/my-topic",
		" https://NTFY.sh:443/my-topic/ ":            "https://ntfy.sh/my-topic",
		"https://push.example.com/A_b-9":             "https://push.example.com/A_b-9",
		"https://ntfy.sh/" + strings.Repeat("a", 64): "https://ntfy.sh/" + strings.Repeat("a", 64),
		"https://ntfy.sh/" + strings.Repeat("a", 65): "",
		"http://ntfy.sh/my-topic":                    "",
		"ntfy.sh/my-topic":                           "",
		"https://ntfy.sh":                            "",
		"https://ntfy.sh/":                           "",
		"https://ntfy.sh/a/b":                        "",
		"https://ntfy.sh//a":                         "",
		"https://ntfy.sh/a?auth=secret":              "",
		"https://ntfy.sh/a?":                         "",
		"https://ntfy.sh/a#b":                        "",
		"https://ntfy.sh/a%2fb":                      "",
		"https://ntfy.sh/caffè":                      "",
		"https://ada:secret@ntfy.sh/a":               "",
		"https://ntfy.sh:8443/a":                     "",
		"https://localhost/a":                        "",
		"https://127.0.0.1/a":                        "",
		"https://[::1]/a":                            "",
		"https://10.0.0.1/a":                         "",
		"https://169.254.169.254/latest":             "",
		"https://2130706433/a":                       "",
		"https://server.internal/a":                  "",
		"":                                           "",
	} {
		got, err := ntfy.ParseTopic(given)
		if got != want || (err == nil) != (want != "") || err != nil && !errors.Is(err, ntfy.ErrNotTopic) {
			t.Errorf("%q is %q: %v", given, got, err)
		}
	}
}
