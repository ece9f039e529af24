package telegram_test

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/telegram"
	"verdetto/shared/carrier/telegram/telegramtest"
	"verdetto/shared/runtime/faulttest"
)

const ada = 1234567890

func world(t *testing.T, token string) (*telegramtest.Server, *telegram.Bot) {
	t.Helper()
	s := telegramtest.New()
	t.Cleanup(s.Close)
	s.Webhook, s.Path = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), "/"
	if err := s.Write(ada, "/start", "it"); err != nil {
		t.Fatal(err)
	}
	b, err := telegram.New(token, s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return s, b
}

var message = telegram.Message{
	Title: "✈️ Milano–Bucarest: 49,90 €", Text: "Meno del <solito> & *già* https://verdetto.example/x",
	Buttons: []telegram.Button{{"Verdetto", "https://verdetto.example/"},
		{"Basta", "https://verdetto.example/stop?t=a.b-c_d"}},
}

var shown = telegramtest.Message{
	Text: message.Title + "\n\n" + message.Text, Bold: message.Title,
	Buttons: map[string]string{"Verdetto": "https://verdetto.example/",
		"Basta": "https://verdetto.example/stop?t=a.b-c_d"},
}

func TestSend(t *testing.T) {
	s, b := world(t, telegramtest.Token)
	if err := b.Send(t.Context(), "1234567890", message); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]telegramtest.Message{shown}, s.Messages(ada)); diff != "" {
		t.Error(diff)
	}
}

func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		fault faulttest.Fault
		want  error
		shown int
	}{
		"the bot was blocked": {refusal(403, "Forbidden: bot was blocked by the user"), mail.ErrRefused, 0},
		"the account was deleted": {refusal(403, "Forbidden: user is deactivated"),
			mail.ErrRefused, 0},
		"no such chat": {refusal(400, "Bad Request: chat not found"),
			mail.ErrRefused, 0},
		"a fault of ours": {refusal(400, "Bad Request: BUTTON_URL_INVALID"),
			mail.ErrThrottled, 0},
		"too many messages":     {faulttest.Fault{Status: 429, Body: `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 14","parameters":{"retry_after":14}}`}, mail.ErrThrottled, 0},
		"the token was revoked": {refusal(401, "Unauthorized"), mail.ErrBlocked, 0},
		"not a token":           {refusal(404, "Not Found"), mail.ErrBlocked, 0},
		"it fails": {refusal(500, "Internal Server Error"),
			mail.ErrUnavailable, 0},
		"a proxy's page": {faulttest.Fault{Status: 502,
			Body: "<html>Bad Gateway " + strings.Repeat("x", 5000)}, mail.ErrUnavailable, 0},
		"cut before it was sent":     {faulttest.Fault{Cut: true}, mail.ErrUnavailable, 0},
		"the answer is lost":         {faulttest.Fault{Cut: true, After: true}, mail.ErrUnavailable, 1},
		"it leads somewhere else":    {faulttest.Fault{Status: 302, Body: "elsewhere"}, mail.ErrUnavailable, 0},
		"no answer of the API's own": {faulttest.Fault{Status: 200, Body: `"ok"`}, mail.ErrUnavailable, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s, b := world(t, telegramtest.Token)
			faulttest.Break(s).Fail(c.fault)
			err := b.Send(t.Context(), "1234567890", message)
			if !errors.Is(err, c.want) || errors.Is(err, mail.ErrBlocked) != errors.Is(c.want, mail.ErrBlocked) {
				t.Errorf("%v is not %v", err, c.want)
			}
			if err != nil && (strings.Contains(err.Error(), "1234567890") ||
				strings.Contains(err.Error(), "AAHdqTcv") || len(err.Error()) > 400) {
				t.Errorf("the error shows too much: %v", err)
			}
			if got := len(s.Messages(ada)); got != c.shown {
				t.Errorf("%d messages", got)
			}
		})
	}
}

func refusal(status int, says string) faulttest.Fault {
	return faulttest.Fault{Status: status, Body: telegramtest.Refusal(status, says)}
}

func TestUnreachable(t *testing.T) {
	s, b := world(t, telegramtest.Token)
	s.Close()
	if err := b.Send(t.Context(), "1234567890", message); !errors.Is(err, mail.ErrThrottled) ||
		errors.Is(err, mail.ErrBlocked) {
		t.Error(err)
	}
}

func TestStrangers(t *testing.T) {
	s, b := world(t, telegramtest.Token)
	if err := b.Send(t.Context(), "42", message); !errors.Is(err, mail.ErrRefused) {
		t.Error(err)
	}
	if err := s.Block(ada); err != nil {
		t.Fatal(err)
	}
	if err := b.Send(t.Context(), "1234567890", message); !errors.Is(err, mail.ErrRefused) {
		t.Error(err)
	}
	_, wrong := world(t, "1:wrong")
	if err := wrong.Send(t.Context(), "1234567890", message); !errors.Is(err, mail.ErrBlocked) {
		t.Error(err)
	}
	for name, m := range map[string]telegram.Message{"nothing": {},
		"too much": {Text: strings.Repeat("é", telegram.MaxText+1)}} {
		calls := s.Calls()
		if err := b.Send(t.Context(), "1234567890", m); err == nil || s.Calls() != calls {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReply(t *testing.T) {
	s, _ := world(t, telegramtest.Token)
	reply, err := telegram.Reply("1234567890", message)
	if err != nil {
		t.Fatal(err)
	}
	s.Webhook = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(reply) })
	if err := s.Write(ada, "/list", "it"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]telegramtest.Message{shown}, s.Messages(ada)); diff != "" {
		t.Error(diff)
	}
}

func TestReadUpdate(t *testing.T) {
	s, _ := world(t, telegramtest.Token)
	posted := func(write func() error) []byte {
		t.Helper()
		var body bytes.Buffer
		s.Webhook = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = body.ReadFrom(r.Body) })
		if err := write(); err != nil {
			t.Fatal(err)
		}
		return body.Bytes()
	}
	for name, c := range map[string]struct {
		update []byte
		want   telegram.Command
		ok     bool
	}{
		"start": {posted(func() error {
			return s.Start(ada, telegram.StartLink(telegramtest.Name, "AbC-_9"),
				"it-IT")
		}),
			telegram.Command{Chat: "1234567890", Private: true, Name: "start", Argument: "AbC-_9", Language: "it-IT"},
			true},
		"to one of several bots": {s.Update(ada, "private", " /Stop@verdetto_test_bot ", ""),
			telegram.Command{Chat: "1234567890", Private: true, Name: "stop"}, true},
		"in a group": {s.Update(-100123, "supergroup", "/stop", "en"),
			telegram.Command{Chat: "-100123", Name: "stop", Language: "en"}, true},
		"no command": {s.Update(ada, "private", "ciao, come va?", "it"),
			telegram.Command{Chat: "1234567890", Private: true, Language: "it"}, true},
		"a picture": {[]byte(`{"update_id":1,"message":{"message_id":1,"date":1,"chat":{"id":5,"type":"private"},"photo":[]}}`), telegram.Command{Chat: "5", Private: true}, true},
		"blocked": {posted(func() error { return s.Block(ada) }),
			telegram.Command{Chat: "1234567890", Private: true, Name: telegram.Blocked}, true},
		"as if blocked": {s.Update(ada, "private", "/"+telegram.Blocked, ""),
			telegram.Command{Chat: "1234567890", Private: true, Name: "blocked", Argument: "the bot"}, true},
		"edited":            {[]byte(`{"update_id":1,"edited_message":{"message_id":1,"date":1,"chat":{"id":5,"type":"private"},"text":"/stop"}}`), telegram.Command{}, false},
		"of a kind to come": {[]byte(`{"update_id":1,"hologram":{}}`), telegram.Command{}, false},
	} {
		got, ok, err := telegram.ReadUpdate(c.update)
		if diff := cmp.Diff(c.want, got); diff != "" || ok != c.ok || err != nil {
			t.Errorf("%s: %v %v\n%s", name, ok, err, diff)
		}
	}
	for _, malformed := range []string{"", "[]", "{", `{"message":7}`} {
		if _, ok, err := telegram.ReadUpdate([]byte(malformed)); ok || err == nil {
			t.Errorf("%q is an update", malformed)
		}
	}
}

func TestIsSecret(t *testing.T) {
	for _, c := range []struct {
		given, secret string
		want          bool
	}{{"abc", "abc", true}, {"abcd", "abc", false}, {"", "abc", false}, {"", "", false}} {
		if telegram.IsSecret(c.given, c.secret) != c.want {
			t.Errorf("%+v", c)
		}
	}
}
