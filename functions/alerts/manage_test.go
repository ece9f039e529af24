package alerts_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

type looking struct {
	*fixture.Subscriptions
	t                        *testing.T
	manage, snooze, end, bob string
	ref                      store.Ref
}

func newLooking(t *testing.T) *looking {
	t.Helper()
	clock := storetest.NewClock()
	l := &looking{Subscriptions: fixture.OpenSubscriptions(t, fixture.Bolt(t, clock.Now), clock), t: t,
		ref: store.Ref{Route: fixture.Route}}
	l.Subscribe("MIL-BUH", "ada@example.com", "40")
	l.Subscribe("MIL-LON", "ada@example.com", "")
	l.Subscribe("MIL-BUH", "bob@example.com", "55")
	links := notify.Links{Pepper: []byte(fixture.Pepper)}
	l.manage, l.bob = l.ManageLink("ada@example.com"), l.ManageLink("bob@example.com")
	l.end = l.EndLink("MIL-BUH", "ada@example.com")
	l.snooze = links.Snooze(fixture.Subscriber("ada@example.com"), l.ref)
	l.Links = append(l.Links, strings.TrimPrefix(l.snooze, "/v1/alerts/manage?t="))
	return l
}

func (l *looking) one(email string) store.Alert {
	l.t.Helper()
	a, err := l.Alerts.Alerts.One(l.t.Context(), l.ref, fixture.Subscriber(email))
	if err != nil {
		l.t.Fatal(err)
	}
	return a
}

func (l *looking) all() string {
	return everything(l.t, l.Table, "ALERTS#MIL-BUH", "ALERTS#MIL-LON",
		"SUBSCRIBER#"+string(fixture.Subscriber("ada@example.com")),
		"SUBSCRIBER#"+string(fixture.Subscriber("bob@example.com")))
}

func TestManageChanges(t *testing.T) {
	t.Parallel()
	l := newLooking(t)
	today := fare.DayOf(l.Clock.Now())
	for _, c := range []struct {
		name, body string
		status     int
		says       string
		threshold  fare.Cents
		paused     fare.Day
	}{
		{"another threshold", "change=MIL-BUH&threshold=29,90", 200, "la modifica è salvata", 2990, 0},
		{"one that is none", "change=MIL-BUH&threshold=gratis", 400, "Scrivi un importo", 2990, 0},
		{"a negative one", "change=MIL-BUH&threshold=-4", 400, "Scrivi un importo", 2990, 0},
		{"by the verdict", "change=MIL-BUH&threshold=", 200, "quando diventa conveniente", 0, 0},
		{"paused for a month", "snooze=MIL-BUH", 200, "In pausa fino", 0, today + notify.SnoozeDays},
		{"paused until resumed", "pause=MIL-BUH", 200, "finché non lo riattivi", 0, store.UntilResumed},
		{"resumed", "resume=MIL-BUH", 200, "la modifica è salvata", 0, 0},
		{"an alert that there is not", "pause=MIL-ROM", 410, "già disattivato", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := l.Form(l.manage, c.body)
			if a.Status != c.status || !strings.Contains(strings.ToLower(a.Page()), strings.ToLower(c.says)) {
				t.Errorf("%d %s", a.Status, a.Page())
			}
			if got := l.one("ada@example.com"); got.Threshold != c.threshold || got.Paused != c.paused {
				t.Errorf("threshold %v, paused until %v", got.Threshold, got.Paused)
			}
			if got := l.one("bob@example.com"); got.Threshold != 5500 || got.Paused != 0 {
				t.Errorf("another's alert is %+v", got)
			}
		})
	}
	if !l.one("ada@example.com").Fresh {
		t.Error("a changed threshold is no new condition")
	}
}

// The link to pause an alert asks first, pauses only that alert, and lists no other.
func TestSnooze(t *testing.T) {
	t.Parallel()
	l := newLooking(t)
	if a := l.Do("GET", l.snooze, ""); a.Status != 200 ||
		!strings.Contains(a.Page(), "Mettere in pausa Milano–Bucarest") || strings.Contains(a.Page(), "Londra") ||
		l.one("ada@example.com").Paused != 0 {
		t.Fatalf("%d %s", a.Status, a.Page())
	}
	for range 2 { // the first answer was lost; the button is pressed again
		if a := l.Form(l.snooze, ""); a.Status != 200 || !strings.Contains(a.Page(), "è in pausa") ||
			strings.Contains(a.Page(), "Londra") {
			t.Fatalf("%d %s", a.Status, a.Page())
		}
		if got, want := l.one("ada@example.com").Paused, fare.DayOf(l.Clock.Now())+notify.SnoozeDays; got != want {
			t.Errorf("paused until %s, want %s", got, want)
		}
	}
	l.Form(l.manage, "pause=MIL-BUH")
	if l.Form(l.snooze, ""); l.one("ada@example.com").Paused != store.UntilResumed {
		t.Error("a pause without an end was given one")
	}
	l.Form(l.end, "")
	for _, method := range []string{"GET", "POST"} {
		if a := l.Do(method, l.snooze, "", "Content-Type", fixture.Form); a.Status != 410 {
			t.Errorf("%s of one that was ended: %d", method, a.Status)
		}
	}
}

func TestStrangersChangeNothing(t *testing.T) {
	t.Parallel()
	l := newLooking(t)
	token := func(link string) string { _, t, _ := strings.Cut(link, "="); return t }
	ada, bob := string(fixture.Subscriber("ada@example.com")), string(fixture.Subscriber("bob@example.com"))
	swapped := func(link string) string { return strings.Replace(token(link), bob, ada, 1) }
	const manageAt, endAt = "/v1/alerts/manage?t=", "/v1/alerts/unsubscribe?t="
	type attempt struct {
		name, target, body string
		status             int
	}
	attempts := []attempt{
		{"no token", "/v1/alerts/manage", "all=1", 400},
		{"the pseudonym alone", manageAt + ada, "all=1", 400},
		{"the pseudonym, unsigned", manageAt + ada + "..", "all=1", 400},
		{"bob's link with ada's pseudonym", manageAt + swapped(l.bob), "all=1", 400},
		{"a link to unsubscribe, to manage", manageAt + token(l.end), "all=1", 400},
		{"a link to pause, to unsubscribe", endAt + token(l.snooze), "", 400},
		{"a link to manage, to unsubscribe", endAt + token(l.manage), "", 400},
		{"a link to pause of another route", manageAt + strings.Replace(token(l.snooze), "BUH", "LON", 1), "", 400},
		{"the id of a confirmation", manageAt + "AAAAAAAAAAAAAAAAAAAAAA", "all=1", 400},
		{"a body of nothing", l.manage, "", 400},
		{"a button that is made up", l.manage, "own=MIL-BUH", 400},
		{"no form", l.manage, "%zz", 400},
	}
	huge := strings.Repeat("9", 20_000)
	for _, body := range []string{ // posted without a token, as a foreign page could
		"all=1", "remove=MIL-BUH", "pause=MIL-BUH", "snooze=MIL-BUH", "change=MIL-BUH&threshold=1", "rotate=MIL-BUH",
		"test=MIL-BUH", "replay=MIL-BUH", "failed=MIL-BUH", "renew=1", "t=" + token(l.manage) + "&all=1",
	} {
		attempts = append(attempts, attempt{"without a token " + body[:4], "/v1/alerts/manage", body, 400},
			attempt{"with a token of bob's, for ada " + body[:4], manageAt + swapped(l.bob), body, 400})
	}
	attempts = append(attempts, attempt{"a huge threshold", l.manage, "change=MIL-BUH&threshold=" + huge, 400})
	for _, field := range []string{"days", "percent", "amount"} { // not fields of a threshold
		attempts = append(attempts, attempt{"a huge " + field, l.manage,
			"change=MIL-BUH&threshold=40&" + field + "=" + huge, 200})
	}
	for _, button := range []string{"test", "failed", "replay", "rotate"} {
		attempts = append(attempts, attempt{button + " of no endpoint", l.manage, button + "=MIL-BUH", 410},
			attempt{button + " of another's", l.manage, button + "=MIL-BUH~" + bob[:12], 410},
			attempt{button + " of a huge name", l.manage, button + "=" + huge, 400})
	}
	for _, button := range []string{"remove", "snooze", "pause", "resume", "change"} {
		attempts = append(attempts, attempt{button + " of a huge name", l.manage, button + "=" + huge, 400},
			attempt{button + " of a huge id", l.manage, button + "=MIL-BUH~" + huge, 400})
		for _, of := range []string{"", "*", "MIL", "MIL-", "MIL-BUH-LON", "mil buh", "../MIL-BUH", "MIL-BUH\r\nX: 1",
			bob, "PENDING#MIL-BUH"} {
			attempts = append(attempts, attempt{button + " " + of, l.manage,
				button + "=" + url.QueryEscape(of) + "&threshold=1", 400})
		}
		// An alert that does not exist, or belongs to the other person.
		attempts = append(attempts, attempt{button + " of an unknown alert", l.manage,
			button + "=ROM-PAR&threshold=1", 410},
			attempt{button + " of an id that is another's", l.manage,
				button + "=MIL-BUH~" + bob[:12] + "&threshold=1", 410})
	}
	before := l.all()
	for _, a := range attempts {
		got := l.Form(a.target, a.body)
		if got.Status != a.status {
			t.Errorf("%s: %d %s", a.name, got.Status, got.Page())
		}
		if l.all() != before {
			t.Fatalf("%s changed what is stored", a.name)
		}
		if strings.Contains(got.Body, "bob") && !strings.Contains(a.name, bob) || strings.Contains(got.Body, "55,00") {
			t.Errorf("%s shows another's: %s", a.name, got.Body)
		}
	}
	if len(attempts) < 50 {
		t.Errorf("%d attempts", len(attempts))
	}
	for _, body := range []string{"all=1", "remove=MIL-LON", "change=MIL-LON&threshold=1", "renew=1"} {
		if a := l.Form(l.snooze, body); a.Status != 200 || strings.Contains(a.Page(), "Londra") {
			t.Errorf("%s: %d %s", body, a.Status, a.Page())
		}
	}
	if got := l.Thresholds("ada@example.com"); fmt.Sprint(got) != "map[MIL-BUH:4000 MIL-LON:0]" {
		t.Errorf("alerts %v", got)
	}
}
