package main

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/mail"
	"verdetto/shared/mail/maildir"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

// TestFromAskingToTheMail asks for alerts over HTTP, refreshes, reads the mails
// and ends the alerts by what the mails offer.
func TestFromAskingToTheMail(t *testing.T) {
	overBoth(t, func(t *testing.T, table store.Table, clock *storetest.Clock) {
		p := openCounter(t, table, clock)
		p.subscribe("MIL-BUH", "ada@example.com", "")
		p.subscribe("MIL-BUH", "bob@example.com", "30")
		p.subscribe("MIL-BUH", "cleo@example.com", "29.99")
		p.ask("MIL-BUH", "never-confirmed@example.com", "")
		c := choices{now: clock.Now, log: slog.New(slog.NewTextHandler(p.log, nil)), mail: p.mails}
		sender, err := c.openSender(table, []byte(testPepper), "http://127.0.0.1:1")
		if err != nil {
			t.Fatal(err)
		}
		// alerted refreshes and gives the alert mails there are by then, by address, those seen before left out.
		seen := map[string]bool{}
		alerted := func(sent int) map[string]maildir.Mail {
			t.Helper()
			r := refresh.Refresher{Source: falling(fare.DayOf(clock.Now())), Fares: store.Fares{Table: table}, Now: clock.Now}
			if report, err := r.Run(t.Context()); err != nil || report.Failed > 0 {
				t.Fatalf("%+v %v", report, err)
			}
			if got, err := sender.Work(t.Context()); err != nil || got.Left || got.Sent != sent {
				t.Errorf("%+v %v, want %d sent", got, err, sent)
			}
			all, err := maildir.Read(p.mails)
			if err != nil {
				t.Fatal(err)
			}
			fresh := map[string]maildir.Mail{}
			for _, m := range all {
				if m.Tag == mail.AlertTag && !seen[m.File] {
					seen[m.File], fresh[m.To] = true, m
				}
			}
			return fresh
		}

		first := alerted(2)
		if len(first) != 2 || first["ada@example.com"].To == "" || first["bob@example.com"].To == "" {
			t.Fatalf("mails %v", first)
		}
		alerted(0)

		// One ends it by the provider's button, the other by the page that the mail links to.
		click := strings.TrimPrefix(first["ada@example.com"].Unsubscribe, "http://127.0.0.1:1")
		if a := p.do("POST", click, "List-Unsubscribe=One-Click", "Content-Type", asForm); a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
		links := linkIn.FindAllStringSubmatch(first["bob@example.com"].Text, -1)
		if len(links) != 2 || !strings.Contains(links[0][1], "/manage?") {
			t.Fatalf("links %v", links)
		}
		if a := p.do("GET", links[0][1], ""); a.status != 200 || !strings.Contains(a.page(), "30,00 €") {
			t.Errorf("%d %s", a.status, a.page())
		}
		if a := p.form(links[0][1], "all=1"); a.status != 200 {
			t.Errorf("%d %s", a.status, a.page())
		}
		got := map[string]int{}
		for _, who := range []string{"ada@example.com", "bob@example.com", "cleo@example.com"} {
			got[who] = len(p.alerts(who))
		}
		if diff := cmp.Diff(map[string]int{"ada@example.com": 0, "bob@example.com": 0, "cleo@example.com": 1}, got); diff != "" {
			t.Error(diff)
		}
		if a := p.do("POST", click, "List-Unsubscribe=One-Click", "Content-Type", asForm); a.status != 410 {
			t.Errorf("again: %d %s", a.status, a.body)
		}
	})
}
