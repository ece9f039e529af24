// Package languages follows a reader of an invented language through the whole service. All
// pages and mails must be in that language.
package languages

import (
	"regexp"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/fare"
	"verdetto/shared/store/storetest"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/i18n/i18ntest"
)

// reader is a reader whose browser prefers the invented language.
type reader struct {
	*fixture.Subscriptions
	toy *i18n.Language
}

func open(t *testing.T) reader {
	t.Helper()
	toy := i18ntest.Toy(t)
	clock := storetest.NewClock()
	r := reader{fixture.OpenSubscriptions(t, fixture.Bolt(t, clock.Now), clock), toy}
	fixture.Refreshed(t, r.Table, fixture.Falling(fare.DayOf(clock.Now())), clock.Now)
	return r
}

func (r reader) page(t *testing.T, method, target, body string, status int) fixture.Reply {
	t.Helper()
	a := r.Do(method, target, body, "Accept", "text/html", "Accept-Language", "en;q=0.9, "+r.toy.Code,
		"Content-Type", fixture.Form)
	if a.Status != status {
		t.Fatalf("%s %s: %d %s", method, target, a.Status, a.Body)
	}
	i18ntest.HTML(t, a.Body, "USD", "USDC", "Solana", "devnet", "Milan", "Rome", "Naples", "London", "Paris",
		"Bucharest", "Atlanta", "ntfy", "Webhook", "https")
	if !strings.Contains(a.Body, `<html lang="`+r.toy.Code+`"`) {
		t.Errorf("%s says that it is in another language", target)
	}
	return a
}

// mails returns the newest of an address's mails and checks their number.
func (r reader) mails(t *testing.T, address string, want int) maildir.Mail {
	t.Helper()
	all := r.Received(address)
	if len(all) != want {
		t.Fatalf("%d mails to %s, want %d", len(all), address, want)
	}
	m := all[want-1]
	var lines []string
	for line := range strings.Lines(m.Text) {
		if !strings.HasPrefix(line, "http") && !strings.HasPrefix(line, "    curl") &&
			!strings.HasPrefix(line, "    vd_") {
			lines = append(lines, line)
		}
	}
	i18ntest.Text(t, m.Subject, "Milan", "Bucharest")
	i18ntest.Text(t, strings.Join(lines, ""), "Milan", "Bucharest")
	i18ntest.HTML(t, strings.ReplaceAll(m.HTML, r.Link(m), ""), "Milan", "Bucharest", "http")
	return m
}

func TestPages(t *testing.T) {
	r := open(t)
	first := r.page(t, "GET", "/", "", 200)
	for _, want := range []string{
		`hreflang="it" lang="it">Italiano</a>`, `hreflang="en" lang="en">English</a>`,
		`hreflang="de" lang="de">Deutsch</a>`, // the other languages
		`href="/?lang=eo"`,
	} {
		if !strings.Contains(first.Body, want) {
			t.Errorf("the first page lacks %s", want)
		}
	}
	verdict := r.page(t, "GET", "/?da=Milano&a=Bucarest", "", 200)
	for _, want := range []string{
		`hreflang="eo" href="` + fixture.LocalURL + `/?da=Milan&amp;a=Bucharest&amp;lang=eo"`,
		`hreflang="x-default" href="` + fixture.LocalURL + `/?da=Milano&amp;a=Bucarest"`, `/card/MIL-BUH-eo.png`,
	} {
		if !strings.Contains(verdict.Body, want) {
			t.Errorf("the verdict lacks %s", want)
		}
	}
	r.page(t, "GET", "/?da=Milano", "", 200)
	r.page(t, "GET", "/?da=Atlantide&a=Milano", "", 404)
	r.page(t, "GET", "/?da=Milano&a=Milano", "", 400)
	r.page(t, "GET", "/?da=Bucarest&a=Milano", "", 404)
	r.page(t, "GET", "/?a=Milano", "", 400)
	r.page(t, "GET", "/v1/docs", "", 200)
	r.page(t, "GET", "/nothing", "", 404)

	if a := r.Do("GET", "/?lang=eo&da=Milano", "", "Accept-Language", "it"); !strings.Contains(a.Body, "⟦") ||
		!strings.Contains(a.Body, "lang=eo") {
		t.Error("the language that was chosen is not kept")
	}
	toy, english := r.Do("GET", "/card/MIL-BUH-eo.png", ""), r.Do("GET", "/card/MIL-BUH-en.png", "")
	if toy.Status != 200 || toy.Body == english.Body {
		t.Errorf("the card: %d", toy.Status)
	}
	if a := r.Do("GET", "/card/MIL-BUH-xx.png", ""); !strings.Contains(a.Body, " or eo.") {
		t.Errorf("the names of cards: %s", a.Body)
	}
	if a := r.Do("GET", "/v1/citta?q=mila&lang=eo", ""); a.Status != 200 || !strings.Contains(a.Body, `"Milan"`) {
		t.Errorf("names of cities: %s", a.Body)
	}
}

func TestAlerts(t *testing.T) {
	r := open(t)
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

func TestKeys(t *testing.T) {
	r := open(t)
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
		"Accept-Language", r.toy.Code)
	i18ntest.HTML(t, a.Body)
	if a := r.Do("POST", "/api/v1/pro/recupera", fixture.Object("email", ada), "Accept-Language",
		r.toy.Code); a.Status != 202 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if keys := shop.Mailed(ada); len(keys) != 1 {
		t.Fatalf("%d keys", len(keys))
	}
	all, err := maildir.Read(r.Mails)
	if err != nil {
		t.Fatal(err)
	}
	m := all[len(all)-1]
	i18ntest.Text(t, m.Subject)
	i18ntest.HTML(t, m.HTML)
	for part := range strings.SplitSeq(m.Text, "\n\n") {
		if !strings.HasPrefix(part, "    ") {
			i18ntest.Text(t, address.ReplaceAllString(part, ""))
		}
	}
}

var address = regexp.MustCompile(`(?m)^https?://\S+$`)
