package contradictions

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// One address has an alert on each of maxSubscribed routes.
const maxSubscribed = store.MaxAlerts

// subscribe stores two alerts on each route that any fare meets: one mailed at once, one in the
// weekly digest of the panel's last day.
func (s *service) subscribe(table store.Table, routes []fare.Route) {
	now, weekly := s.last.Time(), ""
	for n := 0; weekly == "" || store.DigestWeekday(fixture.Subscriber(weekly)) != now.Weekday(); n++ {
		weekly = fmt.Sprintf("weekly%d@example.com", n)
	}
	alerts := store.Alerts{Table: table}
	for i, route := range routes {
		for _, email := range []string{fmt.Sprintf("alert%d@example.com", i), weekly} {
			id := email + route.String()
			err := alerts.AddPending(s.t.Context(), id, store.Alert{Subscriber: fixture.Subscriber(email), Route: route,
				Email: email, Language: "en", Threshold: fare.MaxPrice, Digest: email == weekly},
				now.Add(48*time.Hour), store.Job{At: now})
			if err == nil {
				_, err = alerts.Confirm(s.t.Context(), id)
			}
			if err != nil {
				s.t.Fatal(err)
			}
		}
	}
	digests := store.Digests{Table: table}
	progress, err := digests.Progress(s.t.Context())
	if err == nil {
		err = digests.Advance(s.t.Context(), &progress, s.last-1, "")
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

var (
	// mailHeading matches the cities and the fare with its level.
	mailHeading = regexp.MustCompile(`(?m)^(.+) – (.+)\n€([0-9.,]+): (great|good|normal|expensive)$`)
	wrapped     = regexp.MustCompile(`([^\n])\n`)
	reasons     = regexp.MustCompile(`(?s)You (?:asked for an alert|get this message because).*?(?:\n\n|$)`)
)

// Each mail must state the level of GET /v1/analisi, and no other.
func (s *service) mailed() {
	if sent, err := s.api.Sender.Work(s.t.Context()); err != nil || sent.More {
		s.t.Fatalf("%+v %v", sent, err)
	}
	all, err := maildir.Read(s.mails)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, m := range all {
		kind := "alert mail"
		if strings.HasPrefix(m.To, "weekly") {
			kind = "digest"
		}
		c := claims{}
		for _, part := range strings.Split(m.Text, "----\n") {
			s.checkMail(m.Subject, reasons.ReplaceAllString(part, ""), c)
		}
		s.judge(kind, m.Subject, c)
	}
}

func (s *service) checkMail(name, text string, c claims) {
	h := mailHeading.FindStringSubmatch(text)
	if h == nil {
		if said := levelsIn(text); len(said) > 0 {
			s.t.Errorf("mail %q states the levels %v without a fare: %q", name, said, text)
		}
		return
	}
	for _, fault := range checkText(h[3], wrapped.ReplaceAllString(text, "$1 ")) {
		s.t.Errorf("mail %q: %s", name, fault)
	}
	from, ok1 := places.Find(h[1])
	to, ok2 := places.Find(h[2])
	if !ok1 || !ok2 {
		s.t.Fatalf("mail %q is about %s", name, h[0])
	}
	var a verdict.Analysis
	target := url.Values{"origine": {string(from.City)}, "destinazione": {string(to.City)}}
	if err := json.Unmarshal([]byte(s.ask("/v1/analisi?"+target.Encode())), &a); err != nil {
		s.t.Fatalf("mail %q: %v", name, err)
	}
	subject := fmt.Sprintf("%s-%s at %s", from.City, to.City, h[3])
	c.add(subject, a.Verdetto.Livello)
	for _, level := range levelsIn(text) {
		c.add(subject, level)
	}
}
