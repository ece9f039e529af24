package alerts_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/ntfy/ntfytest"
	"verdetto/shared/carrier/telegram/telegramtest"
	"verdetto/shared/fare"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

const (
	ada, bob   = 1001, 1002
	topic      = "https://ntfy.example.com/fares-of-ada"
	byTelegram = `{"route":"MIL-BUH","channel":"telegram"}`
	byNtfy     = `{"route":"MIL-BUH","channel":"ntfy","address":"` + topic + `","threshold":40}`
)

func subscriptions(t *testing.T) (*fixture.Subscriptions, *storetest.Clock) {
	t.Helper()
	clock := storetest.NewClock()
	return fixture.OpenSubscriptions(t, fixture.Bolt(t, clock.Now), clock), clock
}

func phones(t *testing.T) *fixture.Phones {
	t.Parallel()
	clock := storetest.NewClock()
	return fixture.OpenPhones(t, fixture.Bolt(t, clock.Now), clock)
}

func last(t *testing.T, p *fixture.Phones, person int64) telegramtest.Message {
	t.Helper()
	all := p.Telegram.Messages(person)
	if len(all) == 0 {
		t.Fatalf("nothing was said to %d", person)
	}
	return all[len(all)-1]
}

func write(t *testing.T, p *fixture.Phones, person int64, text string) telegramtest.Message {
	t.Helper()
	if err := p.Telegram.Write(person, text, "en"); err != nil {
		t.Fatal(err)
	}
	return last(t, p, person)
}

func start(t *testing.T, p *fixture.Phones, person int64, body string) (link string) {
	t.Helper()
	a, link := p.AskFor(body, "Accept-Language", "en")
	if a.Status != http.StatusAccepted || !strings.HasPrefix(link, "https://t.me/"+telegramtest.Name+"?start=") {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	p.Links = append(p.Links, link[strings.IndexByte(link, '=')+1:])
	if err := p.Telegram.Start(person, link, "de"); err != nil {
		t.Fatal(err)
	}
	return link
}

// The bot sends nothing before the person presses the button. Then the chat gets one message about
// a fare, in the language of the request. The command /stop ends the alert.
func TestTelegram(t *testing.T) {
	p := phones(t)
	a, _ := p.AskFor(byTelegram)
	p.Push()
	if a.Status != http.StatusAccepted || p.Telegram.Calls() != 0 {
		t.Fatalf("%d %s, %d calls", a.Status, a.Body, p.Telegram.Calls())
	}
	start(t, p, ada, byTelegram)
	if m := last(t, p, ada); m.Bold != "The alert is on: Milan–Bucharest" || !strings.Contains(m.Text, "/stop") ||
		len(m.Buttons) != 1 {
		t.Errorf("%+v", m)
	}
	p.Fares(notifytest.Steady(3000)...)
	p.Push()
	told := last(t, p, ada)
	if !strings.HasPrefix(told.Bold, "Milan–Bucharest: fares are very low, ") ||
		!strings.Contains(told.Text, "Fares are very low") {
		t.Errorf("%+v", told)
	}
	end := told.Buttons["Stop this alert"]
	if len(told.Buttons) != 4 || !strings.HasPrefix(told.Buttons["Pause for a month"],
		fixture.PublicURL+"/v1/alerts/manage?t=") ||
		!strings.HasPrefix(end, fixture.PublicURL+"/v1/alerts/unsubscribe?t=") ||
		told.Buttons["See the verdict"] != fixture.PublicURL+"/?da=MIL&a=BUH&lang=en" {
		t.Errorf("%+v", told.Buttons)
	}
	p.Clock.Add(24 * time.Hour)
	p.Fares(notifytest.Steady(3000)...)
	p.Push()
	if n := len(p.Telegram.Messages(ada)); n != 2 {
		t.Errorf("%d messages: a fare that stays cheap is sent once", n)
	}
	if m := write(t, p, ada, "/list"); !strings.Contains(m.Text, "Milan–Bucharest, when fares are low") ||
		!strings.HasPrefix(m.Buttons["Change or end them"], fixture.PublicURL+"/v1/alerts/manage?t=") {
		t.Errorf("%+v", m)
	}
	if m := write(t, p, ada, "/stop"); m.Bold != "Your alerts have ended" {
		t.Errorf("%+v", m)
	}
	if m := write(t, p, ada, "/stop"); m.Bold != "No alerts" {
		t.Errorf("%+v", m)
	}
	for _, text := range []string{"hello", "/start", "/unknown"} {
		if m := write(t, p, ada, text); m.Bold != "Verdetto writes when a fare is good" {
			t.Errorf("%s: %+v", text, m)
		}
	}
}

// A chat cannot list, end or take over alerts of another chat. The link to confirm works once, for
// the first chat that opens it.
func TestTelegramOfOthers(t *testing.T) {
	p := phones(t)
	link := start(t, p, ada, byTelegram)
	for _, text := range []string{"/list", "/stop", "/list 1001", "/stop 1001",
		"/stop@" + telegramtest.Name + " 1001"} {
		if m := write(t, p, bob, text); m.Bold != "No alerts" {
			t.Errorf("%s: %+v", text, m)
		}
	}
	for person, want := range map[int64]string{bob: "Schon bestätigt", ada: "Schon bestätigt"} {
		if err := p.Telegram.Start(person, link, "de"); err != nil {
			t.Fatal(err)
		}
		if m := last(t, p, person); m.Bold != want {
			t.Errorf("%+v", m)
		}
	}
	if m := write(t, p, bob, "/list"); m.Bold != "No alerts" {
		t.Errorf("%+v", m)
	}
	// Neither can a chat confirm an alert by mail or ntfy, nor a page one of a chat.
	p.Do("POST", "/v1/alerts", `{"route":"MIL-LON","email":"ada@example.com"}`)
	mails := p.Received("ada@example.com")
	mailed := p.Link(mails[0])
	if m := write(t, p, bob, "/start "+mailed[strings.IndexByte(mailed,
		'=')+1:]); m.Bold != "This link no longer works" {
		t.Errorf("%+v", m)
	}
	p.Do("POST", mailed, "").Want(t, http.StatusOK)
	_, other := p.AskFor(`{"route":"MIL-LON","channel":"telegram"}`)
	id := other[strings.IndexByte(other, '=')+1:]
	p.Links = append(p.Links, id)
	for _, method := range []string{"GET", "POST"} {
		if a := p.Do(method, "/v1/alerts/confirm?id="+id, ""); a.Status != http.StatusGone {
			t.Errorf("%s: %d", method, a.Status)
		}
	}
	for _, bad := range []string{"x", strings.Repeat("A", 22), strings.Repeat("A", 4000), "../../etc"} {
		if m := write(t, p, bob, "/start "+bad); m.Bold != "This link no longer works" {
			t.Errorf("%.30s: %+v", bad, m)
		}
	}
	p.Clock.Add(49 * time.Hour)
	if m := write(t, p, bob, "/start "+id); m.Bold != "This link no longer works" {
		t.Errorf("%+v", m)
	}
	// In a group chat, commands end no alert, and other messages get no answer.
	for text, answered := range map[string]bool{"/stop": true, "/list": true, "good morning": false} {
		if err := p.Telegram.Deliver(p.Telegram.Update(-5, "group", text, "en")); err == nil == answered {
			// The imitation of Telegram has no such chat, so an answer of the bot causes an error.
			t.Errorf("%s in a group: %v", text, err)
		}
	}
	if m := write(t, p, ada, "/list"); m.Bold != "Your alerts" {
		t.Errorf("%+v", m)
	}
}

// A call without the secret has no effect. A malformed update is dropped with status 200.
func TestTelegramsCalls(t *testing.T) {
	p := phones(t)
	start(t, p, ada, byTelegram)
	stop := string(p.Telegram.Update(ada, "private", "/stop", "en"))
	const secret = "X-Telegram-Bot-Api-Secret-Token"
	for name, header := range map[string][]string{"no secret": nil, "an empty one": {secret, ""},
		"another": {secret, telegramtest.Secret + "x"}, "a part": {secret, telegramtest.Secret[:10]}} {
		a := p.Do("POST", "/v1/alerts/telegram", stop, header...)
		if a.Status != http.StatusForbidden || !strings.Contains(a.Body, "non-da-telegram") {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	for _, body := range []string{`{`, `[]`, `{"update_id":1}`, `{"update_id":1,"message":"x"}`,
		`{"update_id":1,"message":{"message_id":1,"date":1,"chat":{"id":"x"}}}`} {
		if a := p.Do("POST", "/v1/alerts/telegram", body, secret, telegramtest.Secret); a.Status != http.StatusOK ||
			a.Body != "{}" {
			t.Errorf("%s: %d %s", body, a.Status, a.Body)
		}
	}
	if m := write(t, p, ada, "/list"); m.Bold != "Your alerts" {
		t.Errorf("%+v", m)
	}
	// Telegram may repeat an update.
	for range 3 {
		if err := p.Telegram.Deliver([]byte(stop)); err != nil {
			t.Error(err)
		}
	}
	clock := storetest.NewClock()
	off := fixture.Open(t, fixture.Bolt(t, clock.Now), clock)
	off.Do("POST", "/v1/alerts/telegram", stop, secret, "").Want(t, http.StatusForbidden, "no Telegram bot")
	off.Do("POST", "/v1/alerts", byTelegram).Want(t, http.StatusBadRequest, "has no bot there. Choose mail or ntfy")
}

// A user who blocks the bot loses all alerts, and can come back by writing to it.
func TestTelegramBlocked(t *testing.T) {
	p := phones(t)
	start(t, p, ada, byTelegram)
	if err := p.Telegram.Block(ada); err != nil {
		t.Fatal(err)
	}
	if m := write(t, p, ada, "/list"); m.Bold != "No alerts" { // writing unblocks the bot
		t.Errorf("%+v", m)
	}
	// Without Telegram's notice about the block, the first refused message reveals it.
	start(t, p, ada, byTelegram)
	p.Telegram.Fail(func(int64) telegramtest.Fault {
		return telegramtest.Fault{Status: 403, Says: "Forbidden: bot was blocked by the user"}
	})
	p.Fares(notifytest.Steady(3000)...)
	p.Push()
	p.Telegram.Fail(nil)
	if m := write(t, p, ada, "/list"); m.Bold != "No alerts" {
		t.Errorf("%+v", m)
	}
	start(t, p, ada, byTelegram)
	if m := last(t, p, ada); m.Bold != "The alert is on: Milan–Bucharest" {
		t.Errorf("%+v", m)
	}
}

func confirmed(t *testing.T, p *fixture.Phones, body, topic string) {
	t.Helper()
	before := len(p.Ntfy.Messages(topic))
	if a, link := p.AskFor(body, "Accept-Language", "en"); a.Status != http.StatusAccepted || link != "" {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	p.Push()
	shown := p.Ntfy.Messages(topic)
	if len(shown) != before+1 {
		t.Fatalf("%d messages, after %d", len(shown), before)
	}
	link := strings.TrimPrefix(shown[before].Click, fixture.PublicURL)
	p.Links = append(p.Links, link[strings.IndexByte(link, '=')+1:])
	if a := p.Do("GET", link, ""); a.Status != http.StatusOK {
		t.Fatalf("%d", a.Status)
	}
	if a := p.Do("POST", link, ""); a.Status != http.StatusOK {
		t.Fatalf("%d", a.Status)
	}
}

func TestNtfy(t *testing.T) {
	p := phones(t)
	confirmed(t, p, byNtfy, topic)
	if m := p.Ntfy.Messages(topic)[0]; m.Title != "Confirm the alert Milan–Bucharest" ||
		!strings.Contains(m.Text, "when the cheapest fare is €40.00 or less") || len(m.Actions) != 1 {
		t.Errorf("%+v", m)
	}
	p.Fares(notifytest.Steady(4500)...)
	p.Push()
	p.Clock.Add(24 * time.Hour)
	p.Fares(notifytest.Steady(4500, 3000)...)
	p.Push()
	p.Clock.Add(24 * time.Hour)
	p.Fares(notifytest.Steady(4500, 3000, 3000)...)
	p.Push()
	shown := p.Ntfy.Messages(topic)
	if len(shown) != 2 || !strings.HasPrefix(shown[1].Title, "Milan–Bucharest: now €30.00") ||
		len(shown[1].Actions) != 3 || shown[1].Click != fixture.PublicURL+"/?da=MIL&a=BUH&lang=en" {
		t.Fatalf("%+v", shown)
	}
	end := strings.TrimPrefix(shown[1].Actions[2].URL, fixture.PublicURL)
	p.Links = append(p.Links, end[strings.IndexByte(end, '=')+1:])
	p.Do("POST", end, "").Want(t, http.StatusOK)
	p.Clock.Add(24 * time.Hour)
	p.Fares(notifytest.Steady(4500, 3000, 5000, 3000)...)
	p.Push()
	if n := len(p.Ntfy.Messages(topic)); n != 2 {
		t.Errorf("%d messages after the alert has ended", n)
	}
	// Topics are case-sensitive.
	links := p.Alerts.Links
	if links.SubscriberAt(store.Ntfy, topic) == links.SubscriberAt(store.Ntfy, strings.ToUpper(topic)) {
		t.Error("two topics are one subscriber")
	}
}

// One caller can neither flood a topic with requests to confirm nor use up the quota of an ntfy
// server.
func TestNtfyFlood(t *testing.T) {
	p := phones(t)
	for i := range 12 {
		if a := p.From(fmt.Sprintf("10.0.%d.1:1", i), "POST", "/v1/alerts", byNtfy); a.Status != http.StatusAccepted {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	p.Push()
	if n := p.Ntfy.Calls(); n != 3 {
		t.Errorf("%d questions in an hour", n)
	}
	for i := range 150 {
		p.From(fmt.Sprintf("10.1.%d.1:1", i), "POST", "/v1/alerts",
			strings.Replace(byNtfy, "fares-of-ada", fmt.Sprintf("topic-%d", i), 1))
	}
	p.Push()
	if n := p.Ntfy.Calls(); n > 3+2*100 { // the hour may change meanwhile
		t.Errorf("%d questions to a server", n)
	}
}

// An ntfy server that misbehaves delays or loses only its own messages.
func TestNtfyServersOfStrangers(t *testing.T) {
	p := phones(t)
	confirmed(t, p, byNtfy, topic)
	const strange = "https://strange.example.net/topic"
	for i := range 30 {
		at := fmt.Sprintf("https://strange.example.net/topic-%d", i)
		p.Clock.Add(time.Hour)
		if a := p.From(fmt.Sprintf("10.2.%d.1:1", i), "POST", "/v1/alerts",
			strings.Replace(byNtfy, topic, at, 1)); a.Status != http.StatusAccepted {
			t.Fatalf("%d", a.Status)
		}
		p.Push()
		link := strings.TrimPrefix(p.Ntfy.Messages(at)[0].Click, fixture.PublicURL)
		if a := p.Do("POST", link, ""); a.Status != http.StatusOK {
			t.Fatalf("%d", a.Status)
		}
	}
	p.Ask("MIL-BUH", "eve@example.com", "40")
	if a := p.Do("POST", p.Link(p.Received("eve@example.com")[0]), ""); a.Status != http.StatusOK {
		t.Fatalf("%d", a.Status)
	}
	p.Ntfy.Fail(func(host string) (f ntfytest.Fault) {
		f.Down = host == "strange.example.net"
		return f
	})
	p.Fares(notifytest.Steady(3000)...)
	if n := len(p.Received("eve@example.com")); n != 2 {
		t.Errorf("%d mails", n)
	}
	p.Push()
	if n := len(p.Ntfy.Messages(topic)); n != 2 {
		t.Errorf("%d messages", n)
	}
	p.Ntfy.Fail(nil)
	for range 6 {
		p.Push()
	}
	if n := len(p.Ntfy.Messages(strange + "-7")); n != 2 {
		t.Errorf("%d messages, now that the server is there again", n)
	}
	p.Ntfy.Fail(func(host string) (f ntfytest.Fault) {
		if host == "strange.example.net" {
			f = ntfytest.Fault{Status: http.StatusOK, Body: "<html>"}
		}
		return f
	})
	for _, price := range []fare.Cents{6000, 2000} {
		p.Clock.Add(24 * time.Hour)
		p.Fares(notifytest.Steady(price)...)
		p.Push()
	}
	if left, err := p.Alerts.Alerts.BySubscriber(t.Context(),
		p.Alerts.Links.SubscriberAt(store.Ntfy, strange+"-7")); err != nil || len(left) != 0 {
		t.Errorf("%v %v", left, err)
	}
}

func TestChannelRequests(t *testing.T) {
	p := phones(t)
	for body, want := range map[string]string{
		`{"route":"MIL-BUH","channel":"fax","email":"ada@example.com"}`:                                "channel is none of the channels: mail, ntfy, telegram",
		`{"route":"MIL-BUH","channel":"ntfy"}`:                                                         "address is missing",
		`{"route":"MIL-BUH","channel":"ntfy","address":"ntfy.sh/x"}`:                                   "address is not the https URL of a topic",
		`{"route":"MIL-BUH","channel":"ntfy","address":"http://ntfy.sh/x"}`:                            "address is not the https URL of a topic",
		`{"route":"MIL-BUH","channel":"ntfy","address":"https://127.0.0.1/x"}`:                         "address is not the https URL of a topic",
		`{"route":"MIL-BUH","channel":"ntfy","address":"https://ntfy.sh/x","email":"ada@example.com"}`: "email does not go with the channel ntfy: leave it out",
		`{"route":"MIL-BUH","channel":"telegram","address":"123"}`:                                     "address does not go with the channel telegram: leave it out",
		`{"route":"MIL-BUH","channel":"telegram","email":"ada@example.com"}`:                           "email does not go with the channel telegram: leave it out",
		`{"route":"MIL-BUH","email":"ada@example.com","address":"https://ntfy.sh/x"}`:                  "address does not go with the channel mail: leave it out",
		`{"route":"MIL-BUH","channel":"mail"}`:                                                         "email is missing",
		`{"route":"MIL-BUH","channel":7,"email":"ada@example.com"}`:                                    "channel is not a text",
		`{"route":"MIL-BUH","chanel":"ntfy","email":"ada@example.com"}`:                                "chanel is no field of this request: it has channel, ",
	} {
		if a := p.Do("POST", "/v1/alerts", body); a.Status != http.StatusBadRequest || !strings.Contains(a.Body, want) {
			t.Errorf("%s: %d %s", body, a.Status, a.Body)
		}
	}
	p.Do("POST", "/v1/alerts", `{"route":"MIL-BUH","channel":"mail","email":"ada@example.com"}`).Want(t,
		http.StatusAccepted)
	for form, want := range map[string]string{
		"route=MIL-BUH&channel=telegram&email=&threshold=&address=":           `href="https://t.me/`,
		"route=MIL-BUH&channel=ntfy&email=&address=https%3A%2F%2Fntfy.sh%2Fx": "If the topic accepts our messages",
	} {
		p.Clock.Add(time.Hour)
		a := p.Do("POST", "/v1/alerts", form, "Content-Type", "application/x-www-form-urlencoded", "Accept",
			"text/html", "Accept-Language", "en")
		if a.Status != http.StatusAccepted || !strings.Contains(a.Body, want) {
			t.Errorf("%s: %d %s", form, a.Status, a.Body)
		}
	}
}
