// Package links holds an end-to-end test of the links in mails. The token in a link works only for
// the action of this link.
package links

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

// The groups are the path and the token.
var mailed = regexp.MustCompile(regexp.QuoteMeta(fixture.LocalURL) + `(/v1/[a-z/]+)\?(?:id|t)=([A-Za-z0-9_.-]+)`)

// The token of each kind of link is sent to the pages and forms of all other kinds; all must refuse
// it.
func TestALinkOfOneKindIsNoneOfAnother(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	table := fixture.Bolt(t, clock.Now)
	s := fixture.OpenSubscriptions(t, table, clock)
	shop := fixture.Shop{Service: s.Service}

	tokens := map[string]string{} // by the path that they belong to
	collect := func(email string) {
		t.Helper()
		mails, err := maildir.Read(s.Mails)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mails {
			for _, link := range mailed.FindAllStringSubmatch(m.Text, -1) {
				_, ofRequests := s.Alerts.Links.OpenRequests(link[2]) // see below
				if m.To == email && !ofRequests {
					tokens[link[1]] = link[2]
				}
			}
		}
	}
	s.Subscribe("MIL-BUH", "ada@example.com", "40")
	s.Ask("MIL-ROM", "ada@example.com", "")
	s.Drain()
	for _, link := range []string{s.EndLink("MIL-BUH", "ada@example.com"), s.ManageLink("ada@example.com")} {
		path, token, _ := strings.Cut(link, "?t=")
		tokens[path] = token
	}
	collect("ada@example.com")
	key := fixture.IssueKey(t, table, "ada@example.com", clock.Now(), 100*24*time.Hour)
	shop.Recover("ada@example.com")
	fresh := shop.Mailed("ada@example.com")
	collect("ada@example.com")
	if a := s.Do("POST", "/v1/pro/recupera/annulla?t="+tokens["/v1/pro/recupera/annulla"], ""); a.Status != 200 ||
		!shop.Works(key) || len(fresh) != 1 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	shop.Recover("ada@example.com")
	s.Do("POST", "/v1/pro/gestione", fixture.Object("email", "ada@example.com"))
	shop.Mailed("ada@example.com")
	collect("ada@example.com")
	s.Form("/v1/pro/indirizzo", "nuovo=grace%40example.com&t="+tokens["/v1/pro/gestione/piano"])
	shop.Mailed("grace@example.com")
	collect("grace@example.com")

	kinds := []string{
		"/v1/alerts/confirm", "/v1/alerts/unsubscribe", "/v1/alerts/manage", "/v1/pro/recupera/annulla",
		"/v1/pro/recupera/conferma",
		"/v1/pro/gestione/piano", "/v1/pro/indirizzo/conferma",
	}
	if len(tokens) != len(kinds) {
		t.Fatalf("links of %d kinds were found: %v", len(tokens), tokens)
	}
	// Three more kinds of links lead to the same pages, and their tokens work only for their own
	// action.
	ada := fixture.Subscriber("ada@example.com")
	for kind, c := range map[string]struct {
		link string
		at   []string
	}{
		"to end a digest": {s.Alerts.Links.EndDigest(ada), []string{"/v1/alerts/unsubscribe"}},
		"to pause": {s.Alerts.Links.Snooze(ada,
			store.Ref{Route: fare.Route{Origin: "MIL", Destination: "BUH"}}), []string{"/v1/alerts/manage"}},
		"to stop requests": {s.Alerts.Links.Requests(s.Alerts.Links.Mailbox("ada@example.com")),
			[]string{"/v1/alerts/unsubscribe", "/v1/alerts/manage"}},
	} {
		_, token, _ := strings.Cut(c.link, "?t=")
		for _, at := range kinds {
			if slices.Contains(c.at, at) {
				continue
			}
			query := query(at, token)
			page, pressed := s.Do("GET", at+query, ""), s.Form(at+query, "all=1&List-Unsubscribe=One-Click")
			if at == "/v1/pro/gestione/piano" {
				pressed = s.Form("/v1/pro/cancella", "conferma=si&t="+token)
			}
			if page.Status < 400 || pressed.Status < 400 {
				t.Errorf("what is %s is taken at %s: %d, and pressed %d", kind, at, page.Status, pressed.Status)
			}
		}
	}
	// The link to end a digest ends nothing, because all alerts of ada are immediate.
	if a := s.Form(s.Alerts.Links.EndDigest(ada), "all=1"); a.Status != 410 {
		t.Errorf("%d %s", a.Status, a.Page())
	}
	before, customer := s.Thresholds("ada@example.com"), shop.Customer("ada@example.com")
	for _, of := range kinds {
		for _, at := range kinds {
			query := query(at, tokens[of])
			page := s.Do("GET", at+query, "")
			if of == at {
				if page.Status != 200 {
					t.Errorf("what is for %s is not taken there: %d %s", of, page.Status, page.Page())
				}
				continue
			}
			pressed := s.Form(at+query, "all=1&List-Unsubscribe=One-Click")
			// The most harmful of the page's buttons erases all data.
			if at == "/v1/pro/gestione/piano" {
				if pressed = s.Form("/v1/pro/cancella", "conferma=si&t="+tokens[of]); pressed.Status != 410 {
					t.Errorf("what is for %s erases: %d", of, pressed.Status)
				}
			}
			if page.Status < 400 || pressed.Status < 400 {
				t.Errorf("what is for %s is taken at %s: %d, and pressed %d", of, at, page.Status, pressed.Status)
			}
		}
	}
	if after := s.Thresholds("ada@example.com"); len(after) != len(before) || len(after) != 1 {
		t.Errorf("alerts before %v, after %v", before, after)
	}
	if after := shop.Customer("ada@example.com"); string(after.Hash) != string(customer.Hash) || !shop.Works(key) {
		t.Error("the key was changed")
	}
}

// query returns a token under the name that the page at a path reads.
func query(at, token string) string {
	name := "t"
	if at == "/v1/alerts/confirm" {
		name = "id"
	}
	return "?" + url.Values{name: {token}}.Encode()
}
