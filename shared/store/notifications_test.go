package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

var milBuh = fare.Route{Origin: "MIL", Destination: "BUH"}

func TestSubscribingAgainIsNoNews(t *testing.T) {
	for _, c := range []struct {
		name            string
		notified, fresh bool
		threshold       fare.Cents
		wantFresh       bool
	}{
		{"never notified, the same", false, false, 2000, false},
		{"notified, the same", true, false, 2000, false},
		{"notified, another threshold", true, false, 3000, true},
		{"notified, by the verdict", true, false, 0, true},
		{"notified, another and then the same again", true, true, 2000, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, ctx := openAlerts(t), t.Context()
			d.confirmed(t, "x", alertOf("ada", "BUH", 2000))
			want := alertOf("ada", "BUH", c.threshold)
			if c.notified {
				one, err := d.One(ctx, store.Ref{Route: milBuh}, "ada")
				if err == nil {
					err = d.MarkNotified(ctx, one, 20500, 0)
				}
				storetest.Must(t, err)
				want.Mailed = 20500
			}
			if c.fresh {
				d.confirmed(t, "y", alertOf("ada", "BUH", 1000))
			}
			d.confirmed(t, "z", alertOf("ada", "BUH", c.threshold))
			want.Fresh = c.wantFresh
			got, err := d.One(ctx, store.Ref{Route: milBuh}, "ada")
			storetest.Must(t, err)
			if diff := cmp.Diff(want, got, sameAlert); diff != "" {
				t.Error(diff)
			}
			storetest.Must(t, d.MarkNotified(ctx, got, 20507, 0))
			want.Mailed, want.Fresh = 20507, false
			if got, _ = d.One(ctx, store.Ref{Route: milBuh}, "ada"); !cmp.Equal(want, got, sameAlert) {
				t.Errorf("notified: %+v", got)
			}
		})
	}
}

func TestMarkNotifiedOfAnAlertThatChanged(t *testing.T) {
	d, ctx := openAlerts(t), t.Context()
	d.confirmed(t, "x", alertOf("ada", "BUH", 2000))
	read, err := d.One(ctx, store.Ref{Route: milBuh}, "ada")
	storetest.Must(t, err)
	d.confirmed(t, "y", alertOf("ada", "BUH", 3000))
	storetest.Must(t, d.MarkNotified(ctx, read, 20500, 0))
	got, err := d.One(ctx, store.Ref{Route: milBuh}, "ada")
	if err != nil || got.Threshold != 3000 || got.Mailed != 20500 || !got.Fresh {
		t.Errorf("%+v %v", got, err)
	}
	storetest.Must(t, d.MarkNotified(ctx, read, 20493, 0))
	if got, _ = d.One(ctx, store.Ref{Route: milBuh}, "ada"); got.Mailed != 20500 {
		t.Errorf("an earlier refresh was recorded in place of a later: %+v", got)
	}
}

func TestNotifications(t *testing.T) {
	d, ctx := openAlerts(t), t.Context()
	w := store.Notifications{Table: d.Table}
	until := d.now.Add(8 * 24 * time.Hour).Truncate(time.Second)
	news := func(to fare.City, day fare.Day, text string) store.Notification {
		return store.Notification{
			Route: fare.Route{
				Origin: "MIL", Destination: to,
			}, Day: day, News: []byte(text), History: []byte("h" + text),
			Expires: until,
		}
	}
	leave := func(n store.Notification) {
		t.Helper()
		past, err := w.Past(ctx, n.Route)
		if err == nil {
			err = w.Put(ctx, past, n, []byte("d"), until)
		}
		storetest.Must(t, err)
	}
	next := func(after string, want ...store.Notification) store.Notification {
		t.Helper()
		from := ""
		if after != "" {
			from = "MIL-" + after
		}
		got, err := w.Next(ctx, from)
		if len(want) == 0 {
			if !errors.Is(err, store.ErrNotFound) {
				t.Errorf("after %q: %+v %v", after, got, err)
			}
			return got
		}
		storetest.Must(t, err)
		if diff := cmp.Diff(
			want[0], got, cmpopts.IgnoreUnexported(store.Notification{}), cmpopts.EquateApproxTime(0),
		); diff != "" {
			t.Errorf("after %q: %s", after, diff)
		}
		return got
	}
	next("")
	leave(news("LON", 20500, "b"))
	leave(news("BUH", 20500, "a"))
	first := next("", news("BUH", 20500, "a"))
	next("BUH", news("LON", 20500, "b"))
	next("LON")

	past, err := w.Past(ctx, milBuh)
	if err != nil || past.Day != 20500 || string(past.History) != "ha" || string(past.Digest) != "d" {
		t.Errorf("past %+v %v", past, err)
	}
	storetest.Must(t, w.Advance(ctx, &first, "s1"))
	storetest.Must(t, w.Advance(ctx, &first, "s2"))
	moved := news("BUH", 20500, "a")
	moved.Cursor = "s2"
	next("", moved)

	leave(news("BUH", 20507, "c"))
	if err := w.Advance(ctx, &first, "s3"); !errors.Is(err, store.ErrConflict) {
		t.Errorf("the cursor of earlier news was stored: %v", err)
	}
	if err := w.Delete(ctx, first); err != nil {
		t.Error(err)
	}
	next("", news("BUH", 20507, "c"))
	if err := w.Put(ctx, past, news("BUH", 20500, "late"), nil, until); !errors.Is(err, store.ErrConflict) {
		t.Errorf("left over a past that has changed: %v", err)
	}

	storetest.Must(t, w.TakeBack(ctx, milBuh, 20506))
	next("", news("BUH", 20507, "c"))
	for range 2 {
		storetest.Must(t, w.TakeBack(ctx, milBuh, 20507))
	}
	next("", news("LON", 20500, "b"))
	silent := news("LON", 20507, "")
	leave(silent)
	next("")

	leave(news("PAR", 20507, "e"))
	d.now = until
	next("")
}

func TestMalformedNews(t *testing.T) {
	d, ctx := openAlerts(t), t.Context()
	w := store.Notifications{Table: d.Table}
	malformed := store.Item{
		Key: store.Key{Partition: "WAKES", Sort: "MIL-BUH"}, Data: []byte("{"), Expires: d.now.Add(time.Hour),
	}
	storetest.Must(t, d.Table.Write(ctx, store.Op{Mode: store.Set, Item: malformed}))
	n, err := w.Next(ctx, "")
	if !errors.Is(err, store.ErrUnreadable) {
		t.Fatalf("%+v %v", n, err)
	}
	storetest.Must(t, w.Delete(ctx, n))
	if _, err := w.Next(ctx, ""); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("still there: %v", err)
	}
}

func TestAMalformedPast(t *testing.T) {
	d, ctx := openAlerts(t), t.Context()
	w := store.Notifications{Table: d.Table}
	storetest.Must(t, d.Table.Write(ctx, store.Op{
		Mode: store.Set, Item: store.Item{
			Key: store.Key{Partition: "SEEN#MIL-BUH", Sort: "HISTORY"}, Data: []byte("{"),
		},
	}))
	past, err := w.Past(ctx, milBuh)
	storetest.Must(t, err)
	until := d.now.Add(time.Hour)
	storetest.Must(
		t,
		w.Put(
			ctx, past, store.Notification{Route: milBuh, Day: 20500, News: []byte("n"), Expires: until}, nil,
			until,
		),
	)
	if past, err := w.Past(ctx, milBuh); err != nil || past.Day != 20500 {
		t.Errorf("%+v %v", past, err)
	}
}
