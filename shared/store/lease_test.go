package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

func TestLease(t *testing.T) {
	d, ctx := openAlerts(t), t.Context()
	lease := func(holder string) *store.Lease {
		return &store.Lease{
			Table: d.Table, Name: "mail", Holder: holder, Duration: 3 * time.Minute, Now: func() time.Time { return d.now },
		}
	}
	held := func(l *store.Lease, want error) {
		t.Helper()
		if err := l.Hold(ctx); !errors.Is(err, want) {
			t.Errorf("%s holds: %v, want %v", l.Holder, err, want)
		}
		if (l.Remaining() > 0) != (want == nil) {
			t.Errorf("%s has %v left", l.Holder, l.Remaining())
		}
	}
	a, b := lease("a"), lease("b")
	held(a, nil)
	held(b, store.ErrHeld)
	d.now = d.now.Add(2 * time.Minute)
	held(a, nil)
	d.now = d.now.Add(2 * time.Minute)
	held(b, store.ErrHeld)
	d.now = d.now.Add(time.Minute)
	if a.Remaining() != 0 {
		t.Errorf("%v left of a lease that is over", a.Remaining())
	}
	held(b, nil)
	held(a, store.ErrHeld)
	storetest.Must(t, a.Release(ctx))
	held(a, store.ErrHeld)
	storetest.Must(t, b.Release(ctx))
	held(a, nil)
}

func TestLeaseWithFaults(t *testing.T) {
	n := storetest.EachFault(t, func(t *testing.T) store.Table {
		return openAlerts(t).Table
	}, (*storetest.Faulty).FailOnce,
		func(t *testing.T, f *storetest.Faulty) {
			now := func() time.Time { return noon }
			a := &store.Lease{Table: f, Name: "mail", Holder: "a", Duration: time.Minute, Now: now}
			b := &store.Lease{Table: f, Name: "mail", Holder: "b", Duration: time.Minute, Now: now}
			withRetry := func(call func(context.Context) error) error {
				err := call(t.Context())
				if errors.Is(err, storetest.ErrInjected) {
					err = call(t.Context())
				}
				return err
			}
			for range 2 {
				storetest.Must(t, withRetry(a.Hold))
			}
			if err := withRetry(b.Hold); !errors.Is(err, store.ErrHeld) {
				t.Fatalf("both hold it: %v", err)
			}
			_ = withRetry(a.Release)
			if err := withRetry(b.Hold); err != nil && !errors.Is(err, store.ErrHeld) {
				t.Fatal(err)
			}
		})
	t.Logf("%d combinations", n)
}

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
			a := &store.Lease{Table: d.Table, Name: "mail", Holder: "a", Duration: time.Minute, Now: now}
			b := &store.Lease{Table: d.Table, Name: "mail", Holder: "b", Duration: time.Minute, Now: now}
			c := &store.Lease{Table: d.Table, Name: "mail", Holder: "c", Duration: time.Minute, Now: now}
			storetest.Must(t, a.Hold(ctx))
			d.now = d.now.Add(time.Minute)
			storetest.Must(t, b.Hold(ctx))
			if err := late.does(a); err != nil && !errors.Is(err, store.ErrHeld) {
				t.Fatal(err)
			}
			if a.Remaining() > 0 {
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
