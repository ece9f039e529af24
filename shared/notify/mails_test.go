package notify

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

func aMail(t *testing.T) (store.Alert, Message) {
	t.Helper()
	picture, err := os.ReadFile(filepath.Join("testdata", "lows.png"))
	if err != nil {
		t.Fatal(err)
	}
	link := func(action string) string {
		return "https://verdetto.example/v1/alerts/" + action + "?t=" + strings.Repeat("a", 22)
	}
	return store.Alert{Route: fare.Route{Origin: "MIL", Destination: "BUH"}, Email: "ada@example.com", Language: "it"},
		Message{ID: "20160301-MIL-BUH-abc", Language: "it", Day: 16861, Picture: mail.Picture{PNG: picture, Width: 560, Height: 160, Weeks: 26},
			Fares: []Fare{{Origin: "Milano", Destination: "Bucarest", Price: 1499, Known: 2199, Depart: 16890,
				Found: time.Date(2016, 3, 1, 3, 12, 0, 0, time.UTC), Level: "ottimo", Reliability: "media", Sample: 267,
				ForDay: &Judged{"ottimo", "media", 5250, 267}, Page: "https://verdetto.example/?da=MIL&a=BUH&lang=it"}},
			Unsubscribe: link("unsubscribe"), Snooze: link("snooze"), Manage: link("manage")}
}

// The flag -update writes these mails anew.
func TestMails(t *testing.T) {
	usual := "Partenze simili costano di solito fra 50 e 70\u00a0€ con questo anticipo."
	for name, change := range map[string]func(*store.Alert, *Message, *Fare){
		"alert-it": func(*store.Alert, *Message, *Fare) {},
		"alert-de": func(_ *store.Alert, _ *Message, f *Fare) { f.Origin, f.Destination = "Mailand", "Bukarest" },
		"alert-fr": func(_ *store.Alert, m *Message, f *Fare) { f.Origin, m.Day = "Milan", 16862 },
		"alert-en": func(_ *store.Alert, m *Message, f *Fare) {
			f.Origin, f.Destination, m.Day = "Milan", "Bucharest", 16864
		},
		"alert-es": func(_ *store.Alert, _ *Message, f *Fare) { f.Origin = "Milán" },
		"alert-pt": func(_ *store.Alert, _ *Message, f *Fare) { f.Origin, f.Destination = "Milão", "Bucareste" },
		"alert-waits-it": func(a *store.Alert, _ *Message, f *Fare) {
			a.RequestDay, f.Departure = 16800, []string{usual}
			f.Waits = []string{"Finora aspettare non ha reso in modo chiaro: non te lo consigliamo.",
				"Entro 7 giorni: probabilità di un calo del 5% o più 12\u00a0%."}
		},
		"alert-threshold-it": func(a *store.Alert, _ *Message, f *Fare) {
			a.Threshold, f.Price, f.Level, f.ForDay, f.Destination = 130000, 123456, "caro", nil, "Santiago de Compostela"
		},
		"alert-threshold-en": func(a *store.Alert, _ *Message, f *Fare) {
			a.Threshold, f.ForDay = 2000, &Judged{"normale", "media", 1510, 267}
		},
		"alert-return-en": func(a *store.Alert, m *Message, f *Fare) {
			a.Trip = store.Trip{From: 16890, To: 16890, Nights: fare.Return4to7}
			a.Kind, a.Percent, m.Picture.PNG = store.Drop, 10, nil
			f.Trip, f.Return, f.Destination, f.Before, f.LastDay = a.Trip, 16895, "Bucharest", 1999, 16851
		},
		"alert-booked-fr": func(a *store.Alert, _ *Message, f *Fare) {
			a.Trip, a.Kind, a.Threshold = store.Trip{From: 16890, To: 16890}, store.Paid, 4499
			f.Trip, f.Origin = a.Trip, "Milan"
		},
		"alert-trip-it": func(a *store.Alert, _ *Message, f *Fare) {
			a.Trip, a.Kind, a.Days = store.Trip{From: 16890, To: 16890}, store.Low, 30
			f.Trip, f.Lowest, f.Departure = a.Trip, 2199, []string{usual}
		},
		"list-it": func(a *store.Alert, m *Message, f *Fare) {
			a.Route.Destination, a.Trip.Nonstop, a.RequestDay = store.Anywhere, true, 16800
			m.Origin, m.More, m.List, m.Day, m.Picture.PNG = "Milano", 12, "https://verdetto.example/?da=MIL&diretto=si&lang=it", 16862, nil
			second := *f
			second.Destination, second.Price, second.ForDay = "Londra", 1999, &Judged{"buono", "media", 5250, 0}
			m.Fares = append(m.Fares, second)
		},
		"end-it": func(a *store.Alert, m *Message, _ *Fare) {
			m.Ended, a.Trip, m.Picture.PNG = true, store.Trip{From: 16801, To: 16801}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, m := aMail(t)
			m.Language = name[len(name)-2:]
			a.Language = m.Language
			change(&a, &m, &m.Fares[0])
			got, err := mailOf(a, m)
			if err != nil {
				t.Fatal(err)
			}
			hold(t, name, got, len(m.Picture.PNG) > 0)
			for _, body := range []string{got.Text, got.HTML} {
				if f := m.Fares[0]; f.ForDay != nil && !m.Ended && m.List == "" {
					word := i18n.ForCode(m.Language).Text("level." + string(f.ForDay.Level))
					if n := len(regexp.MustCompile(`[>:] ?`+word+`(<|\n)`).FindAllString(body, -1)); (n == 1) != (a.Kind != store.Paid) {
						t.Errorf("%d times the level %q", n, word)
					}
				}
			}
			for what, spoil := range map[string]func(*store.Alert, *Message){
				"address": func(a *store.Alert, _ *Message) { a.Email = "" },
				"fare":    func(_ *store.Alert, m *Message) { m.Fares = nil },
				"way out": func(_ *store.Alert, m *Message) { m.Unsubscribe = "http://verdetto.example/" },
				"list":    func(_ *store.Alert, m *Message) { m.Manage = "javascript:alert(1)" },
			} {
				a, m := a, m
				spoil(&a, &m)
				if got, err := mailOf(a, m); err == nil || got.Text != "" {
					t.Errorf("no %s: wrote %q, %v", what, got.Text, err)
				}
			}
		})
	}
}

func TestRequestedMails(t *testing.T) {
	links := Links{Pepper: []byte("pepper"), BaseURL: "https://verdetto.example"}
	confirm := func(l Links, a store.Alert) (mail.Message, error) { return l.confirmMail(a, "AAECAwQFBgcICQoLDA0ODw") }
	manage := func(l Links, a store.Alert) (mail.Message, error) { return l.manageMail(a, fare.Day(16861).Time()) }
	endpoint := func(l Links, a store.Alert) (mail.Message, error) { return l.endpointMail(a, fare.Day(16861).Time()) }
	for name, c := range map[string]struct {
		write func(Links, store.Alert) (mail.Message, error)
		alert store.Alert
	}{
		"confirm-it":         {confirm, store.Alert{Language: "it", Threshold: 4050}},
		"confirm-en":         {confirm, store.Alert{Language: "en", Threshold: 4050}},
		"confirm-it-verdict": {confirm, store.Alert{Language: "it"}},
		"confirm-en-verdict": {confirm, store.Alert{Language: "en"}},
		"confirm-en-webhook": {confirm, store.Alert{Language: "en", Channel: store.Webhook, Address: "https://hook.example.com/secret"}},
		"alerts-it":          {manage, store.Alert{Language: "it"}},
		"alerts-en":          {manage, store.Alert{Language: "en"}},
		"endpoint-en":        {endpoint, store.Alert{Language: "en", Channel: store.Webhook, Address: "https://hook.example.com/secret"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := c.alert
			a.Route, a.Email, a.Subscriber = fare.Route{Origin: "MIL", Destination: "BUH"}, "ada@example.com", "s"
			got, err := c.write(links, a)
			if err != nil {
				t.Fatal(err)
			}
			hold(t, name, got, false)
			if strings.Contains(got.Text+got.HTML, "secret") {
				t.Error("tells the path of the endpoint")
			}
			stop := links.BaseURL + links.Requests(links.Mailbox(a.Email))
			if name == "endpoint-en" {
				stop = ""
			}
			if got.To != a.Email || got.Unsubscribe != stop || !strings.Contains(got.Text, stop) {
				t.Errorf("to %s, unsubscribed by %q, want %q", got.To, got.Unsubscribe, stop)
			}
			for what, spoil := range map[string]func(*Links, *store.Alert){
				"address": func(_ *Links, a *store.Alert) { a.Email += "\r\nBcc: bob@example.com" },
				"link":    func(l *Links, _ *store.Alert) { l.BaseURL = "http://verdetto.example" },
			} {
				l, a := links, a
				spoil(&l, &a)
				if got, err := c.write(l, a); err == nil || got.Text != "" {
					t.Errorf("no %s: wrote %q, %v", what, got.Text, err)
				}
			}
		})
	}
}

func TestDigestMails(t *testing.T) {
	today := fare.Day(16861)
	line := func(to fare.City, a store.Alert, met bool, price, before, usual fare.Cents, level string) digestLine {
		a.Route, a.Email, a.Subscriber = fare.Route{Origin: "MIL", Destination: to}, "ada@example.com", "s"
		n := news{Route: a.Route, Depart: 16890, Found: today.Time().Unix() + 11520, Price: price}
		if level != "" {
			n.Level, n.Reliability = "ottimo", "media"
			n.ahead = &verdict.Judgement{Judged: verdict.Judged{Verdict: verdict.Verdict{Level: verdict.Level(level),
				Reliability: "media", Median: usual}}, Quartiles: &verdict.Quartiles{}}
		}
		return digestLine{alert: a, found: n, price: price, before: before, met: met}
	}
	for _, language := range []string{"it", "en"} {
		a := store.Alert{Language: language}
		trip, low, drop, under := a, a, a, a
		trip.Trip = store.Trip{From: 16890, To: 16890, Nights: fare.Return4to7}
		low.Kind, low.Days = store.Low, 30
		drop.Kind, drop.Percent = store.Drop, 10
		under.Threshold = 2000
		lines := []digestLine{
			line("BUH", under, true, 1499, 1999, 5250, "ottimo"), line("LON", trip, false, 8800, 8800, 8000, "normale"),
			line("LIS", low, false, 12345, 9900, 9900, "caro"), line("ROM", drop, false, 4500, 0, 0, ""),
			line("MAD", a, false, 0, 5000, 0, ""),
		}
		got, err := (Links{Pepper: []byte("pepper"), BaseURL: "https://verdetto.example"}).digestMail("s", today, today, lines)
		if err != nil {
			t.Fatal(err)
		}
		hold(t, "digest-"+language, got, false)
	}
}

var loads = regexp.MustCompile(`(?i)<(link|script|iframe|object|video)|url\(|@import|\ssrc="(?:[^c]|c[^i])`)

func hold(t *testing.T, name string, got mail.Message, picture bool) {
	t.Helper()
	for ending, content := range map[string]string{"txt": got.Subject + "\n\n" + got.Text, "html": got.HTML} {
		path := filepath.Join("testdata", "mails", name+"."+ending)
		if *update {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if diff := cmp.Diff(string(want), content); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", path, err, diff)
		}
		if strings.Contains(content, "no value") || strings.Contains(content, "ZgotmplZ") {
			t.Errorf("%s is wrongly filled", path)
		}
	}
	if found := loads.FindString(got.HTML); found != "" || strings.Contains(got.HTML, "<img") != picture ||
		(len(got.Inline) > 0) != picture {
		t.Errorf("loads %q, %d pictures", found, len(got.Inline))
	}
	for line := range strings.SplitSeq(got.Text, "\n") {
		if len([]rune(line)) > 78 && !strings.Contains(line, "https://") {
			t.Errorf("long line %q", line)
		}
	}
}
