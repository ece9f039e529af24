package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

func tripOf(who string, change func(*store.Alert)) store.Alert {
	a := alertOf(who, "BUH", 0)
	change(&a)
	a.ID = a.NewID()
	return a
}

func keyOf(name string) store.Key {
	partition, sort, _ := strings.Cut(name, " ")
	return store.Key{Partition: partition, Sort: sort}
}

func TestEarlierAlertsAreRead(t *testing.T) {
	d, ctx := openAlerts(t), t.Context()
	for key, data := range map[string]string{
		"ALERTS#MIL-BUH ada":    `{"s":"ada","r":{"Origin":"MIL","Destination":"BUH"},"e":"ada@example.com","l":"it","t":2000,"m":20500,"f":true}`,
		"SUBSCRIBER#ada ROUTES": `[{"Origin":"MIL","Destination":"BUH"}]`,
		"WATCHED#MIL BUH":       ``,
		"PENDING#x ALERT":       `{"s":"ada","r":{"Origin":"MIL","Destination":"LON"},"e":"ada@example.com","l":"it"}`,
		"WAKES MIL-BUH":         `{"r":{"Origin":"MIL","Destination":"BUH"},"d":20501,"n":"bg==","h":"aA==","c":"ada"}`,
	} {
		storetest.Must(t, d.Table.Write(ctx, store.Op{Item: store.Item{Key: keyOf(key), Data: []byte(data)}}))
	}
	want := []store.Alert{{
		Subscriber: "ada", Route: milBuh, Email: "ada@example.com", Language: "it", Threshold: 2000, Mailed: 20500,
		Fresh: true,
	}}
	got, err := d.BySubscriber(ctx, "ada")
	if diff := cmp.Diff(want, got, sameAlert); diff != "" || err != nil {
		t.Fatalf("(-want +got):\n%s%v", diff, err)
	}
	if got[0].Condition() != store.Threshold || got[0].NewID() != "" || got[0].Place() != "ada" || !got[0].Readable() {
		t.Errorf("%s, %q at %q", got[0].Condition(), got[0].NewID(), got[0].Place())
	}
	n, err := store.Notifications{Table: d.Table}.Next(ctx, "")
	if err != nil || n.Cursor != got[0].Place() {
		t.Errorf("everyone up to %q was notified, %v", n.Cursor, err)
	}
	if _, err := d.Confirm(ctx, "x"); err != nil {
		t.Fatal(err)
	}
	if n, err := d.Remove(ctx, "ada"); n != 2 || err != nil {
		t.Errorf("removed %d, %v", n, err)
	}
}

func TestAnAlertIsWrittenAsEver(t *testing.T) {
	d, ctx := openAlerts(t), t.Context()
	d.confirmed(t, "x", alertOf("ada", "BUH", 2000))
	for key, want := range map[string]string{
		"ALERTS#MIL-BUH ada":    `{"s":"ada","r":{"Origin":"MIL","Destination":"BUH"},"e":"ada@example.com","l":"it","t":2000}`,
		"SUBSCRIBER#ada ROUTES": `[{"Origin":"MIL","Destination":"BUH"}]`,
		"WATCHED#MIL BUH":       ``,
	} {
		if item, err := d.Table.Get(ctx, keyOf(key), store.Strong); err != nil || string(item.Data) != want {
			t.Errorf("%v holds %s, want %s; %v", key, item.Data, want, err)
		}
	}
}

func TestSeveralAlertsForARoute(t *testing.T) {
	d, ctx := openAlerts(t), t.Context()
	all := []store.Alert{
		tripOf("ada", func(a *store.Alert) { a.Threshold = 2000 }),
		tripOf("ada", func(a *store.Alert) { a.Kind, a.Days = store.Low, 30 }),
		tripOf("ada", func(a *store.Alert) { a.Trip = store.Trip{From: 20800, To: 20804} }),
		tripOf("ada", func(a *store.Alert) { a.Trip = store.Trip{Nights: fare.Return4to7, Nonstop: true} }),
		tripOf("ada", func(a *store.Alert) { a.Channel, a.Address = "webhook", "https://example.com/a" }),
	}
	for i, a := range all {
		d.confirmed(t, fmt.Sprint(i), a)
	}
	d.confirmed(t, "bob", alertOf("bob", "BUH", 0))
	got, err := d.BySubscriber(ctx, "ada")
	if diff := cmp.Diff(all, got, sameAlert); diff != "" || err != nil {
		t.Fatalf("(-want +got):\n%s%v", diff, err)
	}
	var places []string
	for after := ""; ; {
		page, err := d.Page(ctx, milBuh, after, 2)
		storetest.Must(t, err)
		for _, a := range page {
			after = a.Place()
			places = append(places, after)
		}
		if len(page) < 2 {
			break
		}
	}
	if len(places) != 6 || places[0] != "ada" || places[5] != "bob" {
		t.Errorf("pages hold %q", places)
	}
	wantMarks := []store.SubscribedRoute{{Destination: "BUH", Trips: []fare.Trip{fare.Return4to7, fare.OneWay}}}
	if marks, err := d.SubscribedRoutes(ctx, "MIL"); err != nil || !cmp.Equal(marks, wantMarks) {
		t.Errorf("%v %v", marks, err)
	}

	again := all[1]
	again.Days = 60
	d.confirmed(t, "again", again)
	one, err := d.One(ctx, again.Ref(), "ada")
	if err != nil || one.Days != 60 || !one.Fresh {
		t.Errorf("changed: %+v %v", one, err)
	}
	if n, err := d.Remove(ctx, "ada", all[1].Ref()); n != 1 || err != nil {
		t.Errorf("removed %d, %v", n, err)
	}
	if got, err := d.BySubscriber(ctx, "ada"); err != nil || len(got) != 4 {
		t.Errorf("left are %v, %v", got, err)
	}
	if n, err := d.Remove(ctx, "ada"); n != 4 || err != nil {
		t.Errorf("removed %d, %v", n, err)
	}
	if gone, err := d.ForgetRoute(ctx, milBuh); gone || err != nil {
		t.Errorf("bob still watches: %v %v", gone, err)
	}
	if _, err := d.Remove(ctx, "bob"); err != nil {
		t.Fatal(err)
	}
	if gone, err := d.ForgetRoute(ctx, milBuh); !gone || err != nil {
		t.Errorf("a route without alerts: %v %v", gone, err)
	}
	if marks, err := d.SubscribedRoutes(ctx, "MIL"); err != nil || len(marks) != 0 {
		t.Errorf("marks are left: %v %v", marks, err)
	}
}

func TestIDs(t *testing.T) {
	same := [][]func(*store.Alert){
		{
			func(a *store.Alert) {}, func(a *store.Alert) { a.Threshold = 100 },
			func(a *store.Alert) { a.Digest, a.Paused = true, 9 },
		},
		{
			func(a *store.Alert) { a.Kind = store.Drop; a.Percent = 5 },
			func(a *store.Alert) { a.Kind = store.Drop; a.Amount = 500 },
		},
		{
			func(a *store.Alert) { a.Kind = store.Low; a.Days = 7 },
			func(a *store.Alert) { a.Kind = store.Low; a.Days = 70 },
		},
		{func(a *store.Alert) { a.Kind = store.Change }},
		{func(a *store.Alert) { a.Trip.From, a.Trip.To = 20800, 20800 }},
		{func(a *store.Alert) { a.Trip.From, a.Trip.To = 20800, 20801 }},
		{func(a *store.Alert) { a.Trip.From, a.Trip.To, a.Trip.Month = 20800, 20801, true }},
		{func(a *store.Alert) { a.Trip.Nights = fare.Return15 }},
		{func(a *store.Alert) { a.Trip.Nonstop = true }},
		{func(a *store.Alert) { a.Area = "ES" }},
		{func(a *store.Alert) { a.Channel, a.Address = "ntfy", "https://ntfy.example/a" }},
		{func(a *store.Alert) { a.Channel, a.Address = "ntfy", "https://ntfy.example/b" }},
	}
	ids := map[string]bool{}
	for i, group := range same {
		id := tripOf("ada", group[0]).ID
		for _, change := range group {
			if got := tripOf("bob", change); got.ID != id {
				t.Errorf("%d: %q and %q", i, id, got.ID)
			}
		}
		if (id == "") != (i == 0) || len(id) != 0 && len(id) != 12 || ids[id] {
			t.Errorf("%d: %q", i, id)
		}
		ids[id] = true
	}
	if got := tripOf("ada", same[4][0]).ID; got != "MrRiFCenFSBl" {
		t.Errorf("an ID that is stored has become %q", got)
	}
}

func TestRefs(t *testing.T) {
	for _, want := range []store.Ref{
		{Route: milBuh}, {Route: milBuh, ID: "aB-_4567890x"}, {
			Route: fare.Route{Origin: "MIL", Destination: store.Anywhere},
		},
		{Route: fare.Route{Origin: "MIL", Destination: store.Anywhere}, ID: "aB-_4567890x"},
	} {
		if got, err := store.ParseRef(want.String()); err != nil || got != want ||
			strings.ContainsAny(want.String(), "#. &?") {
			t.Errorf("%q is read as %v, %v", want, got, err)
		}
	}
	for _, bad := range []string{
		"", "MIL", "MIL-", "*-MIL", "MIL-BU", "milano-*", "MIL-BUH~" + strings.Repeat("a", 65),
	} {
		if got, err := store.ParseRef(bad); err == nil {
			t.Errorf("%q is read as %v", bad, got)
		}
	}
}
