package alerts

import (
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/shared/notify"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/notify/webhook"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

type retention struct {
	partition string
	most      time.Duration
}

// kept lists the partitions in which data that identifies a former subscriber may remain, and for
// how long, like the table in docs/alerts.md.
var kept = []retention{
	{"PENDING#", 48 * time.Hour},
	{"OUTBOX#", 7 * 24 * time.Hour},
	{"DELIVERIES", 8 * 24 * time.Hour},
	{"STOPPED#", 180 * 24 * time.Hour},
}

// countItemsWith counts, by the first word of the partition key, the items whose key or data
// contain one of the texts in whom.
func countItemsWith(t *testing.T, table store.Table, now time.Time, whom []string) map[string]int {
	t.Helper()
	found := map[string]int{}
	items, err := storetest.Contents(t.Context(), table.(store.Whole))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range items {
		all := i.Partition + " " + i.Sort + " " + string(i.Data)
		n := slices.IndexFunc(whom, func(name string) bool { return strings.Contains(all, name) })
		if n < 0 {
			continue
		}
		partition, _, _ := strings.Cut(i.Partition, "#")
		found[partition]++
		if !slices.ContainsFunc(kept, func(k retention) bool {
			return strings.HasPrefix(i.Partition, k.partition) && !i.Expires.IsZero() && i.Expires.Sub(now) <= k.most
		}) {
			t.Errorf("%s %s names %s until %v", i.Partition, i.Sort, whom[n], i.Expires)
		}
	}
	return found
}

// After alerts end on every channel (with sent, waiting and never confirmed messages), only the
// items that docs/alerts.md lists remain, and none after the periods stated there.
func TestNothingIsKeptLonger(t *testing.T) {
	c := openChannels(t, 0)
	ctx, now := t.Context(), c.Now()
	c.Subscribe("ada", "MIL-BUH", 0)
	c.Subscribe("bob", "MIL-BUH", 4000)
	weekly := store.Alert{Subscriber: notifytest.IDOf("eve"), Route: notifytest.Route("MIL-BUH"),
		Email: notifytest.AddressOf("eve"), Language: "it", Digest: true}
	asked := store.Alert{Subscriber: notifytest.IDOf("pending"), Route: notifytest.Route("MIL-BUH"),
		Email: notifytest.AddressOf("pending"), Language: "it"}
	for id, a := range map[string]store.Alert{"weekly": weekly, "asked": asked} {
		if err := c.Alerts().AddPending(ctx, id, a, now.Add(48*time.Hour),
			store.Job{Kind: "confirm", Ref: id, Email: a.Email, At: now}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Alerts().Confirm(ctx, "weekly"); err != nil {
		t.Fatal(err)
	}
	whom := []string{notifytest.AddressOf("ada"), notifytest.AddressOf("bob"), notifytest.AddressOf("eve"),
		notifytest.AddressOf("pending")}
	ids := []store.SubscriberID{notifytest.IDOf("ada"), notifytest.IDOf("bob"), notifytest.IDOf("eve"),
		notifytest.IDOf("pending")}
	for _, id := range ids {
		whom = append(whom, string(id))
	}
	for _, a := range c.alerts {
		// The number in the subscriber's id is also part of the alert's address.
		whom, ids = append(whom, strings.TrimPrefix(string(a.Subscriber), "s")), append(ids, a.Subscriber)
	}

	if found := countItemsWith(t, c.Table, now, whom[3:4]); found["PENDING"] != 1 ||
		found["OUTBOX"] != 1 || len(found) != 2 {
		t.Errorf("who has confirmed nothing is named by %v", found)
	}

	// One message is sent on every channel. The next is being sent when all alerts end.
	c.refresh(3900)
	c.work()
	c.Add(24 * time.Hour)
	c.refresh(5900)
	c.work()
	c.Add(24 * time.Hour)
	c.refresh(3000)
	sender := c.Sender()
	sender.Carriers = notify.Queued(store.Outbox{Table: c.Table, Name: notify.PushOutbox}, c.Now)
	sender.Carriers[store.Webhook] = webhook.Carrier{Deliveries: store.Deliveries{Table: c.Table}, Now: c.Now}
	if sent, err := sender.Work(ctx); err != nil || sent.Sent < 10 {
		t.Fatalf("%+v %v", sent, err)
	}
	for _, id := range ids {
		if id == notifytest.IDOf("bob") {
			if err := c.Alerts().Stop(ctx, id, notify.RefusedUntil(c.Now())); err != nil {
				t.Fatal(err)
			}
		} else if _, err := c.Alerts().Remove(ctx, id); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		later time.Duration
		want  []string // partitions that still identify someone
		most  int      // items of each
	}{
		{0, []string{"OUTBOX", "DELIVERIES", "STOPPED"}, 100},
		{9 * 24 * time.Hour, []string{"STOPPED"}, 1},
		{172 * 24 * time.Hour, nil, 0},
	} {
		c.Add(step.later)
		found := countItemsWith(t, c.Table, c.Now(), whom)
		for _, partition := range step.want {
			if n := found[partition]; n == 0 || n > step.most {
				t.Errorf("%v later: %d items of %s name somebody", step.later, n, partition)
			}
			delete(found, partition)
		}
		if len(found) > 0 {
			t.Errorf("%v later: somebody is named by %v", step.later, found)
		}
	}
}

func TestDeliveriesOfTheGoneGoNowhere(t *testing.T) {
	c := openChannels(t, 0)
	c.refresh(3900)
	sender := c.Sender()
	sender.Carriers = notify.Queued(store.Outbox{Table: c.Table, Name: notify.PushOutbox}, c.Now)
	sender.Carriers[store.Webhook] = webhook.Carrier{Deliveries: store.Deliveries{Table: c.Table}, Now: c.Now}
	if sent, err := sender.Work(t.Context()); err != nil || sent.Sent < 6 {
		t.Fatalf("%+v %v", sent, err)
	}
	for _, a := range c.alerts {
		if _, err := c.Alerts().Remove(t.Context(), a.Subscriber); err != nil {
			t.Fatal(err)
		}
	}
	c.work()
	each, _ := c.told()
	for name, n := range each {
		if n > 0 {
			t.Errorf("%s has told %d messages", name, n)
		}
	}
	if len(each) != len(c.alerts) {
		t.Errorf("%v", each)
	}
}
