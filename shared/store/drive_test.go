package store_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/web/limit"
)

// driveRecords calls every exported method of the records, so that each finds something to do.
func driveRecords(t *testing.T, table store.Table) {
	t.Helper()
	ctx, later := t.Context(), noon.Add(time.Hour)
	customer := apikey.Of([]byte("pepper"), "ada@example.com")
	outbox := store.Outbox{Table: table, Name: "alerts"}
	fares, alerts := store.Fares{Table: table}, store.Alerts{Table: table, Outbox: outbox}
	customers, notifications := store.Customers{Table: table}, store.Notifications{Table: table}
	digests := store.Digests{Table: table}
	notes, migration, payments := store.Notes{Table: table}, store.Migration{Table: table}, store.Payments{Table: table}
	lease := &store.Lease{Table: table, Name: "mail", Holder: "a", For: time.Hour, Now: func() time.Time { return noon }}
	news := store.Notification{Route: milBuh, Day: 20500, News: []byte("n"), Expires: later}
	limiter := limit.New(table, func() time.Time { return noon })
	deliveries, delivery := store.Deliveries{Table: table, Outbox: outbox}, deliveryOf("ada", "a", noon)
	takeOne := func(w store.Deliveries, now time.Time) (store.Delivery, error) {
		taken, err := w.Take(ctx, 1, now, time.Minute)
		if err == nil && len(taken) != 1 {
			err = fmt.Errorf("%d deliveries", len(taken))
		}
		return append(taken, store.Delivery{})[0], err
	}
	ignore := func(_ any, err error) error { return err }
	ignoreNothing := func(err error) error {
		if errors.Is(err, store.ErrNothingToUndo) {
			return nil
		}
		return err
	}

	type call struct {
		record any
		method string
		do     func() error
	}
	calls := []call{
		{fares, "PutBlocks", func() error {
			block := store.StoredBlock{Block: fare.Block{Cycle: 2928, Data: []byte("b")}}
			return fares.PutBlocks(ctx, fare.Series{Route: milBuh}, []store.StoredBlock{block}, func(fare.Cycle) time.Time { return later })
		}},
		{fares, "Blocks", func() error { return ignore(fares.Blocks(ctx, fare.Series{Route: milBuh}, store.Strong)) }},
		{fares, "PutSummary", func() error { return fares.PutSummary(ctx, fare.Series{Route: milBuh}, []byte("s"), 0) }},
		{fares, "Summary", func() error { _, _, err := fares.Summary(ctx, fare.Series{Route: milBuh}, store.Strong); return err }},
		{fares, "PutDepartures", func() error {
			one := store.Versioned{Data: []byte("d")}
			return fares.PutDepartures(ctx, fare.Series{Route: milBuh}, store.Departures{Any: one, NonStop: one, Learning: one}, store.Left{Cycle: 20500, Data: []byte("l"), Expires: later})
		}},
		{fares, "Departures", func() error { return ignore(fares.Departures(ctx, fare.Series{Route: milBuh})) }},
		{fares, "Sheet", func() error { return ignore(fares.Sheet(ctx, fare.Series{Route: milBuh}, true)) }},
		{fares, "Left", func() error { return ignore(fares.Left(ctx, 20500)) }},
		{fares, "LeftBy", func() error { return ignore(fares.LeftBy(ctx, fare.Series{Route: milBuh}, 20500)) }},
		{fares, "PutPooled", func() error {
			return fares.PutPooled(ctx, []byte("p"), 0, store.Score{Sum: []byte("s"), Weeks: map[fare.Day][]byte{20500: []byte("w")}})
		}},
		{fares, "ScoreSum", func() error { return ignore(fares.ScoreSum(ctx, store.Strong)) }},
		{fares, "ScoreOfWeek", func() error { return ignore(fares.ScoreOfWeek(ctx, 20500)) }},
		{fares, "ScoreWeeks", func() error { return ignore(fares.ScoreWeeks(ctx, 20500, store.Strong)) }},
		{fares, "Pooled", func() error { _, _, err := fares.Pooled(ctx, store.Strong); return err }},
		{fares, "SetAsked", func() error { return fares.SetAsked(ctx, "MIL", noon) }},
		{fares, "Asked", func() error { return ignore(fares.Asked(ctx, "MIL")) }},
		{fares, "Claim", func() error { return fares.Claim(ctx, "sample") }},
		{fares, "PutTrends", func() error {
			return fares.PutTrends(ctx, "MIL", []byte("t"), 0, map[fare.City]store.Coverage{"BUH": {Observations: 1}})
		}},
		{fares, "PutDeals", func() error { return fares.PutDeals(ctx, "MIL", fare.OneWay, []byte("d"), 0) }},
		{fares, "PutDeals", func() error { return fares.PutDeals(ctx, "MIL", fare.Return4to7, []byte("d"), 0) }},
		{fares, "Deals", func() error { _, _, err := fares.Deals(ctx, "MIL", fare.OneWay); return err }},
		{fares, "DealsNow", func() error { _, _, err := fares.DealsNow(ctx, "MIL", fare.OneWay); return err }},
		{fares, "Trends", func() error { _, _, err := fares.Trends(ctx, "MIL"); return err }},
		{fares, "Covered", func() error { return ignore(fares.Covered(ctx, "", 0)) }},
		{fares, "Into", func() error { return ignore(fares.Into(ctx, "BUH", "", 0)) }},
		{fares, "SetRates", func() error { return fares.SetRates(ctx, fare.Rates{}) }},
		{fares, "Rates", func() error { return ignore(fares.Rates(ctx)) }},
		{fares, "NoteDemand", func() error { return fares.NoteDemand(ctx, fare.Series{Route: milBuh, Trip: fare.Return4to7}, later) }},
		{fares, "Demanded", func() error { return ignore(fares.Demanded(ctx, time.Now())) }},
		{fares, "RequestOrigin", func() error { return fares.RequestOrigin(ctx, "ROM", later) }},
		{fares, "RequestedOrigins", func() error { return ignore(fares.RequestedOrigins(ctx, time.Now())) }},

		{fares, "SetRun", func() error {
			return errors.Join(fares.SetRun(ctx, store.Discovery, noon, 0), fares.SetRun(ctx, store.Depth, noon, 0))
		}},
		{fares, "LastRun", func() error { _, _, err := fares.LastRun(ctx, store.Discovery); return err }},

		{alerts, "AddPending", func() error {
			return alerts.AddPending(ctx, "x", alertOf("ada", "BUH", 0), later, store.Job{At: noon})
		}},
		{alerts, "AddPending", func() error {
			trip := alertOf("ada", "BUH", 0)
			trip.Trip.Nights = fare.Return4to7
			trip.ID = trip.NewID()
			err := alerts.AddPending(ctx, "trip", trip, later, store.Job{At: noon})
			if err == nil {
				_, err = alerts.Confirm(ctx, "trip")
			}
			return err
		}},
		{alerts, "Pending", func() error { return ignore(alerts.Pending(ctx, "x")) }},
		{alerts, "Confirm", func() error { return ignore(alerts.Confirm(ctx, "x")) }},
		{alerts, "ConfirmAs", func() error {
			chat := store.Alert{Route: milBuh, Channel: store.Telegram}
			err := alerts.AddPending(ctx, "chat", chat, later)
			if err == nil {
				_, err = alerts.ConfirmAs(ctx, "chat", "eve", "1")
			}
			return err
		}},
		{alerts, "One", func() error { return ignore(alerts.One(ctx, store.Ref{Route: milBuh}, "ada")) }},
		{alerts, "Of", func() error { return ignore(alerts.Of(ctx, "ada")) }},
		{alerts, "Page", func() error { return ignore(alerts.Page(ctx, milBuh, "", 10)) }},
		{alerts, "MarkNotified", func() error {
			one, err := alerts.One(ctx, store.Ref{Route: milBuh}, "ada")
			if err != nil {
				return err
			}
			return alerts.MarkNotified(ctx, one, 20500, 0)
		}},
		{alerts, "MarkNotifiedOf", func() error {
			one, err := alerts.One(ctx, store.Ref{Route: milBuh}, "ada")
			if err != nil {
				return err
			}
			return alerts.MarkNotifiedOf(ctx, one, 20501, "BUH")
		}},
		{alerts, "MarkMet", func() error {
			one, err := alerts.One(ctx, store.Ref{Route: milBuh}, "ada")
			if err != nil {
				return err
			}
			return alerts.MarkMet(ctx, one, "")
		}},
		{alerts, "Change", func() error {
			return ignore(alerts.Change(ctx, store.Ref{Route: milBuh}, "ada", func(a *store.Alert) { a.Threshold++ }))
		}},
		{alerts, "Pause", func() error {
			one, err := alerts.One(ctx, store.Ref{Route: milBuh}, "ada")
			if err != nil {
				return err
			}
			return alerts.Pause(ctx, one, store.UntilResumed)
		}},
		{alerts, "MarkSeen", func() error {
			return alerts.MarkSeen(ctx, alertOf("ada", "BUH", 0), 5000) // over another version: it is read again
		}},
		{alerts, "MarkOver", func() error {
			one, err := alerts.One(ctx, store.Ref{Route: milBuh}, "ada")
			if err != nil {
				return err
			}
			return alerts.MarkOver(ctx, one, 20501)
		}},
		{alerts, "RemoveDigest", func() error {
			if err := alerts.AddPending(ctx, "weekly", store.Alert{Subscriber: "dan", Route: milBuh, Email: "dan@example.com", Digest: true}, later, store.Job{At: noon}); err != nil {
				return err
			}
			_, err := alerts.Confirm(ctx, "weekly")
			for range 2 { // the second time there is nothing to remove
				err = errors.Join(err, ignore(alerts.RemoveDigest(ctx, "dan")))
			}
			return err
		}},
		{digests, "Progress", func() error { return ignore(digests.Progress(ctx)) }},
		{digests, "Advance", func() error {
			p, err := digests.Progress(ctx)
			return errors.Join(err, digests.Advance(ctx, &p, 20500, "dan"))
		}},
		{digests, "Page", func() error { return ignore(digests.Page(ctx, time.Monday, "", 10)) }},
		{digests, "Of", func() error {
			if _, err := digests.Of(ctx, "dan"); !errors.Is(err, store.ErrNotFound) {
				return fmt.Errorf("a digest that was removed: %w", err)
			}
			return nil
		}},
		{digests, "MarkSent", func() error { return digests.MarkSent(ctx, store.Digest{Subscriber: "dan"}, 20500, nil) }},
		{alerts, "Watched", func() error { return ignore(alerts.Watched(ctx, "MIL")) }},
		{alerts, "Remove", func() error { return ignore(alerts.Remove(ctx, "ada")) }},
		{alerts, "Unwatch", func() error { return ignore(alerts.Unwatch(ctx, milBuh)) }},
		{alerts, "Stop", func() error { return alerts.Stop(ctx, "ada", later) }},
		{alerts, "Resume", func() error { return alerts.Resume(ctx, "ada") }},
		{alerts, "Stopped", func() error { return ignore(alerts.Stopped(ctx, "ada")) }},

		{customers, "Put", func() error { return customers.Put(ctx, store.Customer{ID: customer}) }},
		{customers, "Customer", func() error { return ignore(customers.Customer(ctx, customer)) }},
		{customers, "Change", func() error { return customers.Change(ctx, customer, func(*store.Customer) error { return nil }) }},
		{customers, "Issue", func() error { return ignore(customers.Issue(ctx, rand.Reader, customer, noon, nil)) }},
		{customers, "IssueOnce", func() error {
			_, _, err := customers.IssueOnce(ctx, rand.Reader, customer, noon, store.Once{What: "payment/1", Keep: func(store.Customer) bool { return false }})
			return err
		}},
		{customers, "Activate", func() error { return customers.Activate(ctx, customer, apikey.Hash{1}, noon) }},
		{customers, "Cancel", func() error { return customers.Cancel(ctx, customer, apikey.Hash{1}) }},
		{customers, "Undo", func() error { return ignoreNothing(customers.Undo(ctx, customer, []byte{1}, later)) }},
		{customers, "Undoable", func() error { return ignoreNothing(customers.Undoable(ctx, customer, []byte{1})) }},
		{customers, "Rotate", func() error {
			text, err := customers.Issue(ctx, rand.Reader, customer, noon, nil)
			if err != nil {
				return err
			}
			key, _ := apikey.Parse(text)
			return ignore(customers.Rotate(ctx, key, apikey.Hash{1}, noon))
		}},
		{customers, "LinkSubscription", func() error { return customers.LinkSubscription(ctx, "sub_1", customer) }},
		{customers, "SubscriptionOwner", func() error { return ignore(customers.SubscriptionOwner(ctx, "sub_1")) }},
		{customers, "Move", func() error {
			other := apikey.Of([]byte("pepper"), "bob@example.com")
			_, err := customers.Move(ctx, customer, other, noon, func(store.Customer) []store.LeftJob {
				return []store.LeftJob{{Outbox: outbox, Job: store.Job{At: noon}}}
			})
			return err
		}},
		{customers, "Erase", func() error {
			return customers.Erase(ctx, customer, func(store.Job) bool { return false }, outbox)
		}},

		{payments, "Take", func() error {
			for _, name := range []string{"p1", "p2", "p3", "p4", "p5"} {
				slots := store.Slots{Of: "all", Name: "DAY", Most: 500, Per: 24 * time.Hour, Fees: true}
				if _, _, err := payments.Take(ctx, store.Payment{Name: name, Call: "c", Payer: name, At: noon}, slots); err != nil {
					return err
				}
			}
			return nil
		}},
		{payments, "Get", func() error { return ignore(payments.Get(ctx, "p1")) }},
		{payments, "Credits", func() error { return ignore(payments.Credits(ctx, "p1", later)) }},
		{payments, "Use", func() error {
			credit, err := payments.Get(ctx, "p1")
			if err != nil {
				return err
			}
			fresh, err := payments.Get(ctx, "p2")
			if err != nil {
				return err
			}
			return payments.Use(ctx, credit, fresh, []byte("a"), noon)
		}},
		{payments, "Give", func() error {
			p, err := payments.Get(ctx, "p3")
			if err != nil {
				return err
			}
			return payments.Give(ctx, p, []byte("a"), noon)
		}},
		{payments, "Free", func() error {
			p, err := payments.Get(ctx, "p5")
			if err != nil {
				return err
			}
			return payments.Free(ctx, p, noon)
		}},
		{payments, "Answer", func() error { return ignore(payments.Answer(ctx, "p3")) }},
		{payments, "Fail", func() error {
			p, err := payments.Get(ctx, "p4")
			if err != nil {
				return err
			}
			return payments.Fail(ctx, p, "failed", true, noon)
		}},
		{payments, "Count", func() error {
			return payments.Count(ctx, store.Slots{Of: "all", Name: "HOUR", Most: 20, Per: time.Hour}, noon)
		}},
		{store.Mailboxes{Table: table}, "Change", func() error {
			return store.Mailboxes{Table: table}.Change(ctx, "ada", noon, func(b *store.Mailbox) { b.Stopped = later })
		}},
		{notes, "Put", func() error { return notes.Put(ctx, store.Note{Name: "x", Data: []byte("n"), Until: later}) }},
		{notes, "Get", func() error { return ignore(notes.Get(ctx, "x")) }},
		{notes, "Drop", func() error { return notes.Drop(ctx, "x") }},

		{notifications, "Leave", func() error { return notifications.Leave(ctx, store.Past{}, news, []byte("d"), later) }},
		{notifications, "Past", func() error { return ignore(notifications.Past(ctx, milBuh)) }},
		{notifications, "Next", func() (err error) { news, err = notifications.Next(ctx, ""); return err }},
		{notifications, "Advance", func() error { return notifications.Advance(ctx, &news, "ada") }},
		{notifications, "Done", func() error { return notifications.Done(ctx, news) }},
		{notifications, "LeaveTrips", func() error { return notifications.LeaveTrips(ctx, milBuh, 20500, later) }},
		{notifications, "PastTrip", func() error { return ignore(notifications.PastTrip(ctx, milBuh, store.Trip{Nonstop: true})) }},
		{notifications, "KeepTrip", func() error {
			return notifications.KeepTrip(ctx, store.Past{}, milBuh, store.Trip{Nonstop: true}, []byte("h"), later)
		}},
		{notifications, "TakeBack", func() error { return notifications.TakeBack(ctx, milBuh, 20500) }},

		{outbox, "Offer", func() error { return outbox.Offer(ctx, "x", store.Job{At: noon}, later) }},
		{outbox, "Offered", func() error { return outbox.Offered(ctx, "x") }},
		{outbox, "Accept", func() error { return outbox.Accept(ctx, "x", noon) }},
		{outbox, "Put", func() error { return outbox.Put(ctx, store.Job{At: noon}) }},
		{outbox, "PutOnce", func() error { return outbox.PutOnce(ctx, store.Job{At: noon}, "once") }},
		{outbox, "Postpone", func() error {
			jobs, err := outbox.Take(ctx, 1, noon, time.Minute)
			if err != nil || len(jobs) != 1 {
				t.Fatalf("%d jobs, %v", len(jobs), err)
			}
			return outbox.Postpone(ctx, jobs[0], noon.Add(time.Minute))
		}},
		{outbox, "Release", func() error {
			jobs, err := outbox.Take(ctx, 1, noon.Add(time.Hour), time.Minute)
			if err != nil || len(jobs) != 1 {
				t.Fatalf("%d jobs, %v", len(jobs), err)
			}
			return outbox.Release(ctx, jobs[0])
		}},
		{outbox, "Retries", func() error { return outbox.Retries().Put(ctx, store.Job{At: noon}) }},
		{outbox, "Take", func() error { return ignore(outbox.Take(ctx, 10, noon, time.Minute)) }},
		{outbox, "Done", func() error {
			jobs, err := outbox.Take(ctx, 1, noon.Add(time.Hour), time.Minute)
			if err != nil || len(jobs) != 1 {
				t.Fatalf("%d jobs, %v", len(jobs), err)
			}
			return outbox.Done(ctx, jobs[0])
		}},

		{deliveries, "Leave", func() error { return deliveries.Leave(ctx, delivery) }},
		{deliveries, "Take", func() (err error) { delivery, err = takeOne(deliveries, noon); return err }},
		{deliveries, "Postpone", func() error { return deliveries.Postpone(ctx, delivery, later) }},
		{deliveries, "One", func() error { return ignore(deliveries.One(ctx, "ada", "a")) }},
		{deliveries, "Of", func() error { return ignore(deliveries.Of(ctx, "ada")) }},
		{deliveries, "End", func() error {
			one, err := takeOne(deliveries, later)
			if err != nil {
				return err
			}
			one.Ended = later
			return deliveries.End(ctx, one, store.Job{At: noon})
		}},
		{deliveries, "Replay", func() error {
			return ignore(deliveries.Replay(ctx, "ada", later, func(store.Delivery) bool { return true }))
		}},
		{deliveries, "Drop", func() error {
			one, err := takeOne(deliveries, later)
			if err != nil {
				return err
			}
			return deliveries.Drop(ctx, one)
		}},
		{deliveries, "Endpoint", func() error { return ignore(deliveries.Endpoint(ctx, "ada", "https://example.com/")) }},
		{deliveries, "ChangeEndpoint", func() error {
			return ignore(deliveries.ChangeEndpoint(ctx, "ada", "https://example.com/", noon, func(e *store.Endpoint) bool { e.Verified = true; return true }, store.Job{At: noon}))
		}},
		{deliveries, "Forget", func() error { return deliveries.Forget(ctx, "ada") }},

		{migration, "Begin", func() error { return migration.Begin(ctx, "bolt:old.db") }},
		{migration, "Unfinished", func() error { _, _, err := migration.Unfinished(ctx); return err }},
		{migration, "Finish", func() error { return migration.Finish(ctx) }},
		{migration, "Lease", func() error { migration.Lease("a"); return nil }},
		{migration, "Own", func() error { migration.Own(store.Key{}); return nil }},

		{lease, "Hold", func() error { return lease.Hold(ctx) }},
		{lease, "Left", func() error { lease.Left(); return nil }},
		{lease, "While", func() error { return lease.While(ctx, func(context.Context) error { return nil }) }},
		{lease, "Release", func() error { return lease.Release(ctx) }},

		{limiter, "Take", func() error {
			return ignore(limiter.Take(ctx, limit.Limit{Name: "daily", Calls: 1, Window: time.Hour}, "ip 192.0.2.1"))
		}},
		{limiter, "TakeSeveral", func() error {
			return ignore(limiter.TakeSeveral(ctx, limit.Limit{Name: "daily", Calls: 9, Window: time.Hour}, "ip 192.0.2.1", 3))
		}},
		{limiter, "Join", func() error {
			var faults []error
			for range 20 { // several are written together
				_, err := limiter.Join(ctx, limit.Limit{Name: "joined", Calls: 1000, Window: time.Hour}, "network")
				faults = append(faults, err)
			}
			return errors.Join(faults...)
		}},
		{limiter, "Leave", func() error {
			limiter.Leave(limit.Limit{Name: "joined", Calls: 100, Window: time.Hour}, "network")
			return nil
		}},
		{limiter, "Full", func() error {
			limiter.Full(limit.Limit{Name: "joined", Calls: 1000, Window: time.Hour}, "network")
			return nil
		}},
		{limiter, "Used", func() error {
			_, _, err := limiter.Used(ctx, limit.Limit{Name: "daily", Calls: 1, Window: time.Hour}, "ip 192.0.2.1")
			return err
		}},
	}
	if err := store.DropLeases(ctx, table); err != nil {
		t.Error(err)
	}
	if _, err := (store.Calls{Table: table}).Count(ctx, "travelpayouts", 20500, 1); err != nil {
		t.Error(err)
	}
	if err := store.Probe(ctx, table); err != nil {
		t.Error(err)
	}
	if _, err := store.Pepper(ctx, table, []byte("p")); err != nil {
		t.Error(err)
	}
	if err := store.ReplacePepper(ctx, table, []byte("p")); err != nil {
		t.Error(err)
	}
	if _, err := store.StoredPepper(ctx, table); err != nil {
		t.Error(err)
	}
	driven := map[reflect.Type][]string{}
	for _, c := range calls {
		if err := c.do(); err != nil {
			t.Errorf("%T.%s: %v", c.record, c.method, err)
		}
		driven[reflect.TypeOf(c.record)] = append(driven[reflect.TypeOf(c.record)], c.method)
	}
	for record, methods := range driven {
		for i := range record.NumMethod() {
			if name := record.Method(i).Name; !slices.Contains(methods, name) {
				t.Errorf("%v.%s is not driven here, so its keys are not held to the table", record, name)
			}
		}
	}
}
