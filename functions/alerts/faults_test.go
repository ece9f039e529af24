package alerts_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

// Each call to the store fails once, before or after its effect, or the process dies at it. A retry
// succeeds.
func TestAlertsUnderFaults(t *testing.T) {
	t.Parallel()
	fixture.EachFault(t, func(t *testing.T, f *storetest.Faulty, clock *storetest.Clock) {
		liveUnderFaults(t, fixture.OpenSubscriptions(t, f, clock), f)
	})
}

func liveUnderFaults(t *testing.T, p *fixture.Subscriptions, f *storetest.Faulty) {
	const ada = "ada@example.com"
	p.Faulty = f
	holds := func(want ...string) {
		t.Helper()
		list, err := store.Alerts{Table: f.Table}.BySubscriber(t.Context(), fixture.Subscriber(ada))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range list {
			got = append(got, fmt.Sprint(a.Route, " ", a.Threshold))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("alerts (-want +got):\n%s", diff)
		}
	}
	// If the answer of an earlier try was lost, the page may also say that the action was already
	// done.
	once := func(call func() fixture.Reply) {
		t.Helper()
		if a := p.Retry(f, call); a.Status != 200 && a.Status != 410 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	subscribe := func(route, threshold string) {
		t.Helper()
		if a := p.Retry(f, func() fixture.Reply { return p.Ask(route, ada, threshold) }); a.Status != 202 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		mails := p.Received(ada)
		if len(mails) == 0 {
			t.Fatal("it was asked for, and no mail came")
		}
		link := p.Link(mails[len(mails)-1])
		once(func() fixture.Reply { return p.Do("GET", link, "") })
		once(func() fixture.Reply { return p.Form(link, "") })
	}
	subscribe("MIL-BUH", "40")
	holds("MIL-BUH 4000")
	p.Clock.Add(time.Hour)
	subscribe("MIL-LON", "")
	holds("MIL-BUH 4000", "MIL-LON 0")
	once(func() fixture.Reply { return p.Do("POST", p.EndLink("MIL-BUH", ada), "List-Unsubscribe=One-Click") })
	holds("MIL-LON 0")
	once(func() fixture.Reply { return p.Do("GET", p.ManageLink(ada), "") })
	once(func() fixture.Reply { return p.Form(p.ManageLink(ada), "all=1") })
	holds()
	if left := everything(t, f.Table, "SUBSCRIBER#"+string(fixture.Subscriber(ada)), "ALERTS#MIL-BUH",
		"ALERTS#MIL-LON", "OUTBOX#alerts"); left != "" {
		t.Errorf("left:\n%s", left)
	}
}
