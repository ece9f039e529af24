package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
	overBoth(t, func(t *testing.T, table store.Table, clock *storetest.Clock) {
		p := openCounter(t, table, clock)
		kinds := []string{"unknown", "one write more", "subscribed", "stopped", "full"}
		const each = 200
		address := func(kind string, n int) string {
			return fmt.Sprintf("%s%d@example.com", strings.ReplaceAll(kind, " ", "-"), n)
		}
		alerts, until := p.service.Alerts, clock.Now().AddDate(1, 0, 0)
		for n := range each {
			id, subscriber := fmt.Sprint("id", n), p.subscriber(address("subscribed", n))
			err := alerts.AddPending(t.Context(), id, store.Alert{
				Subscriber: subscriber, Route: fare.Route{Origin: "MIL", Destination: "BUH"}, Email: address("subscribed", n), Language: "it",
			}, until, store.Job{At: clock.Now(), Ref: id})
			if err == nil {
				_, err = alerts.Confirm(t.Context(), id)
			}
			if err == nil {
				err = alerts.Stop(t.Context(), p.subscriber(address("stopped", n)), until)
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
				p.ask("MIL-BUH", address("full", n/4), "")
			}
			p.drain()
		}
		if mails, err := maildir.Read(p.mails); err != nil || fast && len(mails) != 3*each {
			t.Fatalf("%d mails, %v", len(mails), err)
		}

		times := map[string][]float64{}
		var first reply
		for n := range each {
			for turn := range kinds {
				kind := kinds[(turn+n)%len(kinds)]
				begun := time.Now()
				a := p.ask("MIL-BUH", address(kind, n), "40")
				if kind == "one write more" {
					if _, err := table.Take(t.Context(), store.Key{Partition: "MORE", Sort: fmt.Sprint(n)}, 1, until); err != nil {
						t.Fatal(err)
					}
				}
				times[kind] = append(times[kind], float64(time.Since(begun)))
				if first.body == "" {
					first = a
				}
				if a.status != 202 || a.body != first.body || fmt.Sprint(a.header) != fmt.Sprint(first.header) {
					t.Fatalf("%s: %d %v %s", kind, a.status, a.header, a.body)
				}
			}
		}
		for _, kind := range kinds[1:] {
			chance := mannWhitney(times[kind], times["unknown"])
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
	for name, arm := range map[string]func(*storetest.Faulty, int, storetest.Side){"fails once": (*storetest.Faulty).FailOnce, "dies": (*storetest.Faulty).DieAt} {
		clocks := map[store.Table]*storetest.Clock{}
		open := func(t *testing.T) store.Table {
			clock := storetest.NewClock()
			table := bolt(t, clock.Now)
			clocks[table] = clock
			return table
		}
		n := storetest.EachFault(t, open, arm, func(t *testing.T, f *storetest.Faulty) {
			aliveUnderFaults(t, openCounter(t, f, clocks[f.Table]), f)
		})
		t.Logf("%s: %d combinations", name, n)
	}
}

// aliveUnderFaults subscribes twice, ends one alert by its link and the other by the page of all.
func aliveUnderFaults(t *testing.T, p *counter, f *storetest.Faulty) {
	const ada = "ada@example.com"
	p.faulty = f
	// What is looked at here is not what is tested: it goes past the faults.
	holds := func(want ...string) {
		t.Helper()
		list, err := store.Alerts{Table: f.Table}.Of(t.Context(), p.subscriber(ada))
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
	once := func(call func() reply) {
		t.Helper()
		if a := p.until(f, call); a.status != 200 && a.status != 410 {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	subscribe := func(route, threshold string) {
		t.Helper()
		if a := p.until(f, func() reply { return p.ask(route, ada, threshold) }); a.status != 202 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		mails := p.letters(ada)
		if len(mails) == 0 {
			t.Fatal("it was asked for, and no mail came")
		}
		link := p.link(mails[len(mails)-1])
		once(func() reply { return p.do("GET", link, "") })
		once(func() reply { return p.form(link, "") })
	}
	subscribe("MIL-BUH", "40")
	holds("MIL-BUH 4000")
	p.clock.Add(time.Hour)
	subscribe("MIL-LON", "")
	holds("MIL-BUH 4000", "MIL-LON 0")
	once(func() reply { return p.do("POST", p.endLink("MIL-BUH", ada), "List-Unsubscribe=One-Click") })
	holds("MIL-LON 0")
	once(func() reply { return p.do("GET", p.manageLink(ada), "") })
	once(func() reply { return p.form(p.manageLink(ada), "all=1") })
	holds()
	if left := everything(t, f.Table, "SUBSCRIBER#"+string(p.subscriber(ada)), "ALERTS#MIL-BUH", "ALERTS#MIL-LON", "OUTBOX#alerts"); left != "" {
		t.Errorf("left:\n%s", left)
	}
}
