package main

import (
	"context"
	"html"
	"log/slog"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"verdetto/functions/alerts"
	"verdetto/shared/alertlink"
	"verdetto/shared/fare"
	"verdetto/shared/mail/maildir"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"
)

// counter is the service with its alerts, and someone who reads the mail.
type counter struct {
	*shop
	service *alerts.Service
	links   []string // ids and tokens that were seen, which no log may hold
	faulty  *storetest.Faulty
}

func openCounter(t *testing.T, table store.Table, clock *storetest.Clock) *counter {
	t.Helper()
	s := &shop{t: t, clock: clock, mails: filepath.Join(t.TempDir(), "mail"), log: &secretLog{}}
	c := &choices{now: clock.Now, log: slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})), mail: s.mails}
	var err error
	if c.alerts, err = c.openAlerts(t.Context(), table, []byte(testPepper), "http://127.0.0.1:1"); err != nil {
		t.Fatal(err)
	}
	c.alerts.SignalWorker = nil // the work in the outbox is done by hand
	s.h = handler(c, table, sample.New(), []byte(testPepper))
	p := &counter{shop: s, service: c.alerts}
	t.Cleanup(func() {
		s.log.mu.Lock()
		defer s.log.mu.Unlock()
		logged := s.log.text.String()
		if found := secrets.FindString(logged); found != "" {
			t.Errorf("the log holds %q", found)
		}
		for _, link := range p.links {
			if strings.Contains(logged, link) {
				t.Errorf("the log holds %q of a link", link)
			}
		}
	})
	return p
}

// ask asks for an alert; without a threshold it goes by the verdict.
func (p *counter) ask(route, email, threshold string, header ...string) reply {
	body := `{"route":"` + route + `","email":"` + email + `"}`
	if threshold != "" {
		body = strings.TrimSuffix(body, "}") + `,"threshold":` + threshold + `}`
	}
	return p.do("POST", "/api/v1/alerts", body, header...)
}

// drain works through the outbox, and comes back to what failed.
func (p *counter) drain() {
	p.t.Helper()
	for idle := 0; idle < 2; {
		done, err := p.service.Work(p.t.Context())
		switch {
		case err != nil && strings.Contains(err.Error(), storetest.ErrInjected.Error()):
			if p.faulty != nil {
				p.faulty.Heal()
			}
			p.clock.Add(2 * time.Minute) // until the lease of what failed is over
		case err != nil:
			p.t.Fatal(err)
		case done == 0:
			idle++
			p.clock.Add(2 * time.Minute)
		}
	}
}

// letters drains the outbox and gives all mails that there are to an address, oldest first.
func (p *counter) letters(email string) []maildir.Mail {
	p.t.Helper()
	p.drain()
	all, err := maildir.Read(p.mails)
	if err != nil {
		p.t.Fatal(err)
	}
	var to []maildir.Mail
	for _, m := range all {
		if strings.EqualFold(m.To, email) {
			to = append(to, m)
		}
	}
	return to
}

var linkIn = regexp.MustCompile(`http://127\.0\.0\.1:1(/v1/alerts/[a-z]+\?(?:id|t)=([A-Za-z0-9_.-]+))`)

// link gives the link of a mail, without the service's address.
func (p *counter) link(m maildir.Mail) string {
	p.t.Helper()
	found := linkIn.FindStringSubmatch(m.Text)
	if found == nil {
		p.t.Fatalf("no link in the mail:\n%s", m.Text)
	}
	p.links = append(p.links, found[2])
	return found[1]
}

// asked asks for an alert and gives the link of the mail that came.
func (p *counter) asked(route, email, threshold string) string {
	p.t.Helper()
	if a := p.ask(route, email, threshold); a.status != 202 {
		p.t.Fatalf("%d %s", a.status, a.body)
	}
	mails := p.letters(email)
	if len(mails) == 0 {
		p.t.Fatal("no mail came")
	}
	return p.link(mails[len(mails)-1])
}

// subscribe asks for an alert and confirms it.
func (p *counter) subscribe(route, email, threshold string) {
	p.t.Helper()
	if a := p.do("POST", p.asked(route, email, threshold), ""); a.status != 200 {
		p.t.Fatalf("confirming: %d %s", a.status, a.body)
	}
}

func (p *counter) subscriber(email string) store.SubscriberID {
	return store.SubscriberID(alertlink.Subscriber([]byte(testPepper), email))
}

// endLink is the link that mails of an alert hold.
func (p *counter) endLink(route, email string) string {
	return p.signed(alertlink.Unsubscribe, route, email)
}

func (p *counter) manageLink(email string) string { return p.signed(alertlink.Manage, "", email) }

func (p *counter) signed(purpose, route, email string) string {
	token := alertlink.Sign([]byte(testPepper), purpose, string(p.subscriber(email)), route)
	p.links = append(p.links, token)
	return "/v1/alerts/" + purpose + "?t=" + url.QueryEscape(token)
}

// alerts lists what an address has, as route and threshold.
func (p *counter) alerts(email string) map[string]fare.Cents {
	p.t.Helper()
	list, err := p.service.Alerts.Of(context.Background(), p.subscriber(email))
	if err != nil {
		p.t.Fatal(err)
	}
	all := map[string]fare.Cents{}
	for _, a := range list {
		all[a.Route.String()] = a.Threshold
	}
	return all
}

var tags = regexp.MustCompile(`<[^>]*>`)

// page is the text of a page's main part.
func (a reply) page() string {
	_, main, _ := strings.Cut(a.body, `<main id="main">`)
	main, _, _ = strings.Cut(main, "</main>")
	main = tags.ReplaceAllString(main, "")
	return html.UnescapeString(strings.Join(strings.Fields(main), " "))
}

// form posts what a page's form sends.
func (p *counter) form(target, body string, header ...string) reply {
	return p.do("POST", target, body, append([]string{"Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html"}, header...)...)
}

// everything is all that a table holds.
func everything(t *testing.T, table store.Table, partitions ...string) string {
	t.Helper()
	var all strings.Builder
	for _, partition := range partitions {
		items, err := table.Query(context.Background(), store.Range{Partition: partition, Read: store.Strong})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			all.WriteString(item.Partition + "/" + item.Sort + " " + string(item.Data) + "\n")
		}
	}
	return all.String()
}

// TestAlertLife goes through the life of alerts, up to where a refresh wakes them.
func TestAlertLife(t *testing.T) {
	overBoth(t, func(t *testing.T, table store.Table, clock *storetest.Clock) {
		p := openCounter(t, table, clock)

		// Asked for: one answer, one mail, nothing active.
		a := p.ask("mxp-OTP", "ada@example.com", "40.005", "Accept-Language", "en-GB")
		if a.status != 202 || a.header.Get("Cache-Control") != "no-store" || !strings.Contains(a.body, `"accepted"`) {
			t.Fatalf("%d %v %s", a.status, a.header, a.body)
		}
		mails := p.letters("ada@example.com")
		if len(mails) != 1 || mails[0].Subject != "Confirm the alert Milan–Bucharest" || !strings.Contains(mails[0].Text, "€40.01") {
			t.Fatalf("mails %+v", mails)
		}
		if got := p.alerts("ada@example.com"); len(got) != 0 {
			t.Fatalf("alerts before confirming: %v", got)
		}

		// A scanner follows the link, and looks with HEAD, any number of times: nothing is confirmed.
		link := p.link(mails[0])
		for range 3 {
			if a := p.do("GET", link, "", "Accept-Language", "en"); a.status != 200 || !strings.Contains(a.page(), "Alert for Milan–Bucharest") || !strings.Contains(a.page(), "€40.01 or less") {
				t.Fatalf("%d %s", a.status, a.body)
			}
			if a := p.do("HEAD", link, ""); a.status != 200 {
				t.Errorf("HEAD: %d", a.status)
			}
		}
		if got := p.alerts("ada@example.com"); len(got) != 0 {
			t.Fatalf("alerts after a GET: %v", got)
		}

		// The button confirms, once.
		if a := p.form(link, ""); a.status != 200 || !strings.Contains(a.page(), "Avviso attivo: Milano–Bucarest") || !strings.Contains(a.body, `href="/v1/alerts/manage?t=`) {
			t.Fatalf("%d %s", a.status, a.body)
		}
		for _, method := range []string{"GET", "POST"} {
			if a := p.do(method, link, ""); a.status != 410 || !strings.Contains(a.page(), "già stato usato") {
				t.Errorf("%s again: %d %s", method, a.status, a.page())
			}
		}
		if got := p.alerts("ada@example.com"); len(got) != 1 || got["MIL-BUH"] != 4001 {
			t.Fatalf("alerts %v", got)
		}

		// Asked for again, its threshold is another only once that is confirmed.
		again := p.asked("MIL-BUH", "ada@example.com", "30")
		if got := p.alerts("ada@example.com"); got["MIL-BUH"] != 4001 {
			t.Errorf("changed by who knows the address: %v", got)
		}
		p.form(again, "")
		p.subscribe("MIL-LON", "Ada@Example.com", "")
		clock.Add(time.Hour)
		p.subscribe("ROM-PAR", "ada@example.com", "99999.994")
		if got := p.alerts("ada@example.com"); len(got) != 3 || got["MIL-BUH"] != 3000 || got["MIL-LON"] != 0 || got["ROM-PAR"] != 9999999 {
			t.Fatalf("alerts %v", got)
		}

		// Looked after: listed, one ended, by a page.
		manage := p.manageLink("ada@example.com")
		if a := p.do("GET", manage, ""); a.status != 200 || !strings.Contains(a.page(), "Milano–Bucarest a 30,00 € o meno") || !strings.Contains(a.page(), "Milano–Londra") || strings.Contains(a.body, "example.com") {
			t.Errorf("%d %s", a.status, a.page())
		}
		if a := p.form(manage, "remove=MIL-LON"); a.status != 200 || strings.Contains(a.page(), "Londra") || !strings.Contains(a.page(), "Roma–Parigi") {
			t.Errorf("%d %s", a.status, a.page())
		}

		// Ended by the page of a mail's link: a GET ends nothing.
		end := p.endLink("MIL-BUH", "ada@example.com")
		if a := p.do("GET", end, ""); a.status != 200 || !strings.Contains(a.page(), "Disattivare l'avviso per Milano–Bucarest?") || len(p.alerts("ada@example.com")) != 2 {
			t.Errorf("%d %s", a.status, a.page())
		}
		if a := p.form(end, ""); a.status != 200 || !strings.Contains(a.page(), "Fatto") {
			t.Errorf("%d %s", a.status, a.page())
		}
		for _, method := range []string{"GET", "POST"} {
			if a := p.do(method, end, ""); a.status != 410 || !strings.Contains(a.page(), "già disattivato") {
				t.Errorf("%s again: %d %s", method, a.status, a.page())
			}
		}

		// Ended by the mail provider, in one click, as a form of either kind.
		if a := p.do("POST", p.endLink("ROM-PAR", "ada@example.com"), "List-Unsubscribe=One-Click", "Content-Type", "application/x-www-form-urlencoded"); a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
		if got := p.alerts("ada@example.com"); len(got) != 0 {
			t.Errorf("alerts %v", got)
		}
		p.subscribe("ROM-PAR", "ada@example.com", "")
		part := "--x\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--x--\r\n"
		if a := p.do("POST", p.endLink("ROM-PAR", "ada@example.com"), part, "Content-Type", "multipart/form-data; boundary=x"); a.status != 200 || len(p.alerts("ada@example.com")) != 0 {
			t.Errorf("%d %s", a.status, a.body)
		}

		// Stop all; then nothing of the address is left.
		clock.Add(time.Hour)
		p.subscribe("MIL-BUH", "ada@example.com", "")
		p.subscribe("MIL-LON", "ada@example.com", "10")
		if a := p.form(manage, "all=1"); a.status != 200 || !strings.Contains(a.page(), "il tuo indirizzo è stato cancellato") {
			t.Errorf("%d %s", a.status, a.page())
		}
		if a := p.do("GET", manage, ""); a.status != 410 || !strings.Contains(a.page(), "Non hai avvisi") {
			t.Errorf("%d %s", a.status, a.page())
		}
		ada := string(p.subscriber("ada@example.com"))
		partitions := []string{"SUBSCRIBER#" + ada, "STOPPED#" + ada, "ALERTS#MIL-BUH", "ALERTS#MIL-LON", "ALERTS#ROM-PAR", "OUTBOX#alerts"}
		for _, link := range p.links {
			partitions = append(partitions, "PENDING#"+link)
		}
		left := everything(t, table, partitions...)
		if strings.Contains(strings.ToLower(left), "example.com") || strings.Contains(left, "SUBSCRIBER#") || strings.Contains(left, "ALERTS#") {
			t.Errorf("what is left:\n%s", left)
		}
	})
}
