package languages

import (
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/fare"
	"verdetto/shared/store/storetest"
	"verdetto/shared/text/i18n"
)

type reader struct {
	*fixture.Subscriptions
	language *i18n.Language
	read     func(place, page string)
	mail     func(r reader, m maildir.Mail)
}

func open(t *testing.T, l *i18n.Language) reader {
	t.Helper()
	clock := storetest.NewClock()
	r := reader{Subscriptions: fixture.OpenSubscriptions(t, fixture.Bolt(t, clock.Now), clock), language: l}
	fixture.Refreshed(t, r.Table, fixture.Falling(fare.DayOf(clock.Now())), clock.Now)
	return r
}

func (r reader) page(t *testing.T, method, target, body string, status int) fixture.Reply {
	t.Helper()
	a := r.Do(method, target, body, "Accept", "text/html", "Accept-Language", "en;q=0.9, "+r.language.Code,
		"Content-Type", fixture.Form)
	if a.Status != status {
		t.Fatalf("%s %s: %d %s", method, target, a.Status, a.Body)
	}
	r.read(method+" "+target, a.Body)
	if !strings.Contains(a.Body, `<html lang="`+r.language.Code+`"`) {
		t.Errorf("%s says that it is in another language", target)
	}
	return a
}

// mails checks how many mails an address received, and returns the newest.
func (r reader) mails(t *testing.T, address string, want int) maildir.Mail {
	t.Helper()
	all := r.Received(address)
	if len(all) != want {
		t.Fatalf("%d mails to %s, want %d", len(all), address, want)
	}
	m := all[want-1]
	r.mail(r, m)
	return m
}

func (r reader) looks(t *testing.T) {
	t.Helper()
	r.page(t, "GET", "/", "", 200)
	r.page(t, "GET", "/?da=Milano&a=Bucarest", "", 200)
	r.page(t, "GET", "/?da=Milano", "", 200)
	r.page(t, "GET", "/?da=Atlantide&a=Milano", "", 404)
	r.page(t, "GET", "/?da=Milano&a=Milano", "", 400)
	r.page(t, "GET", "/?da=Bucarest&a=Milano", "", 404)
	r.page(t, "GET", "/?a=Milano", "", 400)
	r.page(t, "GET", "/v1/docs", "", 200)
	r.page(t, "GET", "/nothing", "", 404)
}

func (r reader) subscribes(t *testing.T) {
	t.Helper()
	const ada = "ada@example.com"
	r.page(t, "POST", "/v1/alerts", "route=MIL&email=ada&threshold=x", 400)
	r.page(t, "POST", "/v1/alerts", "route=MIL-BUH&email="+ada+"&threshold=49,90", 202)
	link := r.Link(r.mails(t, ada, 1))
	r.page(t, "GET", link, "", 200)
	r.page(t, "POST", link, "", 200)
	r.page(t, "GET", link, "", 410)

	r.Clock.Add(7 * 24 * 3600e9)
	fixture.Refreshed(t, r.Table, fixture.Falling(fare.DayOf(r.Clock.Now())), r.Clock.Now)
	if _, err := r.Sender.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.mails(t, ada, 2)

	r.page(t, "GET", r.ManageLink(ada), "", 200)
	r.page(t, "GET", r.EndLink("MIL-BUH", ada), "", 200)
	r.page(t, "POST", r.EndLink("MIL-BUH", ada), "", 200)
	r.page(t, "GET", r.EndLink("MIL-BUH", ada), "", 410)
	r.page(t, "GET", r.ManageLink(ada), "", 410)
	r.page(t, "GET", "/v1/alerts/manage?t=x", "", 400)
}

func (r reader) buys(t *testing.T) {
	t.Helper()
	shop := fixture.Shop{Service: r.Service}
	const ada = "ada@example.com"
	session, _ := shop.Buy(ada)
	r.page(t, "GET", "/api/v1/pro/conferma?session_id="+session, "", 200)
	for _, path := range []string{
		"/v1/pro", "/v1/pro/cripta", "/v1/pro/recupera", "/v1/pro/gestione", "/v1/termini", "/v1/privacy",
		"/v1/contatti", "/v1/note-legali",
		"/api/v1/pro/conferma?session_id=" + session,
	} {
		r.page(t, "GET", path, "", 200)
	}
	a := r.Do("POST", "/api/v1/pro/checkout", fixture.Object("email", "bob@example.com"), "Accept", "text/html",
		"Accept-Language", r.language.Code)
	r.read("checkout", a.Body)
	if a := r.Do("POST", "/api/v1/pro/recupera", fixture.Object("email", ada), "Accept-Language",
		r.language.Code); a.Status != 202 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if keys := shop.Mailed(ada); len(keys) != 1 {
		t.Fatalf("%d keys", len(keys))
	}
	all, err := maildir.Read(r.Mails)
	if err != nil {
		t.Fatal(err)
	}
	r.mail(r, all[len(all)-1])
}
