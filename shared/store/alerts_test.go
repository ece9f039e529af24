package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

type fixture struct {
	store.Alerts
	now time.Time
}

func openAlerts(t *testing.T) *fixture {
	t.Helper()
	d := &fixture{now: noon}
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), func() time.Time { return d.now })
	storetest.Must(t, err)
	t.Cleanup(func() { _ = table.Close() })
	d.Alerts = store.Alerts{Table: table, Outbox: store.Outbox{Table: table, Name: "alerts"}}
	return d
}

func (d *fixture) pending(t *testing.T, id string, alert store.Alert) {
	t.Helper()
	job := store.Job{Kind: "confirm", Email: alert.Email, Ref: id, At: d.now}
	storetest.Must(t, d.AddPending(t.Context(), id, alert, d.now.Add(48*time.Hour), job))
}

func (d *fixture) confirmed(t *testing.T, id string, alert store.Alert) {
	t.Helper()
	d.pending(t, id, alert)
	if _, err := d.Confirm(t.Context(), id); err != nil {
		t.Fatal(err)
	}
}

func alertOf(who string, destination fare.City, threshold fare.Cents) store.Alert {
	return store.Alert{
		Subscriber: store.SubscriberID(who), Route: fare.Route{Origin: "MIL", Destination: destination},
		Email: who + "@example.com", Language: "it", Threshold: threshold,
	}
}

var sameAlert = cmpopts.IgnoreUnexported(store.Alert{})

func TestPagesHoldEveryAlertOnce(t *testing.T) {
	d, ctx := openAlerts(t), context.Background()
	for i := range 25 {
		d.confirmed(t, fmt.Sprint(i), alertOf(fmt.Sprintf("s%02d", i), "BUH", 0))
	}
	var seen []store.SubscriberID
	after := ""
	for range 10 {
		page, err := d.Page(ctx, fare.Route{Origin: "MIL", Destination: "BUH"}, after, 10)
		storetest.Must(t, err)
		for _, one := range page {
			seen = append(seen, one.Subscriber)
			after = one.Place()
		}
		if len(page) < 10 {
			break
		}
	}
	if len(seen) != 25 || seen[0] != "s00" || seen[24] != "s24" {
		t.Errorf("%v", seen)
	}
	one, err := d.One(ctx, store.Ref{Route: fare.Route{Origin: "MIL", Destination: "BUH"}}, "s07")
	storetest.Must(t, err)
	storetest.Must(t, d.MarkNotified(ctx, one, 20500, 0))
	if _, err := d.Remove(ctx, "s07"); err != nil {
		t.Fatal(err)
	}
	if err := d.MarkNotified(ctx, one, 20507, 0); err != nil {
		t.Errorf("notifying one who has left: %v", err)
	}
	if _, err := d.One(ctx, one.Ref(), "s07"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("notifying brought it back: %v", err)
	}
}

func TestAMalformedAlert(t *testing.T) {
	d, ctx := openAlerts(t), t.Context()
	for _, who := range []string{"a", "c"} {
		d.confirmed(t, who, alertOf(who, "BUH", 2000))
	}
	storetest.Must(t, d.Table.Write(ctx, store.Op{
		Mode: store.Set, Item: store.Item{Key: store.Key{Partition: "ALERTS#MIL-BUH", Sort: "b"}, Data: []byte("{")},
	}))
	page, err := d.Page(ctx, milBuh, "", 100)
	if err != nil || len(page) != 3 {
		t.Fatalf("%v %v", page, err)
	}
	for i, who := range []store.SubscriberID{"a", "b", "c"} {
		if page[i].Subscriber != who || page[i].Readable() != (who != "b") {
			t.Errorf("%d: %+v", i, page[i])
		}
	}
}

func TestStopBetweenTheReadsAndTheWriteOfAConfirmation(t *testing.T) {
	d, ctx := openAlerts(t), t.Context()
	d.pending(t, "x", alertOf("ada", "BUH", 2000))
	late := &intercepted{Table: d.Table}
	late.before = func() {
		if err := d.Stop(ctx, "ada", d.now.Add(time.Hour)); err != nil {
			t.Error(err)
		}
	}
	if _, err := (store.Alerts{Table: late}).Confirm(ctx, "x"); !errors.Is(err, store.ErrStopped) {
		t.Errorf("confirmed: %v", err)
	}
	if page, err := d.Page(ctx, milBuh, "", 100); err != nil || len(page) != 0 {
		t.Errorf("stored %v %v", page, err)
	}
}

type intercepted struct {
	store.Table
	before func()
}

func (m *intercepted) Write(ctx context.Context, ops ...store.Op) error {
	if before := m.before; before != nil {
		m.before = nil
		before()
	}
	return m.Table.Write(ctx, ops...)
}

func TestAMalformedJob(t *testing.T) {
	d, ctx := openAlerts(t), t.Context()
	// Sort key 0 comes before the keys of all other jobs.
	malformed := store.Item{Key: store.Key{Partition: "OUTBOX#alerts", Sort: "0"}, Data: []byte("{")}
	storetest.Must(t, d.Table.Write(ctx, store.Op{Mode: store.Set, Item: malformed}))
	d.pending(t, "x", alertOf("ada", "BUH", 2000))
	jobs, err := d.Outbox.Take(ctx, 25, d.now, time.Minute)
	if len(jobs) != 1 || jobs[0].Ref != "x" || err == nil {
		t.Errorf("%v %v", jobs, err)
	}
	d.now = d.now.Add(time.Minute)
	if jobs, err := d.Outbox.Take(ctx, 25, d.now, time.Minute); len(jobs) != 1 || err != nil {
		t.Errorf("the next time: %v %v", jobs, err)
	}
}

func TestRemovingLeavesNothing(t *testing.T) {
	d, ctx := openAlerts(t), context.Background()
	d.confirmed(t, "x", alertOf("ada", "BUH", 0))
	d.confirmed(t, "y", alertOf("ada", "LON", 0))
	d.confirmed(t, "z", alertOf("bob", "LON", 0))
	if n, err := d.Remove(ctx, "ada"); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	if n, err := d.Remove(ctx, "ada"); n != 0 || err != nil {
		t.Errorf("again: %d %v", n, err)
	}
	for _, key := range []store.Key{
		{
			Partition: "SUBSCRIBER#ada", Sort: "ROUTES",
		}, {Partition: "ALERTS#MIL-BUH", Sort: "ada"}, {Partition: "ALERTS#MIL-LON", Sort: "ada"},
	} {
		if item, err := d.Table.Get(ctx, key, store.Strong); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%v holds %s %v", key, item.Data, err)
		}
	}
	if item, err := d.Table.Get(ctx, store.Key{Partition: "PENDING#x", Sort: "ALERT"}, store.Strong); err != nil ||
		len(item.Data) != 0 {
		t.Errorf("the pending subscription that was confirmed still holds %s %v", item.Data, err)
	}
	if gone, err := d.ForgetRoute(ctx, fare.Route{Origin: "MIL", Destination: "LON"}); gone || err != nil {
		t.Errorf("bob still watches: %v %v", gone, err)
	}
	if gone, err := d.ForgetRoute(ctx, fare.Route{Origin: "MIL", Destination: "BUH"}); !gone || err != nil {
		t.Errorf("a route without alerts: %v %v", gone, err)
	}
	if cities, err := d.SubscribedRoutes(ctx, "MIL"); err != nil ||
		!cmp.Equal(cities, []store.SubscribedRoute{{Destination: "LON"}}) {
		t.Errorf("%v %v", cities, err)
	}
}

func TestOnlyTheFirstPriceIsMarkedSeen(t *testing.T) {
	d, ctx := openAlerts(t), t.Context()
	d.confirmed(t, "x", alertOf("ada", "BUH", 0))
	for _, price := range []fare.Cents{5000, 4000} {
		all, err := d.BySubscriber(ctx, "ada")
		storetest.Must(t, err)
		storetest.Must(t, d.MarkSeen(ctx, all[0], price))
	}
	if all, err := d.BySubscriber(ctx, "ada"); err != nil || all[0].State.First != 5000 {
		t.Errorf("%+v %v, want €50 first", all, err)
	}
}

func TestConfirmingAfterMailWasStopped(t *testing.T) {
	d, ctx := openAlerts(t), t.Context()
	d.pending(t, "x", alertOf("ada", "BUH", 2000))
	storetest.Must(t, d.Stop(ctx, "ada", d.now.Add(time.Hour)))
	if _, err := d.Confirm(ctx, "x"); !errors.Is(err, store.ErrStopped) {
		t.Errorf("confirmed: %v", err)
	}
	if stored, err := d.BySubscriber(ctx, "ada"); err != nil || len(stored) != 0 {
		t.Errorf("stored %v %v", stored, err)
	}
	d.now = d.now.Add(time.Hour)
	if _, err := d.Confirm(ctx, "x"); err != nil {
		t.Errorf("once the stop is over: %v", err)
	}
}
