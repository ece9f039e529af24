package alerts_test

import (
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/notify"
	"verdetto/shared/store/storetest"
)

// An expired link shows and ends no alert, but can mail a new link to the subscriber. Links to
// unsubscribe never expire, and each shows one alert only.
func TestLinksToManageExpire(t *testing.T) {
	table, clock := fixture.OpenStore(t)
	const ada = "ada@example.com"
	p := fixture.OpenSubscriptions(t, table, clock)
	p.Subscribe("MIL-BUH", ada, "30")
	clock.Add(time.Hour)
	p.Subscribe("MIL-LON", ada, "")
	old, end := p.ManageLink(ada), p.EndLink("MIL-LON", ada)
	clock.Add((notify.ManageDays + 1) * 24 * time.Hour)

	for what, a := range map[string]fixture.Reply{
		"page": p.Do("GET", old, ""), "end one": p.Form(old, "remove=MIL-BUH"), "end all": p.Form(old, "all=1"),
		"a link from before links expired": p.Do("GET", p.RenewLink(ada), ""),
	} {
		if a.Status != 410 || !strings.Contains(a.Page(), "Ti mandiamo un link nuovo?") ||
			strings.Contains(a.Page(), "Bucarest") || strings.Contains(a.Body, "example.com") {
			t.Errorf("%s: %d %s", what, a.Status, a.Page())
		}
	}
	if len(p.Thresholds(ada)) != 2 {
		t.Fatalf("an old link ended something: %v", p.Thresholds(ada))
	}

	before := len(p.Received(ada))
	p.Form(old, "renew=1").Want(t, 200, "Il link nuovo è in arrivo").Lacks(t, "example.com")
	mails := p.Received(ada)
	if len(mails) != before+1 || mails[before].Subject != "Il link ai tuoi avvisi" {
		t.Fatalf("%d mails came", len(mails)-before)
	}
	fresh := p.Link(mails[before])
	p.Do("GET", fresh, "").Want(t, 200, "Milano–Bucarest", "Milano–Londra")

	// The link to unsubscribe is as old as the expired link.
	p.Do("GET", end, "").Want(t, 200, "Milano–Londra").Lacks(t, "Bucarest")
	a := p.Form(end, "")
	if a.Status != 200 || !strings.Contains(a.Page(), "L'avviso è disattivato.") ||
		strings.Contains(a.Page(), "Bucarest") || len(p.Thresholds(ada)) != 1 {
		t.Errorf("%d %s, left %v", a.Status, a.Page(), p.Thresholds(ada))
	}
	if strings.Contains(a.Body, strings.TrimPrefix(fresh, "/v1")) || !strings.Contains(a.Body, p.RenewLink(ada)) {
		t.Errorf("a link to unsubscribe leads to more than its alert: %s", a.Body)
	}

	// For an address without alerts the page is the same, but no mail is sent.
	clock.Add(time.Hour)
	if got := p.Form(p.RenewLink("nobody@example.com"), "renew=1"); got.Status != 200 ||
		!strings.Contains(got.Page(), "Il link nuovo è in arrivo") || len(p.Received("nobody@example.com")) != 0 {
		t.Errorf("an unknown address: %d %s", got.Status, got.Page())
	}
}

func TestFreshLinksAreBounded(t *testing.T) {
	const ada = "ada@example.com"
	p, clock := subscriptions(t)
	p.Subscribe("MIL-BUH", ada, "30")
	clock.Add(2 * time.Hour)
	before := len(p.Received(ada))
	for range 10 {
		p.Form(p.RenewLink(ada), "renew=1")
	}
	if n := len(p.Received(ada)) - before; n != 5 {
		t.Errorf("%d mails, want the 5 that are left of the day", n)
	}
}

// Each call to the store fails once, before or after its effect. A retry causes the mail with the
// link.
func TestFreshLinksUnderFaults(t *testing.T) {
	const ada = "ada@example.com"
	fixture.EachFault(t, func(t *testing.T, f *storetest.Faulty, clock *storetest.Clock) {
		p := fixture.OpenSubscriptions(t, f, clock)
		p.Faulty = f
		fixture.Confirmed(t, f.Table, clock.Now(), ada)
		a := p.Retry(f, func() fixture.Reply { return p.Form(p.RenewLink(ada), "renew=1") })
		if a.Status != 200 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		mails := p.Received(ada)
		if len(mails) == 0 {
			t.Fatal("no mail came")
		}
		f.Heal()
		p.Do("GET", p.Link(mails[0]), "").Want(t, 200)
	})
}
