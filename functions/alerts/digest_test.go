package alerts_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/store"
)

func TestWeeklyAlerts(t *testing.T) {
	t.Parallel()
	p, clock := subscriptions(t)
	const ada = "ada@example.com"
	subscriber := fixture.Subscriber(ada)
	digests := store.Digests{Table: p.Alerts.Alerts.Table}
	day := store.DigestWeekday(subscriber).String()
	confirm := func(says string) {
		t.Helper()
		mails := p.Received(ada)
		m := mails[len(mails)-1]
		link := p.Link(m)
		page, pressed := p.Do("GET", link, "", "Accept-Language", "en"), p.Form(link, "", "Accept-Language", "en")
		for what, text := range map[string]string{"mail": m.Text, "page": page.Page(), "next page": pressed.Page()} {
			if is := strings.Contains(text, "every "+day) && strings.Contains(text, "weekly"); is != (says != "") {
				t.Errorf("the %s speaks of the digest: %v\n%s", what, is, text)
			}
		}
		if page.Status != 200 || pressed.Status != 200 {
			t.Errorf("%d %d", page.Status, pressed.Status)
		}
	}
	p.Subscribe("MIL-ROM", ada, "50") // at once
	p.Form("/v1/alerts", "route=MIL-BUH&frequency=weekly&email="+ada, "Accept-Language", "en")
	confirm("weekly")
	clock.Add(time.Hour)
	p.Do("POST", "/v1/alerts", `{"route":"MIL-LON","email":"`+ada+`","frequency":"weekly","threshold":40}`,
		"Accept-Language", "en")
	confirm("weekly")
	list := p.Do("GET", p.ManageLink(ada), "", "Accept-Language", "en")
	if n := strings.Count(list.Page(), "Comes in the weekly digest, every "+day); n != 2 {
		t.Errorf("%d weekly alerts are listed:\n%s", n, list.Page())
	}
	taken := p.Do("GET", p.ManageLink(ada)+"&format=json", "")
	if n := strings.Count(taken.Body, `"frequency": "weekly"`); n != 2 || !strings.Contains(taken.Body, `"digest": {`) {
		t.Errorf("taken along:\n%s", taken.Body)
	}
	clock.Add(time.Hour)
	p.Do("POST", "/v1/alerts", `{"route":"MIL-BUH","email":"`+ada+`","frequency":"now"}`, "Accept-Language", "en")
	confirm("")

	press := func(button string, want int) {
		t.Helper()
		a := p.Form(p.ManageLink(ada), button, "Accept-Language", "en")
		if n := strings.Count(a.Page(), "Comes in the weekly digest"); a.Status != 200 || n != want {
			t.Errorf("%s: %d, %d weekly alerts:\n%s", button, a.Status, n, a.Page())
		}
	}
	press("weekly=MIL-ROM", 2)
	press("now=MIL-LON", 1)
	press("now=MIL-ROM", 0)
	if _, err := digests.Digest(t.Context(), subscriber); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a digest of nothing: %v", err)
	}
	press("weekly=MIL-LON", 1)

	end := p.Alerts.Links.EndDigest(subscriber)
	before := p.Do("GET", end, "", "Accept-Language", "en")
	if before.Status != 200 || !strings.Contains(before.Page(), "Stop the weekly digest?") ||
		strings.Contains(before.Page(), "London") || len(p.Thresholds(ada)) != 3 {
		t.Errorf("%d %s", before.Status, before.Page())
	}
	p.From("192.0.2.1:1", "POST", end, "List-Unsubscribe=One-Click", "Content-Type", fixture.Form, "Accept-Language",
		"en").Want(t, 200, "weekly digest is stopped")
	if left := p.Thresholds(ada); len(left) != 2 || left["MIL-ROM"] != 5000 {
		t.Errorf("left are %v", left)
	}
	if _, err := digests.Digest(t.Context(), subscriber); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a digest is left: %v", err)
	}
	for _, a := range []fixture.Reply{p.Do("GET", end, "", "Accept-Language", "en"),
		p.Form(end, "all=1", "Accept-Language", "en")} {
		if a.Status != 410 || !strings.Contains(a.Page(), "You have no weekly digest") {
			t.Errorf("%d %s", a.Status, a.Page())
		}
	}
	if left := p.Thresholds(ada); len(left) != 2 {
		t.Errorf("left are %v", left)
	}
}
