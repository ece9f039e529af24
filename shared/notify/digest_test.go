package notify_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

func (h *trip) summarize(route string, prices ...fare.Cents) {
	h.T.Helper()
	series := fare.Series{Route: notifytest.Route(route)}
	var found []fare.Observation
	for i, price := range prices {
		day := h.Today() - fare.Day(len(prices)-1-i)
		found = append(found, fare.Observation{Found: day.Time().Unix(), Depart: h.Today() + 150, Price: price})
	}
	fares := store.Fares{Table: h.Table}
	stored, err := fares.StoredSummary(h.T.Context(), series, store.Strong)
	if err == nil {
		_, err = fares.PutSummary(h.T.Context(), series, stored,
			store.Summaries.Pack(verdict.Build(found, verdict.RouteSummary{}, h.Today(), verdict.Options{})))
	}
	if err != nil {
		h.T.Fatal(err)
	}
}

func (h *trip) weekly(who, route string, a store.Alert) store.Alert {
	h.T.Helper()
	a.Route, a.Language, a.Digest, a.RequestDay = notifytest.Route(route), "en", true, h.Today()
	return h.Confirm(who, a)
}

func (h *trip) until(who string, hour int) {
	day := h.Today().Time()
	for day = day.AddDate(0, 0, 1); day.Weekday() != store.DigestWeekday(notifytest.IDOf(who)); {
		day = day.AddDate(0, 0, 1)
	}
	h.Set(day.Add(time.Duration(hour) * time.Hour))
}

// After newDigest, the first day with digests is tomorrow.
func newDigest(t *testing.T, who string) *trip {
	h := newTrip(t)
	h.weekly(who, "MIL-BUH", store.Alert{})
	h.Work(notify.Result{})
	return h
}

func TestDigest(t *testing.T) {
	h := newTrip(t)
	day := h.Today() + 60
	one := store.Trip{From: day, To: day}
	steady := notifytest.Steady()
	h.weekly("ada", "MIL-BUH", store.Alert{Threshold: 100})
	h.weekly("ada", "MIL-LON", store.Alert{Threshold: 6000})
	h.weekly("ada", "MIL-PAR", store.Alert{})
	h.weekly("ada", "MIL-BUH", store.Alert{Trip: one, Kind: store.Change})
	h.weekly("ada", "MIL-BUH", store.Alert{Kind: store.Low, Days: 7})
	h.weekly("ada", "MIL-MAD", store.Alert{Kind: store.Drop, Percent: 10})
	h.weekly("ada", "MIL-VIE", store.Alert{Paused: store.UntilResumed})
	h.Subscribe("ada", "MIL-ROM", 100)
	h.Work(notify.Result{})
	h.WantMailed()

	h.until("ada", 9)
	h.refresh(always(5500, nil))
	h.summarize("MIL-BUH", append(steady, 3000)...)
	h.summarize("MIL-LON", append(steady, 5100)...)
	h.summarize("MIL-MAD", append(steady, 4000)...)
	h.summarize("MIL-ROM", append(steady, 50)...)
	leave(h.Fixture, append(steady, 3000)...)
	h.Work(notify.Result{Sent: 1, Settled: 2})
	first := h.Mails()[0]
	want := []string{"Milan – Bucharest", "Milan – London", "Milan – Bucharest", "Milan – Madrid",
		"Milan – Bucharest", "Milan – Paris"}
	if diff := cmp.Diff(want, routesOf(first)); diff != "" {
		t.Errorf("in this order (-want +got):\n%s", diff)
	}
	for _, want := range []string{"€51.00", "Fares are very low right now.", "€40.00", "€55.00", "We know of no fare",
		"or less: that is the case now", "departure: "} {
		if !strings.Contains(strings.ReplaceAll(first.Text, "\n", " "), want) {
			t.Errorf("it lacks %q:\n%s", want, first.Text)
		}
	}
	if strings.Contains(first.Text, "our last message") || strings.Contains(first.Text, "Rome") ||
		strings.Contains(first.Text, "Vienna") {
		t.Errorf("it says too much:\n%s", first.Text)
	}
	_, token, _ := strings.Cut(first.Unsubscribe, "?t=")
	if s, ok := notifytest.Links.OpenEndDigest(token); !ok || s != notifytest.IDOf("ada") ||
		!strings.HasPrefix(first.ID, "digest-"+h.Now().Format("20060102")) {
		t.Errorf("%s ends by %s", first.ID, first.Unsubscribe)
	}
	for range 6 {
		h.Work(notify.Result{})
		h.Add(24 * time.Hour)
	}
	h.Work(notify.Result{})
	h.until("ada", 9)
	h.refresh(always(5500, map[fare.Day]fare.Cents{day: 4400}))
	h.summarize("MIL-BUH", append(steady, 3000, 3000, 3200)...)
	h.summarize("MIL-LON", append(steady, 5100)...)
	h.summarize("MIL-MAD", append(steady, 3600)...)
	h.Work(notify.Result{Sent: 1, Settled: 1})
	mails := h.Mails()
	second := mails[slices.IndexFunc(mails, func(m mail.Message) bool { return m.ID != first.ID })]
	says := strings.ReplaceAll(second.Text, "\n", " ")
	for _, want := range []string{
		"€2.00 more than in our last message (€30.00)", "The same as in our last message",
		"€4.00 less than in our last message (€40.00)", "€11.00 less than in our last message (€55.00)",
		"when the fare changes: that is the case now", "falls by 10% or more: that is the case now",
	} {
		if !strings.Contains(says, want) {
			t.Errorf("the second lacks %q:\n%s", want, second.Text)
		}
	}
	if len(mails) != 2 {
		t.Errorf("%d mails", len(mails))
	}
}

func routesOf(m mail.Message) (routes []string) {
	for line := range strings.SplitSeq(m.Text, "\n") {
		if strings.HasPrefix(line, "Milan – ") {
			routes = append(routes, line)
		}
	}
	return routes
}

// A low of the last week still counts in the digest if later refreshes found the same price.
func TestADigestOfALow(t *testing.T) {
	h := newTrip(t)
	h.weekly("ada", "MIL-BUH", store.Alert{Kind: store.Low, Days: 14})
	h.Work(notify.Result{})
	prices := notifytest.Steady()
	for week, c := range []struct {
		days []fare.Cents
		met  bool
	}{
		{[]fare.Cents{3000, 3000, 3000}, true},
		{[]fare.Cents{3500, 3500, 3500, 3000, 3000, 3000, 3000}, false},
		{[]fare.Cents{3000, 3000, 3000, 3000, 3000, 2900, 2900}, true},
		{[]fare.Cents{2900, 2900, 2900, 2900, 2900, 2900, 2900}, false},
	} {
		h.until("ada", 9)
		today := h.Now()
		for i, price := range c.days {
			h.Set(today.AddDate(0, 0, i+1-len(c.days)))
			prices = append(prices, price)
			leave(h.Fixture, prices...)
		}
		h.summarize("MIL-BUH", prices...)
		if _, err := h.Sender().Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, m := range h.Mails() {
			if strings.HasPrefix(m.ID, "digest-"+today.Format("20060102")) &&
				strings.Contains(strings.ReplaceAll(m.Text, "\n", " "), "that is the case now") != c.met {
				t.Errorf("week %d:\n%s", week, m.Text)
			}
		}
		if n := h.Mailed()["ada"]; n != week+1 {
			t.Errorf("%d mails in week %d", n, week)
		}
	}
}

func TestDigestDays(t *testing.T) {
	h := newDigest(t, "ada")
	h.until("ada", 7)
	h.Add(59 * time.Minute)
	h.Work(notify.Result{})
	h.Add(time.Minute)
	h.Work(notify.Result{Sent: 1})
	h.Work(notify.Result{})
	h.until("ada", 9)
	h.Add(3 * 24 * time.Hour)
	h.Work(notify.Result{Sent: 1})
	h.Work(notify.Result{})
	h.until("ada", 9)
	h.Work(notify.Result{Sent: 1})
	h.until("ada", 9)
	h.until("ada", 9)
	h.Add(24 * time.Hour)
	h.Work(notify.Result{Sent: 1})
	h.Work(notify.Result{})
	h.WantMailed("ada", "ada", "ada", "ada")
	h.until("ada", 9)
	h.Unsubscribe("ada")
	h.Work(notify.Result{})
}

func TestWhoHasNoDigest(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(h *trip, ref store.Ref) error
	}{
		{"paused", func(h *trip, ref store.Ref) error {
			_, err := h.Alerts().Change(t.Context(), ref, notifytest.IDOf("ada"),
				func(a *store.Alert) { a.Paused = store.UntilResumed })
			return err
		}},
		{"at once", func(h *trip, ref store.Ref) error {
			_, err := h.Alerts().Change(t.Context(), ref, notifytest.IDOf("ada"),
				func(a *store.Alert) { a.Digest = false })
			return err
		}},
		{"removed", func(h *trip, ref store.Ref) error {
			_, err := h.Alerts().RemoveDigest(t.Context(), notifytest.IDOf("ada"))
			return err
		}},
		{"stopped", func(h *trip, ref store.Ref) error {
			return h.Alerts().Stop(t.Context(), notifytest.IDOf("ada"), h.Now().AddDate(1, 0, 0))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newDigest(t, "ada")
			if err := c.do(h, store.Ref{Route: notifytest.Route("MIL-BUH")}); err != nil {
				t.Fatal(err)
			}
			h.until("ada", 9)
			h.Work(notify.Result{})
			h.WantMailed()
		})
	}
}

func TestADigestIsRefused(t *testing.T) {
	h := newDigest(t, "ada")
	h.until("ada", 9)
	h.Carrier.Before = func(mail.Message) error { return mail.ErrThrottled }
	h.Work(notify.Result{Postponed: 1, More: true})
	h.Carrier.Before = func(mail.Message) error { return mail.ErrRefused }
	h.Work(notify.Result{Refused: 1})
	if _, err := (store.Digests{Table: h.Table}).Digest(t.Context(), notifytest.IDOf("ada")); !errors.Is(err,
		store.ErrNotFound) {
		t.Errorf("a digest is left: %v", err)
	}
	h.Carrier.Before = nil
	h.until("ada", 9)
	h.Work(notify.Result{})
	h.WantMailed()
}

func TestFailingDigestDelaysNoOther(t *testing.T) {
	h := newDigest(t, "ada")
	began := h.Today()
	var others []string
	for i := range 20 {
		who := fmt.Sprint("other", i)
		h.weekly(who, "MIL-BUH", store.Alert{})
		others = append(others, who)
	}
	h.Carrier.Before = func(m mail.Message) error {
		if m.To == notifytest.AddressOf("ada") {
			return mail.ErrThrottled
		}
		return nil
	}
	h.until("ada", 9)
	for range 7 {
		if _, err := h.Sender().Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.Add(24 * time.Hour)
	}
	for _, who := range others {
		want := 0
		for day := began + 1; day < h.Today(); day++ {
			if day.Time().Weekday() == store.DigestWeekday(notifytest.IDOf(who)) {
				want++
			}
		}
		if n := h.Mailed()[who]; n != want || n == 0 {
			t.Errorf("%s has %d, want %d", who, n, want)
		}
	}
	if n := h.Mailed()["ada"]; n != 0 {
		t.Errorf("ada has %d", n)
	}
}

type counted struct {
	store.Table
	calls map[string]int
}

func (c counted) Get(ctx context.Context, key store.Key, read store.Consistency) (store.Item, error) {
	c.calls["get "+key.Partition]++
	return c.Table.Get(ctx, key, read)
}

func (c counted) Query(ctx context.Context, r store.Range) ([]store.Item, error) {
	c.calls["query "+r.Partition]++
	return c.Table.Query(ctx, r)
}

func (c counted) Write(ctx context.Context, ops ...store.Op) error {
	for _, op := range ops {
		c.calls["write "+op.Item.Partition]++
	}
	return c.Table.Write(ctx, ops...)
}

func TestCostWithoutDigests(t *testing.T) {
	h := newTrip(t)
	h.Subscribe("bob", "MIL-ROM", 100)
	sound := h.Table
	work := func(want map[string]int) {
		t.Helper()
		table := counted{sound, map[string]int{}}
		h.Table = table
		_, err := h.Sender().Work(t.Context())
		h.Table = sound
		if diff := cmp.Diff(want, table.calls); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	with := func(more map[string]int) map[string]int {
		all := map[string]int{"write LEASE#mail": 2, "query WAKES": 1, "get DIGESTS": 1}
		maps.Copy(all, more)
		return all
	}
	work(with(nil))
	h.Add(24 * time.Hour)
	work(with(nil))
	h.weekly("ada", "MIL-BUH", store.Alert{})
	h.weekly("ada", "MIL-LON", store.Alert{})
	h.summarize("MIL-BUH", notifytest.Steady()...)
	h.summarize("MIL-LON", notifytest.Steady()...)
	ada := string(notifytest.IDOf("ada"))
	partition := fmt.Sprintf("DIGESTS#%d", store.DigestWeekday(notifytest.IDOf("ada")))
	work(with(map[string]int{"write DIGESTS": 1}))
	work(with(nil))
	h.until("ada", 9)
	h.Add(-24 * time.Hour)
	h.Work(notify.Result{})
	h.Add(24 * time.Hour)
	work(with(map[string]int{
		"query " + partition: 1, "get SUBSCRIBER#" + ada: 1, "get ALERTS#MIL-BUH": 1, "get ALERTS#MIL-LON": 1,
		"get STOPPED#" + ada: 1,
		"get ROUTE#MIL-BUH":  3, "get ROUTE#MIL-LON": 3, "write " + partition: 1, "write DIGESTS": 1,
	}))
	h.WantMailed("ada")
	work(with(nil))
	h.Unsubscribe("ada")
	h.Add(24 * time.Hour)
	partition = fmt.Sprintf("DIGESTS#%d", h.Now().Weekday())
	work(with(map[string]int{"query " + partition: 1, "write DIGESTS": 1}))
	work(with(nil))
}
