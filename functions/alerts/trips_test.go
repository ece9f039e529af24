package alerts_test

import (
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/store"
)

// The alert for a trip is separate from the alert for its route.
func TestTripAlerts(t *testing.T) {
	t.Parallel()
	p, clock := subscriptions(t)
	const ada = "ada@example.com"
	day := clock.Now().AddDate(0, 2, 0).Format("2006-01-02")
	p.Subscribe("MIL-BUH", ada, "50")
	ask := func(percent string) string {
		t.Helper()
		a := p.Form("/v1/alerts",
			"route=MIL-BUH&email="+ada+"&departure="+day+"&nights=4-7&nonstop=on&kind=drop&amount=&days=&month=&percent="+percent, "Accept-Language", "en")
		if a.Status != 202 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		mails := p.Received(ada)
		m := mails[len(mails)-1]
		for _, want := range []string{"return, 4–7 nights away, non-stop flights only", "falls by " + percent + "%"} {
			if !strings.Contains(m.Text, want) {
				t.Errorf("the mail lacks %q:\n%s", want, m.Text)
			}
		}
		link := p.Link(m)
		for _, page := range []fixture.Reply{p.Do("GET", link, "", "Accept-Language", "en"),
			p.Form(link, "", "Accept-Language", "en")} {
			if page.Status != 200 || !strings.Contains(page.Page(), "4–7 nights away") ||
				!strings.Contains(page.Page(), "falls by "+percent+"%") {
				t.Errorf("%d %s", page.Status, page.Body)
			}
		}
		return link
	}
	ask("10")
	ask("20")
	alerts, err := p.Alerts.Alerts.BySubscriber(t.Context(), fixture.Subscriber(ada))
	if err != nil || len(alerts) != 2 || alerts[0].Threshold != 5000 || alerts[1].Kind != store.Drop ||
		alerts[1].Percent != 20 {
		t.Fatalf("%+v %v", alerts, err)
	}
	list := p.Do("GET", p.ManageLink(ada), "", "Accept-Language", "en")
	if list.Status != 200 || strings.Count(list.Body, `name="remove"`) != 2 ||
		!strings.Contains(list.Body, "falls by") || !strings.Contains(list.Body, alerts[1].Ref().String()) {
		t.Errorf("%d %s", list.Status, list.Body)
	}
	end := p.Alerts.Links.Unsubscribe(fixture.Subscriber(ada), alerts[1].Ref())
	p.Do("GET", end, "", "Accept-Language", "en").Want(t, 200, "4–7 nights away")
	p.Form(p.ManageLink(ada), "remove="+alerts[1].Ref().String()).Want(t, 200)
	p.Form(end, "").Want(t, 410)
	if left := p.Thresholds(ada); len(left) != 1 || left["MIL-BUH"] != 5000 {
		t.Errorf("left are %v", left)
	}
}
