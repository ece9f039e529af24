// Package alerts holds end-to-end tests of alerts. They follow an alert from the request to the
// mail, over HTTP and in the running command serve. Some tests kill the process in between.
package alerts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/fare"
)

func TestFromAskingToTheMail(t *testing.T) {
	t.Parallel()
	table, clock := fixture.OpenStore(t)
	p := fixture.OpenSubscriptions(t, table, clock)
	p.Subscribe("MIL-BUH", "ada@example.com", "")
	p.Subscribe("MIL-BUH", "bob@example.com", "30")
	p.Subscribe("MIL-BUH", "cleo@example.com", "29.99")
	p.Ask("MIL-BUH", "never-confirmed@example.com", "")
	// alerted refreshes and returns the new alert mails by address.
	seen := map[string]bool{}
	alerted := func(sent int) map[string]maildir.Mail {
		t.Helper()
		fixture.Refreshed(t, table, fixture.Falling(fare.DayOf(clock.Now())), clock.Now)
		if got, err := p.Sender.Work(t.Context()); err != nil || got.More || got.Sent != sent {
			t.Errorf("%+v %v, want %d sent", got, err, sent)
		}
		all, err := maildir.Read(p.Mails)
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

	// The first subscriber uses the unsubscribe button of the mail program, the second the page
	// that the mail links to.
	click := strings.TrimPrefix(first["ada@example.com"].Unsubscribe, "http://127.0.0.1:1")
	p.Do("POST", click, "List-Unsubscribe=One-Click", "Content-Type", fixture.Form).Want(t, 200)
	links := fixture.LinkPattern.FindAllStringSubmatch(first["bob@example.com"].Text, -1)
	if len(links) != 3 || !strings.Contains(links[0][1], "/manage?") ||
		!strings.Contains(links[2][1], "/unsubscribe?") {
		t.Fatalf("links %v, want those that list all, pause this one and end it", links)
	}
	p.Do("GET", links[1][1], "").Want(t, 200).Lacks(t, "30,00 €")
	p.Do("GET", links[0][1], "").Want(t, 200, "30,00 €")
	p.Form(links[0][1], "all=1").Want(t, 200)
	got := map[string]int{}
	for _, who := range []string{"ada@example.com", "bob@example.com", "cleo@example.com"} {
		got[who] = len(p.Thresholds(who))
	}
	if diff := cmp.Diff(map[string]int{"ada@example.com": 0, "bob@example.com": 0, "cleo@example.com": 1},
		got); diff != "" {
		t.Error(diff)
	}
	p.Do("POST", click, "List-Unsubscribe=One-Click", "Content-Type", fixture.Form).Want(t, 410)
}
