package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

func deliveryOf(who, id string, at time.Time) store.Delivery {
	return store.Delivery{
		ID: id, Subscriber: store.SubscriberID(who), Alert: "MIL-BUH", URL: "https://hook.example.com/",
		Body: []byte("{}"), At: at,
	}
}

func openDeliveries(t *testing.T) (*fixture, store.Deliveries) {
	d := openAlerts(t)
	return d, store.Deliveries{Table: d.Table, Outbox: d.Outbox}
}

func names(t *testing.T, w store.Deliveries, most int, now time.Time) []string {
	t.Helper()
	taken, err := w.Take(t.Context(), most, now, time.Minute)
	storetest.Must(t, err)
	var ids []string
	for _, d := range taken {
		ids = append(ids, d.ID)
	}
	return ids
}

func TestDeliveriesAreTakenInTurn(t *testing.T) {
	d, w := openDeliveries(t)
	for i, after := range []time.Duration{3 * time.Second, time.Second, 2 * time.Second, time.Hour} {
		storetest.Must(t, w.Enqueue(t.Context(), deliveryOf("ada", fmt.Sprint(i), d.now.Add(after))))
	}
	if got := names(t, w, 9, d.now); len(got) > 0 {
		t.Errorf("taken before they were due: %v", got)
	}
	at := d.now.Add(5 * time.Second)
	if got := names(t, w, 2, at); !cmp.Equal(got, []string{"1", "2"}) {
		t.Errorf("the first two are %v", got)
	}
	if got := names(t, w, 9, at); !cmp.Equal(got, []string{"0"}) {
		t.Errorf("the deliveries without a lease are %v", got)
	}
	if got := names(t, w, 9, at); len(got) > 0 {
		t.Errorf("taken twice: %v", got)
	}
	if got := names(t, w, 9, at.Add(time.Minute)); !cmp.Equal(got, []string{"1", "2", "0"}) {
		t.Errorf("when their lease is over there are %v", got)
	}
}

func TestALateWorker(t *testing.T) {
	d, w := openDeliveries(t)
	ctx := t.Context()
	storetest.Must(
		t, errors.Join(w.Enqueue(ctx, deliveryOf("ada", "a", d.now)), w.Enqueue(ctx, deliveryOf("ada", "a", d.now))),
	)
	late, err := w.Take(ctx, 9, d.now, time.Minute)
	if err != nil || len(late) != 1 {
		t.Fatalf("%v %v", late, err)
	}
	again, err := w.Take(ctx, 9, d.now.Add(time.Minute), time.Minute)
	if err != nil || len(again) != 1 {
		t.Fatalf("%v %v", again, err)
	}
	late[0].Tries, late[0].Status = 1, 500
	if err := errors.Join(
		w.Postpone(ctx, late[0], d.now.Add(time.Hour)), w.End(ctx, late[0]), w.Drop(ctx, late[0]),
	); err != nil {
		t.Error(err)
	}
	again[0].Ended, again[0].Delivered = d.now, true
	if err := w.End(ctx, again[0]); err != nil {
		t.Error(err)
	}
	if one, err := w.One(ctx, "ada", "a"); err != nil || !one.Delivered || one.Status != 0 {
		t.Errorf("%+v %v", one, err)
	}
	if got := names(t, w, 9, d.now.AddDate(0, 0, 1)); len(got) > 0 {
		t.Errorf("still queued: %v", got)
	}
}

func TestPostponedEndedReplayed(t *testing.T) {
	d, w := openDeliveries(t)
	ctx := t.Context()
	take := func(want string) store.Delivery {
		t.Helper()
		taken, err := w.Take(ctx, 9, d.now, time.Minute)
		if err != nil || len(taken) != 1 || taken[0].ID != want {
			t.Fatalf("%v %v", taken, err)
		}
		return taken[0]
	}
	storetest.Must(t, w.Enqueue(ctx, deliveryOf("ada", "a", d.now)))
	one := take("a")
	one.Tries, one.Status, one.Tried = 1, 503, d.now
	storetest.Must(t, w.Postpone(ctx, one, d.now.Add(time.Hour)))
	if n, err := w.Replay(ctx, "ada", d.now, func(store.Delivery) bool { return true }); n != 0 || err != nil {
		t.Errorf("replayed while it is tried: %d %v", n, err)
	}
	d.now = d.now.Add(time.Hour)
	one = take("a")
	if one.Tries != 1 || one.Status != 503 {
		t.Errorf("%+v", one)
	}
	one.Ended = d.now
	job := store.Job{Kind: "told", Ref: "ada", At: d.now}
	storetest.Must(t, w.End(ctx, one, job))
	jobs, err := w.Outbox.Take(ctx, 9, d.now, time.Minute)
	if diff := cmp.Diff(
		[]store.Job{job}, jobs, cmpopts.IgnoreFields(store.Job{}, "Leased"), cmpopts.IgnoreUnexported(store.Job{}),
	); diff != "" || err != nil {
		t.Errorf("%s %v", diff, err)
	}
	failed := func(d store.Delivery) bool { return !d.Delivered }
	if n, err := w.Replay(ctx, "bob", d.now, failed); n != 0 || err != nil {
		t.Errorf("another's: %d %v", n, err)
	}
	if n, err := w.Replay(ctx, "ada", d.now, func(d store.Delivery) bool { return d.Delivered }); n != 0 || err != nil {
		t.Errorf("those that were delivered: %d %v", n, err)
	}
	for i, want := range []int{1, 0} {
		if n, err := w.Replay(ctx, "ada", d.now, failed); n != want || err != nil {
			t.Errorf("time %d: %d %v", i+1, n, err)
		}
	}
	one = take("a")
	one.Delivered, one.Ended = true, d.now
	storetest.Must(t, w.End(ctx, one))
	if all, err := w.BySubscriber(ctx, "ada"); err != nil || len(all) != 1 || !all[0].Delivered {
		t.Errorf("%+v %v", all, err)
	}
	d.now = d.now.AddDate(0, 0, store.DeliveryDays+1)
	if all, err := w.BySubscriber(ctx, "ada"); err != nil || len(all) > 0 {
		t.Errorf("kept for ever: %+v %v", all, err)
	}
}

func TestForgottenDeliveries(t *testing.T) {
	d, w := openDeliveries(t)
	ctx := t.Context()
	for i := range store.MaxWrites + 5 {
		storetest.Must(t, w.Enqueue(ctx, deliveryOf("ada", fmt.Sprintf("a%03d", i), d.now)))
	}
	storetest.Must(t, errors.Join(w.Enqueue(ctx, deliveryOf("bob", "b", d.now)), w.Forget(ctx, "ada")))
	if all, err := w.BySubscriber(ctx, "ada"); err != nil || len(all) > 0 {
		t.Errorf("%d are left, error %v", len(all), err)
	}
	if got := names(t, w, 200, d.now); !cmp.Equal(got, []string{"b"}) {
		t.Errorf("%v", got)
	}
	queue, err := d.Table.Query(ctx, store.Range{Partition: "DELIVERIES"})
	if err != nil || len(queue) != 1 {
		t.Errorf("%d in the queue, error %v", len(queue), err)
	}
}
