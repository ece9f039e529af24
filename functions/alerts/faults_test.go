package alerts_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/mail/maildir"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
)

// What asking for an alert tells, and what becomes of alerts when storage fails.

// TestAskingTellsNothing asks for addresses that have the alert, that are on the
// stop list, that have had all their mails of the hour, and that nobody knows, by
// turns: status, headers and body are the same, and a rank test (Mann and
// Whitney's U) cannot tell their times apart. By chance alone each would once in
// ten thousand runs. The same test does notice one write to the store.
func TestAskingTellsNothing(t *testing.T) {
	fixture.BothStores(t, func(t *testing.T, table store.Table, clock *storetest.Clock) {
		p := fixture.OpenSubscriptions(t, table, clock)
		kinds := []string{"unknown", "one write more", "subscribed", "stopped", "full"}
		const each = 200
		address := func(kind string, n int) string {
			return fmt.Sprintf("%s%d@example.com", strings.ReplaceAll(kind, " ", "-"), n)
		}
		alerts, until := p.Alerts.Alerts, clock.Now().AddDate(1, 0, 0)
		for n := range each {
			id, subscriber := fmt.Sprint("id", n), fixture.Subscriber(address("subscribed", n))
			err := alerts.AddPending(t.Context(), id, store.Alert{
				Subscriber: subscriber, Route: fare.Route{Origin: "MIL", Destination: "BUH"}, Email: address("subscribed", n), Language: "it",
			}, until, store.Job{At: clock.Now(), Ref: id})
			if err == nil {
				_, err = alerts.Confirm(t.Context(), id)
			}
			if err == nil {
				err = alerts.Stop(t.Context(), fixture.Subscriber(address("stopped", n)), until)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		_, fast := table.(*boltstore.Store)
		if !fast {
			kinds = kinds[:4] // asking for them all four times over takes a minute there
		} else {
			for n := range 4 * each {
				p.Ask("MIL-BUH", address("full", n/4), "")
			}
			p.Drain()
		}
		if mails, err := maildir.Read(p.Mails); err != nil || fast && len(mails) != 3*each {
			t.Fatalf("%d mails, %v", len(mails), err)
		}

		times := map[string][]float64{}
		var first fixture.Reply
		for n := range each {
			for turn := range kinds {
				kind := kinds[(turn+n)%len(kinds)]
				begun := time.Now()
				a := p.Ask("MIL-BUH", address(kind, n), "40")
				if kind == "one write more" {
					if _, err := table.Take(t.Context(), store.Key{Partition: "MORE", Sort: fmt.Sprint(n)}, 1, until); err != nil {
						t.Fatal(err)
					}
				}
				times[kind] = append(times[kind], float64(time.Since(begun)))
				if first.Body == "" {
					first = a
				}
				if a.Status != 202 || a.Body != first.Body || fmt.Sprint(a.Header) != fmt.Sprint(first.Header) {
					t.Fatalf("%s: %d %v %s", kind, a.Status, a.Header, a.Body)
				}
			}
		}
		for _, kind := range kinds[1:] {
			chance := fixture.MannWhitney(times[kind], times["unknown"])
			t.Logf("%s against unknown: p = %.4f", kind, chance)
			switch {
			case kind == "one write more" && chance > 0.0001:
				t.Errorf("the test does not notice one write more: p = %.5f", chance)
			case kind != "one write more" && chance < 0.0001:
				t.Errorf("times tell who is %s: p = %.5f", kind, chance)
			}
		}
	})
}

// TestAlertsUnderFaults: with each storage call failing once, before and after its
// effect, or the process dying there, trying again leads where it should.
func TestAlertsUnderFaults(t *testing.T) {
	fixture.EachFault(t, func(t *testing.T, f *storetest.Faulty, clock *storetest.Clock) {
		liveUnderFaults(t, fixture.OpenSubscriptions(t, f, clock), f)
	})
}

// liveUnderFaults subscribes twice, ends one alert by its link and the other by the page of all.
func liveUnderFaults(t *testing.T, p *fixture.Subscriptions, f *storetest.Faulty) {
	const ada = "ada@example.com"
	p.Faulty = f
	// What is looked at here is not what is tested: it goes past the faults.
	holds := func(want ...string) {
		t.Helper()
		list, err := store.Alerts{Table: f.Table}.Of(t.Context(), fixture.Subscriber(ada))
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
	// once wants a success, or word that it was done: then the answer of the success was lost.
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
	if left := everything(t, f.Table, "SUBSCRIBER#"+string(fixture.Subscriber(ada)), "ALERTS#MIL-BUH", "ALERTS#MIL-LON", "OUTBOX#alerts"); left != "" {
		t.Errorf("left:\n%s", left)
	}
}
