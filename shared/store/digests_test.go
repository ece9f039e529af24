package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

func (d *fixture) digests() store.Digests { return store.Digests{Table: d.Table} }

func (d *fixture) weekly(t *testing.T, who string, destination fare.City) store.Ref {
	t.Helper()
	a := alertOf(who, destination, 0)
	a.Digest = true
	d.confirmed(t, fmt.Sprint(who, destination, "weekly"), a)
	return a.Ref()
}

func (d *fixture) wantDigest(t *testing.T, who string, want bool) {
	t.Helper()
	var got []store.SubscriberID
	for day := range time.Weekday(7) {
		page, err := d.digests().Page(t.Context(), day, "", 100)
		storetest.Must(t, err)
		for _, one := range page {
			if got = append(got, one.Subscriber); store.DigestWeekday(one.Subscriber) != day {
				t.Errorf("the digest of %s is listed on %v", one.Subscriber, day)
			}
		}
	}
	if is := len(got) == 1 && got[0] == store.SubscriberID(who); len(got) > 1 || is != want {
		t.Errorf("digests of %v, want one of %s: %v", got, who, want)
	}
}

func TestADigestIsThereAsLongAsAnAlertWantsOne(t *testing.T) {
	change := func(ref store.Ref, weekly bool) func(*testing.T, *fixture) error {
		return func(t *testing.T, d *fixture) error {
			_, err := d.Change(t.Context(), ref, "ada", func(a *store.Alert) { a.Digest = weekly })
			return err
		}
	}
	buh, lon := store.Ref{Route: milBuh}, store.Ref{Route: fare.Route{Origin: "MIL", Destination: "LON"}}
	for _, c := range []struct {
		name string
		do   func(*testing.T, *fixture) error
		want bool
	}{
		{
			"one of two is removed",
			func(t *testing.T, d *fixture) error { _, err := d.Remove(t.Context(), "ada", buh); return err }, true,
		},
		{
			"both are removed",
			func(t *testing.T, d *fixture) error {
				_, err := d.Remove(t.Context(), "ada", buh, lon)
				return err
			}, false,
		},
		{
			"all are removed", func(t *testing.T, d *fixture) error {
				_, err := d.Remove(t.Context(), "ada")
				return err
			},
			false,
		},
		{
			"the digest is removed",
			func(t *testing.T, d *fixture) error { _, err := d.RemoveDigest(t.Context(), "ada"); return err }, false,
		},
		{
			"mail is stopped",
			func(t *testing.T, d *fixture) error { return d.Stop(t.Context(), "ada", noon.Add(time.Hour)) }, false,
		},
		{"one is no longer weekly", change(buh, false), true},
		{"both are no longer weekly", func(t *testing.T, d *fixture) error {
			return errors.Join(change(buh, false)(t, d), change(lon, false)(t, d))
		}, false},
		{"and one of them weekly again", func(t *testing.T, d *fixture) error {
			return errors.Join(change(buh, false)(t, d), change(lon, false)(t, d), change(buh, true)(t, d))
		}, true},
		{"requested again, not weekly", func(t *testing.T, d *fixture) error {
			d.confirmed(t, "again1", alertOf("ada", "BUH", 0))
			d.confirmed(t, "again2", alertOf("ada", "LON", 0))
			return nil
		}, false},
		{
			"another that is not weekly",
			func(t *testing.T, d *fixture) error { d.confirmed(t, "rom", alertOf("ada", "ROM", 0)); return nil }, true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := openAlerts(t)
			d.weekly(t, "ada", "BUH")
			d.weekly(t, "ada", "LON")
			d.wantDigest(t, "ada", true)
			storetest.Must(t, c.do(t, d))
			d.wantDigest(t, "ada", c.want)
		})
	}
}

func TestRemovingADigestKeepsTheOtherAlerts(t *testing.T) {
	d := openAlerts(t)
	d.confirmed(t, "now", alertOf("ada", "ROM", 0))
	for range 2 {
		if n, err := d.RemoveDigest(t.Context(), "ada"); n != 0 || err != nil {
			t.Errorf("%d removed, %v", n, err)
		}
	}
	d.weekly(t, "ada", "BUH")
	if n, err := d.RemoveDigest(t.Context(), "ada"); n != 1 || err != nil {
		t.Errorf("%d removed, %v", n, err)
	}
	if left, err := d.BySubscriber(t.Context(), "ada"); err != nil || len(left) != 1 ||
		left[0].Route.Destination != "ROM" {
		t.Errorf("left are %v, %v", left, err)
	}
}

func TestADigestUnderOthersWrites(t *testing.T) {
	type call func(*testing.T, store.Alerts) error
	ref := func(to fare.City) store.Ref { return store.Ref{Route: fare.Route{Origin: "MIL", Destination: to}} }
	change := func(to fare.City, weekly bool) call {
		return func(t *testing.T, a store.Alerts) error {
			_, err := a.Change(t.Context(), ref(to), "ada", func(a *store.Alert) { a.Digest = weekly })
			return err
		}
	}
	remove := func(to fare.City) call {
		return func(t *testing.T, a store.Alerts) error { _, err := a.Remove(t.Context(), "ada", ref(to)); return err }
	}
	confirm := func(t *testing.T, a store.Alerts) error { _, err := a.Confirm(t.Context(), "waiting"); return err }
	sent := func(t *testing.T, a store.Alerts) error {
		digests := store.Digests{Table: a.Table}
		one, err := digests.Digest(t.Context(), "ada")
		if err == nil {
			err = digests.MarkSent(t.Context(), one, one.Day+7, map[string]fare.Cents{"MIL-BUH": 100})
		}
		return err
	}
	for _, c := range []struct {
		name         string
		outer, inner call
		want         bool
	}{
		{"the last is removed while another becomes weekly", remove("BUH"), change("LON", true), true},
		{"the last is removed while another is confirmed", remove("BUH"), confirm, true},
		{"the last is removed while the digest is sent", remove("BUH"), sent, false},
		{"the last is no longer weekly while another becomes weekly", change("BUH", false), change("LON", true), true},
		{"the last is no longer weekly while another is confirmed", change("BUH", false), confirm, true},
		{"one becomes weekly while the last is removed", change("LON", true), remove("BUH"), true},
		{"one becomes weekly while it is removed", change("LON", true), remove("LON"), true},
		{"one is confirmed while the last is removed", confirm, remove("BUH"), true},
		{"one is confirmed while the digest is sent", confirm, sent, true},
		{"the digest is sent while the last is removed", sent, remove("BUH"), false},
		{"the digest is sent while another is confirmed", sent, confirm, true},
		{
			"all are removed while one becomes weekly",
			func(t *testing.T, a store.Alerts) error { _, err := a.Remove(t.Context(), "ada"); return err },
			change("LON", true), false,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := openAlerts(t)
			d.weekly(t, "ada", "BUH")
			d.confirmed(t, "now", alertOf("ada", "LON", 0))
			waiting := alertOf("ada", "PAR", 0)
			waiting.Digest = true
			d.pending(t, "waiting", waiting)
			other := d.Alerts
			other.Table = &intercepted{d.Table, func() {
				if err := c.inner(t, d.Alerts); err != nil {
					t.Error(err)
				}
			}}
			storetest.Must(t, c.outer(t, other))
			d.wantDigest(t, "ada", c.want)
		})
	}
}

func TestSentDigests(t *testing.T) {
	d := openAlerts(t)
	d.weekly(t, "ada", "BUH")
	ctx, digests := t.Context(), d.digests()
	first, err := digests.Digest(ctx, "ada")
	storetest.Must(t, err)
	mark := func(digest store.Digest, day fare.Day, price fare.Cents) {
		t.Helper()
		storetest.Must(t, digests.MarkSent(ctx, digest, day, map[string]fare.Cents{"MIL-BUH": price}))
	}
	mark(first, 20500, 3000)
	mark(first, 20500, 4000)
	mark(first, 20493, 4000)
	want := store.Digest{Subscriber: "ada", Day: 20500, Prices: map[string]fare.Cents{"MIL-BUH": 3000}}
	got, err := digests.Digest(ctx, "ada")
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(store.Digest{})); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	d.weekly(t, "ada", "LON")
	got, err = digests.Digest(ctx, "ada")
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(store.Digest{})); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := d.Remove(ctx, "ada"); err != nil {
		t.Fatal(err)
	}
	mark(got, 20507, 3000)
	d.wantDigest(t, "ada", false)
}

func TestDigestProgress(t *testing.T) {
	d := openAlerts(t)
	ctx, digests := t.Context(), d.digests()
	d.confirmed(t, "now", alertOf("ada", "ROM", 0))
	if _, err := digests.Progress(ctx); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("before there is one: %v", err)
	}
	var all sync.WaitGroup
	for _, who := range []string{"bob", "cleo", "dan"} {
		a := alertOf(who, "BUH", 0)
		a.Digest = true
		d.pending(t, who, a)
		all.Go(func() {
			if _, err := d.Confirm(ctx, who); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	one, err := digests.Progress(ctx)
	if err != nil || one.Day != 0 || one.Cursor != "" {
		t.Fatalf("%+v %v", one, err)
	}
	other := one
	storetest.Must(t, digests.Advance(ctx, &one, 20500, "bob"))
	if err := digests.Advance(ctx, &other, 20501, ""); !errors.Is(err, store.ErrConflict) {
		t.Errorf("%v", err)
	}
	d.weekly(t, "eve", "BUH")
	if got, err := digests.Progress(ctx); err != nil || got != one || got.Day != 20500 || got.Cursor != "bob" {
		t.Errorf("%+v %v", got, err)
	}
}

func TestDigestWeekdays(t *testing.T) {
	const subscribers = 7000
	var days [7]int
	for i := range subscribers {
		days[store.DigestWeekday(store.SubscriberID(fmt.Sprint(i)))]++
	}
	for day, n := range days {
		if n < subscribers/7*9/10 || n > subscribers/7*11/10 {
			t.Errorf("%d of %d on %v", n, subscribers, time.Weekday(day))
		}
	}
	if got := store.DigestWeekday("c57i_3t0zs4ZJnhAeL-Plg"); got != time.Tuesday {
		t.Errorf("%v", got)
	}
}
