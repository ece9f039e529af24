package pro_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/notify"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

// Tests of the mails that strangers can cause to a mailbox. Mails about alerts and mails about
// plans count together.

const ada, home = "ada@example.com", "192.0.2.7:1"

var stopPattern = regexp.MustCompile(`/v1/alerts/unsubscribe\?t=[\w.-]+`)

// mailsOfAda returns the mails to ada's mailbox, in every spelling of ada's address.
func mailsOfAda(s fixture.Shop) (mails []maildir.Mail) {
	s.T.Helper()
	all, err := maildir.Read(s.Mails)
	if err != nil {
		s.T.Fatal(err)
	}
	for _, m := range all {
		if strings.HasPrefix(strings.ToLower(m.To), "ada") {
			mails = append(mails, m)
		}
	}
	return mails
}

// flood requests every kind of mail every half hour, for the given number of hours. Each request
// comes from a new IP address. It returns the times of the mails that arrive.
func flood(s fixture.Shop, hours int) (came []time.Time) {
	s.T.Helper()
	before := len(mailsOfAda(s))
	for n := range hours * 2 {
		from := fmt.Sprintf("10.200.%d.1:1", n)
		for _, ask := range []struct{ path, body string }{
			{"/v1/alerts", fixture.Object("route", "MIL-BUH", "email", fmt.Sprintf("ada+%d@example.com", n%3))},
			{"/v1/alerts", fixture.Object("route", "MIL-LON", "email", ada)},
			{"/v1/pro/gestione", fixture.Object("email", ada)},
			{"/v1/pro/recupera", fixture.Object("email", "ADA@example.com")},
		} {
			known := s.From(from, "POST", ask.path, ask.body)
			unknown := s.From(from, "POST", ask.path, strings.Replace(strings.ToLower(ask.body), "ada", "eve", 1))
			if known.Status != 202 || known.Status != unknown.Status || known.Body != unknown.Body {
				s.T.Fatalf("%d %s; of an address without a plan %d %s", known.Status, known.Body, unknown.Status,
					unknown.Body)
			}
		}
		work(s)
		for range len(mailsOfAda(s)) - before - len(came) {
			came = append(came, s.Clock.Now())
		}
		s.Clock.Add(30 * time.Minute)
	}
	return came
}

// work runs all jobs of the outboxes for alerts and plans.
func work(s fixture.Shop) {
	s.T.Helper()
	for idle := 0; idle < 2; idle++ {
		for _, do := range []func() (int, error){
			func() (int, error) { return s.Pro.Work(s.T.Context()) },
			func() (int, error) { return s.Alerts.Confirmations.Work(s.T.Context()) },
		} {
			done, err := do()
			if err != nil {
				s.T.Fatal(err)
			}
			if done > 0 {
				idle = -1
			}
		}
	}
}

// arrives sends a request from an IP address and reports whether the request causes a mail.
func arrives(s fixture.Shop, from, path, body string, header ...string) bool {
	s.T.Helper()
	before := len(mailsOfAda(s))
	must(s.T, s.From(from, "POST", path, body, header...), 202, "")
	work(s)
	return len(mailsOfAda(s)) == before+1
}

// TestStrangersFillNoMailbox: in any 24 hours at most 6 mails that strangers cause arrive, of all
// kinds together and from any number of IP addresses. Mails that the owner requests still arrive.
func TestStrangersFillNoMailbox(t *testing.T) {
	s := parallel(t)
	key := s.Verify(ada, s.Send(fixture.Price, "")).APIKey
	storetest.Must(t, s.Pro.Keys.Change(t.Context(), s.Customer(ada).ID, func(c *store.Customer) error {
		c.GuardedUntil = s.Clock.Now().AddDate(1, 0, 0)
		return nil
	}))
	came := flood(s, 36)
	for i := notify.MailsPerDay; i < len(came); i++ {
		if span := came[i].Sub(came[i-notify.MailsPerDay]); span < 24*time.Hour {
			t.Errorf("%d mails came within %v", notify.MailsPerDay+1, span)
		}
	}
	if len(came) < notify.MailsPerDay || len(came) > 2*notify.MailsPerDay {
		t.Errorf("%d mails came in 36 hours", len(came))
	}

	alert := fixture.Object("route", "MIL-PAR", "email", ada)
	if arrives(s, home, "/v1/alerts", alert) {
		t.Error("the quota is not used up")
	}
	stop := newest(s, ada, stopPattern)
	wantPage(t, s.From(home, "GET", stop+"&lang=it", "", "Accept-Language", "en"), 200, "Let my own requests through")
	if a := s.From(home, "POST", allow(stop), "", "Content-Type", fixture.Form, "Accept-Language",
		"en"); a.Status != 200 || !strings.Contains(a.Page(), "Your own requests come through") {
		t.Fatalf("%d %s", a.Status, a.Page())
	}
	if !arrives(s, home, "/v1/alerts", alert) || !arrives(s, home, "/v1/pro/gestione", fixture.Object("email", ada)) ||
		!arrives(s, home, "/v1/pro/recupera", fixture.Object("email", ada)) {
		t.Error("the owner's own requests do not arrive")
	}
	if arrives(s, "10.201.0.1:1", "/v1/alerts", alert) {
		t.Error("a stranger's request arrives")
	}
	// A request with the owner's key causes a mail, from any IP address. A wrong key does not.
	want(t, s.From("192.0.2.8:1", "POST", "/v1/pro/gestione", fixture.Object("email", ada), "X-Api-Key", mistyped(key)),
		401, "", "a key that is none")
	bob := s.Verify("bob@example.com", s.Send(fixture.Price, "")).APIKey
	if arrives(s, "192.0.2.8:1", "/v1/pro/gestione", fixture.Object("email", ada), "X-Api-Key", bob) {
		t.Error("another's key lets requests through")
	}
	if !arrives(s, "192.0.2.8:1", "/v1/pro/gestione", fixture.Object("email", ada), "X-Api-Key", key) {
		t.Error("the owner's request with the key does not arrive")
	}
}

// allow turns the link that stops mails into the link of the button that allows them again.
func allow(stop string) string { return strings.Replace(stop, "/unsubscribe", "/manage", 1) }

// TestOneStrangerLeavesRoom: one IP address can use up only half of a mailbox's quota. The owner's
// first request from another IP address still causes a mail.
func TestOneStrangerLeavesRoom(t *testing.T) {
	s := parallel(t)
	alert := fixture.Object("route", "MIL-BUH", "email", ada)
	for n := range 20 {
		if got := arrives(s, "10.200.0.1:1", "/v1/alerts", alert); got != (n < 3) {
			t.Errorf("mail %d of one stranger arrives: %v", n+1, got)
		}
		s.Clock.Add(time.Hour)
	}
	if !arrives(s, home, "/v1/alerts", alert) {
		t.Error("the owner's request does not arrive")
	}
}

// TestNoMoreMailsLikeThis: the link that stops requested mails (to confirm a request, or with a
// link or key) works for 180 days, also with one click in the mail program. A link of another
// mailbox changes nothing.
func TestNoMoreMailsLikeThis(t *testing.T) {
	s := parallel(t)
	alert := fixture.Object("route", "MIL-BUH", "email", ada)
	stranger := func() string { s.Clock.Add(time.Hour); return fmt.Sprintf("10.202.%d.1:1", s.Clock.Now().Unix()%200) }
	s.From(home, "POST", "/v1/alerts", fixture.Object("route", "MIL-BUH", "email", "bob@example.com"))
	if !arrives(s, stranger(), "/v1/alerts", alert) {
		t.Fatal("no mail came")
	}
	work(s)
	stop := newest(s, ada, stopPattern)
	if got := mailsOfAda(s)[0].Unsubscribe; got != fixture.LocalURL+stop {
		t.Errorf("List-Unsubscribe leads to %s, want %s", got, stop)
	}
	for name, bad := range map[string]string{
		"forged": stop[:len(stop)-4] + "AAAA", "cut short": stop[:len(stop)-1],
		"bob's":              newest(s, "bob@example.com", stopPattern),
		"of another purpose": strings.Replace(stop, "unsubscribe", "confirm", 1),
	} {
		s.Form(bad, "")
		s.Form(allow(bad), "")
		if !arrives(s, stranger(), "/v1/alerts", alert) {
			t.Errorf("a link that is %s stops mails", name)
		}
		s.Clock.Add(25 * time.Hour)
	}
	if a := s.Do("GET", stop, ""); a.Status != 200 || !arrives(s, stranger(), "/v1/alerts", alert) {
		t.Errorf("merely following the link stops mails: %d %s", a.Status, a.Body)
	}
	must(t, s.From("198.51.100.9:1", "POST", stop, "List-Unsubscribe=One-Click", "Content-Type", fixture.Form), 200, "")
	for day := 0; day < 180; day += 9 {
		if arrives(s, stranger(), "/v1/alerts", alert) {
			t.Fatalf("a mail came on day %d", day)
		}
		s.Clock.Add(9*24*time.Hour - time.Hour)
	}
	if !arrives(s, stranger(), "/v1/alerts", alert) {
		t.Error("nothing comes after 180 days")
	}
	// The owner stops the mails again.
	s.Form(stop, "")
	if arrives(s, home, "/v1/alerts", alert) {
		t.Error("a mail came although they were stopped again")
	}
	s.From(home, "POST", allow(stop), "", "Content-Type", fixture.Form)
	if !arrives(s, home, "/v1/alerts", alert) || !arrives(s, stranger(), "/v1/alerts", alert) {
		t.Error("nothing comes after mails were allowed again")
	}
}
