package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

// What asking for an alert tells, and what becomes of alerts when storage fails.

// TestAskingTellsNothing asks for addresses that have the alert, that are on the
// stop list, that have had all their mails of the hour, and that nobody knows, by
// turns: status, headers and body are the same, and a rank test (Mann and
// Whitney's U) cannot tell their times apart. By chance alone each of the three
// would once in a thousand runs.
func TestAskingTellsNothing(t *testing.T) {
	clock := storetest.NewClock()
	p := openCounter(t, bolt(t, clock.Now), clock)
	const each = 200
	kinds := []string{"unknown", "subscribed", "stopped", "full"}
	address := func(kind string, n int) string { return fmt.Sprintf("%s%d@example.com", kind, n) }
	for n := range each {
		p.ask("MIL-BUH", address("subscribed", n), "40")
	}
	p.letters("")
	for n := range each {
		p.form(p.link(p.letters(address("subscribed", n))[0]), "")
		if err := p.service.Alerts.Stop(t.Context(), p.subscriber(address("stopped", n)), clock.Now().AddDate(1, 0, 0)); err != nil {
			t.Fatal(err)
		}
	}
	clock.Add(time.Hour - time.Duration(clock.Now().UnixNano()%int64(time.Hour)))
	for n := range each {
		for range 4 {
			p.ask("MIL-BUH", address("full", n), "")
		}
	}
	for done := -1; done != 0; {
		var err error
		if done, err = p.service.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(p.alerts(address("subscribed", each-1))); got != 1 {
		t.Fatalf("the last has %d alerts", got)
	}

	times := map[string][]float64{}
	var first reply
	for n := range each {
		for turn := range kinds {
			kind := kinds[(turn+n)%len(kinds)] // no kind always follows the same
			begun := time.Now()
			a := p.ask("MIL-BUH", address(kind, n), "40")
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
		t.Logf("%s against unknown: p = %.3f", kind, chance)
		if chance < 0.001 {
			t.Errorf("times tell who is %s: p = %.5f", kind, chance)
		}
	}
	for i := range times["unknown"] {
		times["unknown"][i] *= 1.3
	}
	if chance := mannWhitney(times["subscribed"], times["unknown"]); chance > 0.001 {
		t.Errorf("the test would not notice 30 %% more time: p = %.5f", chance)
	}
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
