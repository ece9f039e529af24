package store_test

import (
	"context"
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

// TestAskingAgainIsNoNews: who asks again for the same is not told again, and
// another threshold is known to be another.
func TestAskingAgainIsNoNews(t *testing.T) {
	for _, c := range []struct {
		name        string
		told, fresh bool
		threshold   fare.Cents
		wantFresh   bool
	}{
		{"never told, the same", false, false, 2000, false},
		{"told, the same", true, false, 2000, false},
		{"told, another threshold", true, false, 3000, true},
		{"told, by the verdict", true, false, 0, true},
		{"told, another and then the same again", true, true, 2000, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, ctx := openAlerts(t), t.Context()
			d.confirmed(t, "x", wish("ada", "BUH", 2000))
			want := wish("ada", "BUH", c.threshold)
			if c.told {
				one, err := d.One(ctx, milBuh, "ada")
				if err == nil {
					err = d.MarkNotified(ctx, one, 20500)
				}
				if err != nil {
					t.Fatal(err)
				}
				want.Mailed = 20500
			}
			if c.fresh {
				d.confirmed(t, "y", wish("ada", "BUH", 1000))
			}
			d.confirmed(t, "z", wish("ada", "BUH", c.threshold))
			want.Fresh = c.wantFresh
			got, err := d.One(ctx, milBuh, "ada")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, sameAlert); diff != "" {
				t.Error(diff)
			}
			if err := d.MarkNotified(ctx, got, 20507); err != nil {
				t.Fatal(err)
			}
			want.Mailed, want.Fresh = 20507, false
			if got, _ = d.One(ctx, milBuh, "ada"); !cmp.Equal(want, got, sameAlert) {
				t.Errorf("told: %+v", got)
			}
		})
	}
}

// TestToldOfOneChangedMeanwhile: that somebody was told is kept also where the
// alert was changed since it was read; the change stays.
func TestToldOfOneChangedMeanwhile(t *testing.T) {
	d, ctx := openAlerts(t), t.Context()
	d.confirmed(t, "x", wish("ada", "BUH", 2000))
	read, err := d.One(ctx, milBuh, "ada")
	if err != nil {
		t.Fatal(err)
	}
	d.confirmed(t, "y", wish("ada", "BUH", 3000))
	if err := d.MarkNotified(ctx, read, 20500); err != nil {
		t.Fatal(err)
	}
	got, err := d.One(ctx, milBuh, "ada")
	if err != nil || got.Threshold != 3000 || got.Mailed != 20500 || !got.Fresh {
		t.Errorf("%+v %v", got, err)
	}
	if err := d.MarkNotified(ctx, read, 20493); err != nil { // by a process that comes too late
		t.Fatal(err)
	}
	if got, _ = d.One(ctx, milBuh, "ada"); got.Mailed != 20500 {
		t.Errorf("an earlier refresh was kept in place of a later: %+v", got)
	}
}

func TestWakes(t *testing.T) {
	d, ctx := openAlerts(t), t.Context()
	w := store.Notifications{Table: d.Table}
	until := d.now.Add(8 * 24 * time.Hour).Truncate(time.Second)
	news := func(to fare.City, day fare.Day, text string) store.Notification {
		return store.Notification{Route: fare.Route{Origin: "MIL", Destination: to}, Day: day, News: []byte(text), History: []byte("h" + text), Expires: until}
	}
	leave := func(wake store.Notification) {
		t.Helper()
		past, err := w.Past(ctx, wake.Route)
		if err == nil {
			err = w.Leave(ctx, past, wake, []byte("d"), until)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	next := func(after string, want ...store.Notification) store.Notification {
		t.Helper()
		var from fare.Route
		if after != "" {
			from = fare.Route{Origin: "MIL", Destination: fare.City(after)}
		}
		got, err := w.Next(ctx, from)
		if len(want) == 0 {
			if !errors.Is(err, store.ErrNotFound) {
				t.Errorf("after %q: %+v %v", after, got, err)
			}
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[0], got, cmpopts.IgnoreUnexported(store.Notification{}), cmpopts.EquateApproxTime(0)); diff != "" {
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
	if err := w.Advance(ctx, &first, "s1"); err != nil {
		t.Fatal(err)
	}
	if err := w.Advance(ctx, &first, "s2"); err != nil {
		t.Fatal(err)
	}
	moved := news("BUH", 20500, "a")
	moved.Cursor = "s2"
	next("", moved)

	// Other news comes in its place: whoever is telling the earlier learns of it.
	leave(news("BUH", 20507, "c"))
	if err := w.Advance(ctx, &first, "s3"); !errors.Is(err, store.ErrConflict) {
		t.Errorf("an earlier cursor was kept: %v", err)
	}
	if err := w.Done(ctx, first); err != nil {
		t.Error(err)
	}
	next("", news("BUH", 20507, "c"))
	if err := w.Leave(ctx, past, news("BUH", 20500, "late"), nil, until); !errors.Is(err, store.ErrConflict) {
		t.Errorf("left over a past that has changed: %v", err)
	}

	// What is no longer true is taken back, unless a later refresh left it.
	if err := w.TakeBack(ctx, milBuh, 20506); err != nil {
		t.Fatal(err)
	}
	next("", news("BUH", 20507, "c"))
	for range 2 {
		if err := w.TakeBack(ctx, milBuh, 20507); err != nil {
			t.Fatal(err)
		}
	}
	next("", news("LON", 20500, "b"))
	silent := news("LON", 20507, "")
	leave(silent) // seen, and nothing to tell
	next("")

	leave(news("PAR", 20507, "e"))
	d.now = until
	next("") // no news any more
}

func TestLease(t *testing.T) {
	d, ctx := openAlerts(t), t.Context()
	lease := func(holder string) *store.Lease {
		return &store.Lease{Table: d.Table, Name: "mail", Holder: holder, For: 3 * time.Minute, Now: func() time.Time { return d.now }}
	}
	held := func(l *store.Lease, want error) {
		t.Helper()
		if err := l.Hold(ctx); !errors.Is(err, want) {
			t.Errorf("%s holds: %v, want %v", l.Holder, err, want)
		}
		if (l.Left() > 0) != (want == nil) {
			t.Errorf("%s has %v left", l.Holder, l.Left())
		}
	}
	a, b := lease("a"), lease("b")
	held(a, nil)
	held(b, store.ErrHeld)
	d.now = d.now.Add(2 * time.Minute)
	held(a, nil) // renewed
	d.now = d.now.Add(2 * time.Minute)
	held(b, store.ErrHeld)
	d.now = d.now.Add(time.Minute) // a has died
	if a.Left() != 0 {
		t.Errorf("%v left of a lease that is over", a.Left())
	}
	held(b, nil)
	held(a, store.ErrHeld)
	if err := a.Release(ctx); err != nil { // it is not a's
		t.Fatal(err)
	}
	held(a, store.ErrHeld)
	if err := b.Release(ctx); err != nil {
		t.Fatal(err)
	}
	held(a, nil)
}

// TestLeaseWithFaults: whatever call fails, on whatever side, whoever tries again gets the lease or learns that it is held.
func TestLeaseWithFaults(t *testing.T) {
	n := storetest.EachFault(t, func(t *testing.T) store.Table { return openAlerts(t).Table }, (*storetest.Faulty).FailOnce,
		func(t *testing.T, f *storetest.Faulty) {
			now := func() time.Time { return noon }
			a := &store.Lease{Table: f, Name: "mail", Holder: "a", For: time.Minute, Now: now}
			b := &store.Lease{Table: f, Name: "mail", Holder: "b", For: time.Minute, Now: now}
			firmly := func(call func(context.Context) error) error {
				err := call(t.Context())
				if errors.Is(err, storetest.ErrInjected) {
					err = call(t.Context())
				}
				return err
			}
			for range 2 {
				if err := firmly(a.Hold); err != nil {
					t.Fatal(err)
				}
			}
			if err := firmly(b.Hold); !errors.Is(err, store.ErrHeld) {
				t.Fatalf("both hold it: %v", err)
			}
			_ = firmly(a.Release)
			if err := firmly(b.Hold); err != nil && !errors.Is(err, store.ErrHeld) {
				t.Fatal(err) // a release that failed before its effect leaves it held until it expires
			}
		})
	t.Logf("%d combinations", n)
}

// TestALeaseThatWasLostIsNotTakenBack: an item that expired begins again at
// version 1, so a holder that slept through the end of its lease finds another's
// at the very version that its own had.
func TestALeaseThatWasLostIsNotTakenBack(t *testing.T) {
	for _, late := range []struct {
		name string
		does func(*store.Lease) error
	}{
		{"renewing", func(a *store.Lease) error { return a.Hold(t.Context()) }},
		{"releasing", func(a *store.Lease) error { return a.Release(t.Context()) }},
	} {
		t.Run(late.name, func(t *testing.T) {
			d, ctx := openAlerts(t), t.Context()
			now := func() time.Time { return d.now }
			a := &store.Lease{Table: d.Table, Name: "mail", Holder: "a", For: time.Minute, Now: now}
			b := &store.Lease{Table: d.Table, Name: "mail", Holder: "b", For: time.Minute, Now: now}
			c := &store.Lease{Table: d.Table, Name: "mail", Holder: "c", For: time.Minute, Now: now}
			if err := a.Hold(ctx); err != nil { // never renewed: version 1
				t.Fatal(err)
			}
			d.now = d.now.Add(time.Minute)
			if err := b.Hold(ctx); err != nil {
				t.Fatal(err)
			}
			if err := late.does(a); err != nil && !errors.Is(err, store.ErrHeld) {
				t.Fatal(err)
			}
			if a.Left() > 0 {
				t.Error("two hold it")
			}
			if err := c.Hold(ctx); !errors.Is(err, store.ErrHeld) {
				t.Errorf("the lease of b was given away: %v", err)
			}
			if err := b.Hold(ctx); err != nil {
				t.Errorf("b has lost its lease: %v", err)
			}
		})
	}
}

// TestNewsThatCannotBeRead can be ended, so that what comes after it can be told.
func TestNewsThatCannotBeRead(t *testing.T) {
	d, ctx := openAlerts(t), t.Context()
	w := store.Notifications{Table: d.Table}
	spoiled := store.Item{Key: store.Key{Partition: "WAKES", Sort: "MIL-BUH"}, Data: []byte("{"), Expires: d.now.Add(time.Hour)}
	if err := d.Table.Write(ctx, store.Op{Mode: store.Set, Item: spoiled}); err != nil {
		t.Fatal(err)
	}
	wake, err := w.Next(ctx, fare.Route{})
	if !errors.Is(err, store.ErrUnreadable) {
		t.Fatalf("%+v %v", wake, err)
	}
	if err := w.Done(ctx, wake); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Next(ctx, fare.Route{}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("still there: %v", err)
	}
}

// TestAPastThatCannotBeRead is none, and is written over: a refresh goes on.
func TestAPastThatCannotBeRead(t *testing.T) {
	d, ctx := openAlerts(t), t.Context()
	w := store.Notifications{Table: d.Table}
	if err := d.Table.Write(ctx, store.Op{Mode: store.Set, Item: store.Item{Key: store.Key{Partition: "SEEN#MIL-BUH", Sort: "HISTORY"}, Data: []byte("{")}}); err != nil {
		t.Fatal(err)
	}
	past, err := w.Past(ctx, milBuh)
	if err != nil {
		t.Fatal(err)
	}
	until := d.now.Add(time.Hour)
	if err := w.Leave(ctx, past, store.Notification{Route: milBuh, Day: 20500, News: []byte("n"), Expires: until}, nil, until); err != nil {
		t.Fatal(err)
	}
	if past, err := w.Past(ctx, milBuh); err != nil || past.Day != 20500 {
		t.Errorf("%+v %v", past, err)
	}
}
