package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"verdetto/shared/fare"
)

// Alerts stores who subscribes to which route, and no more of them than that
// (keys: PENDING, ALERTS, SUBSCRIBER, WATCHED, STOPPED).
type Alerts struct {
	Table  Table
	Outbox Outbox // of the mail that asks for confirmation
}

// MaxAlerts is how many alerts a subscriber can have.
const MaxAlerts = 20

var (
	// ErrUsed: the pending subscription has been confirmed before.
	ErrUsed = errors.New("confirmed before")
	// ErrTooMany: the subscriber has MaxAlerts alerts.
	ErrTooMany = errors.New("too many alerts")
	// ErrStopped: nothing is sent to the subscriber any more.
	ErrStopped = errors.New("mail is stopped")
	// ErrUnreadable: an item is malformed. Reading it again does not help.
	ErrUnreadable = errors.New("malformed")
)

func pendingKey(id string) Key           { return Key{"PENDING#" + id, "ALERT"} }
func alertKey(r Ref, s SubscriberID) Key { return Key{alertsOf(r.Route), r.place(s)} }
func alertsOf(route fare.Route) string   { return "ALERTS#" + route.String() }
func subscriberKey(s SubscriberID) Key   { return Key{"SUBSCRIBER#" + string(s), "ROUTES"} }
func stoppedKey(s SubscriberID) Key      { return Key{"STOPPED#" + string(s), "MARK"} }

// AddPending stores a pending subscription until it expires, together with the
// jobs that ask for confirmation: all or nothing. The same is written whatever is
// stored of the subscriber already.
func (a Alerts) AddPending(ctx context.Context, id string, pending Alert, expires time.Time, jobs ...Job) error {
	var w writes
	w.put(over(Item{Key: pendingKey(id), Expires: expires}), pending)
	w.leave(a.Outbox, jobs...)
	return wrap(w.to(ctx, a.Table), "store pending subscription")
}

// Pending gives the pending subscription of an id: ErrNotFound where there is
// none or it has expired, ErrUsed where it was confirmed.
func (a Alerts) Pending(ctx context.Context, id string) (Alert, error) {
	pending, _, err := a.pending(ctx, id)
	return pending, err
}

func (a Alerts) pending(ctx context.Context, id string) (Alert, Item, error) {
	item, err := a.Table.Get(ctx, pendingKey(id), Strong)
	if err != nil {
		return Alert{}, item, fmt.Errorf("read pending subscription: %w", err)
	}
	if len(item.Data) == 0 {
		return Alert{}, item, ErrUsed
	}
	var pending Alert
	err = json.Unmarshal(item.Data, &pending)
	return pending, item, wrap(err, "read pending subscription")
}

// Confirm makes an alert of a pending subscription, or changes the one there is, once. What the
// subscriber was notified of stays recorded, so that subscribing again brings no second mail with
// the same news. ErrStopped: nothing is sent there.
func (a Alerts) Confirm(ctx context.Context, id string) (Alert, error) {
	return a.confirmFor(ctx, id, func(*Alert) {})
}

// ConfirmAs is Confirm for a subscriber who was not known when the alert was asked
// for, and is reached at an address of its channel.
func (a Alerts) ConfirmAs(ctx context.Context, id string, s SubscriberID, address string) (Alert, error) {
	return a.confirmFor(ctx, id, func(alert *Alert) {
		alert.Subscriber, alert.Address = s, address
		alert.ID = alert.NewID()
	})
}

func (a Alerts) confirmFor(ctx context.Context, id string, owned func(*Alert)) (alert Alert, err error) {
	err = RetryConflicts(ctx, func() (err error) {
		alert, err = a.confirm(ctx, id, owned)
		return err
	})
	return alert, err
}

func (a Alerts) confirm(ctx context.Context, id string, owned func(*Alert)) (Alert, error) {
	alert, pending, err := a.pending(ctx, id)
	if err != nil {
		return alert, err
	}
	owned(&alert)
	if stopped, err := a.Stopped(ctx, alert.Subscriber); err != nil {
		return alert, err
	} else if stopped {
		return alert, ErrStopped
	}
	refs, version, err := a.refs(ctx, alert.Subscriber)
	if err != nil {
		return alert, err
	}
	if !slices.Contains(refs, alert.Ref()) {
		if len(refs) >= MaxAlerts {
			return alert, ErrTooMany
		}
		refs = append(refs, alert.Ref())
	}
	had, err := a.One(ctx, alert.Ref(), alert.Subscriber)
	switch {
	case err == nil:
		// Over the version that was read: the subscriber may be notified just now.
		alert.Mailed, alert.Fresh = had.Mailed, had.Fresh || had.condition() != alert.condition()
		alert.State, alert.Since = had.State, had.Since
	case !errors.Is(err, ErrNotFound):
		return alert, err
	}
	digest, err := a.digestWrites(ctx, had, alert)
	if err != nil {
		return alert, fmt.Errorf("confirm an alert: %w", err)
	}
	pending.Data = nil
	w := writes{ops: []Op{
		{Mode: Replace, Item: pending},
		// Whoever stops mail meanwhile removes what there is by then: nothing is to come after that.
		{Mode: Check, Item: Item{Key: stoppedKey(alert.Subscriber)}},
	}}
	w.putRefs(alert.Subscriber, refs, version)
	w.put(over(Item{Key: alertKey(alert.Ref(), alert.Subscriber), Version: had.version}), alert)
	w.add(alert.marks()...)
	w.add(digest...)
	return alert, wrap(w.to(ctx, a.Table), "confirm an alert")
}

// refs names the alerts of a subscriber, none at version 0.
func (a Alerts) refs(ctx context.Context, s SubscriberID) ([]Ref, int64, error) {
	refs, item, err := get[[]Ref](ctx, a.Table, subscriberKey(s), Strong)
	return refs, item.Version, wrap(unless(err, ErrNotFound), "read a subscriber")
}

// putRefs adds the write of the names of a subscriber's alerts over a version.
func (w *writes) putRefs(s SubscriberID, refs []Ref, version int64) {
	op := over(Item{Key: subscriberKey(s), Version: version})
	if version > 0 && len(refs) == 0 {
		op.Mode = Remove
	}
	w.put(op, refs)
}

// Of lists the alerts of a subscriber.
func (a Alerts) Of(ctx context.Context, s SubscriberID) ([]Alert, error) {
	refs, _, err := a.refs(ctx, s)
	if err != nil {
		return nil, err
	}
	var alerts []Alert
	for _, ref := range refs {
		switch alert, err := a.One(ctx, ref, s); {
		case errors.Is(err, ErrNotFound): // removed between the two reads
		case err != nil:
			return nil, err
		default:
			alerts = append(alerts, alert)
		}
	}
	return alerts, nil
}

// One gives an alert of a subscriber as it stands now, or ErrNotFound.
func (a Alerts) One(ctx context.Context, ref Ref, s SubscriberID) (Alert, error) {
	item, err := a.Table.Get(ctx, alertKey(ref, s), Strong)
	if err != nil {
		return Alert{}, fmt.Errorf("read an alert: %w", err)
	}
	return readAlert(item)
}

func readAlert(item Item) (Alert, error) {
	alert := Alert{version: item.Version}
	if err := json.Unmarshal(item.Data, &alert); err != nil {
		return Alert{}, fmt.Errorf("read an alert: %w: %w", ErrUnreadable, err)
	}
	return alert, nil
}

// Remove deletes alerts of a subscriber, all of them where none is named,
// and says how many there were.
func (a Alerts) Remove(ctx context.Context, s SubscriberID, which ...Ref) (removed int, err error) {
	err = RetryConflicts(ctx, func() (err error) {
		removed, err = a.remove(ctx, s, which)
		return err
	})
	return removed, err
}

func (a Alerts) remove(ctx context.Context, s SubscriberID, which []Ref) (int, error) {
	refs, version, err := a.refs(ctx, s)
	if err != nil {
		return 0, err
	}
	var w writes
	rest := slices.DeleteFunc(slices.Clone(refs), func(r Ref) bool {
		gone := len(which) == 0 || slices.Contains(which, r)
		if gone {
			w.add(remove(alertKey(r, s)))
		}
		return gone
	})
	removed := len(w.ops)
	if removed == 0 {
		return 0, nil
	}
	if len(rest) == 0 && slices.ContainsFunc(refs, func(r Ref) bool { return r.ID != "" }) { // some may be to endpoints
		if err := (Deliveries{Table: a.Table}).Forget(ctx, s); err != nil {
			return 0, err
		}
	}
	digest, err := a.endDigest(ctx, s, rest)
	if err != nil {
		return 0, err
	}
	w.add(digest...)
	w.putRefs(s, rest, version)
	return removed, wrap(w.to(ctx, a.Table), "remove alerts")
}

// Stop deletes all alerts of a subscriber and records until when nothing is to
// be sent there: mail was refused for good, or somebody complained of it.
func (a Alerts) Stop(ctx context.Context, s SubscriberID, until time.Time) error {
	if err := a.Table.Write(ctx, set(Item{Key: stoppedKey(s), Expires: until})); err != nil {
		return fmt.Errorf("stop mail to a subscriber: %w", err)
	}
	_, err := a.Remove(ctx, s)
	return err
}

// Resume takes back that nothing is to be sent to a subscriber, who has asked for it just now by their own hand.
func (a Alerts) Resume(ctx context.Context, s SubscriberID) error {
	return wrap(a.Table.Write(ctx, remove(stoppedKey(s))), "resume messages to a subscriber")
}

// Stopped tells whether nothing is to be sent to a subscriber.
func (a Alerts) Stopped(ctx context.Context, s SubscriberID) (bool, error) {
	_, err := a.Table.Get(ctx, stoppedKey(s), Strong)
	return err == nil, wrap(unless(err, ErrNotFound), "read whether mail is stopped")
}

// Page gives the alerts for a route in a fixed order, after the Place of one; "" is before all.
// Fewer than limit means that there are no more. A malformed one has its place as well, with no
// more than whose it is, and is not Readable: the others are to be notified.
func (a Alerts) Page(ctx context.Context, route fare.Route, after string, limit int) ([]Alert, error) {
	r := Range{Partition: alertsOf(route), After: after, Limit: limit}
	alerts, err := list(ctx, a.Table, r, func(item Item) (Alert, error) {
		alert, err := readAlert(item)
		if err != nil {
			s, id, _ := strings.Cut(item.Sort, "#")
			alert = Alert{Subscriber: SubscriberID(s), ID: id, Route: route}
		}
		return alert, nil
	})
	return alerts, wrap(err, "list alerts for %s", route)
}

// MarkNotified records that a subscriber was notified of what a refresh of a day
// found, at a price, also where the alert was changed meanwhile: then the change
// stays. One that was removed stays so, and that is no error.
func (a Alerts) MarkNotified(ctx context.Context, alert Alert, of fare.Day, price fare.Cents) error {
	return a.markNotified(ctx, alert, of, func(s *State) { s.Told = price })
}

// MarkNotifiedOf is MarkNotified of an alert to Anywhere: the destinations, as in
// State, are all that it has told of and that meet it.
func (a Alerts) MarkNotifiedOf(ctx context.Context, alert Alert, of fare.Day, destinations string) error {
	return a.markNotified(ctx, alert, of, func(s *State) { s.Met = destinations })
}

func (a Alerts) markNotified(ctx context.Context, alert Alert, of fare.Day, told func(*State)) error {
	alert.Fresh = false
	err := a.change(ctx, alert, func(next *Alert) bool {
		if next.Mailed >= of && !IsWrongDay(next.Mailed, of) {
			return false
		}
		next.Mailed = of
		told(&next.State)
		return true
	})
	return wrap(err, "record that a subscriber was notified")
}

// Change has an alert of a subscriber changed, as it stands when it is written, and
// gives what it is then: ErrNotFound where there is none. Another condition is told
// of anew.
func (a Alerts) Change(ctx context.Context, ref Ref, s SubscriberID, change func(*Alert)) (Alert, error) {
	changed, err := a.One(ctx, ref, s)
	if err != nil {
		return changed, err
	}
	err = a.change(ctx, changed, func(next *Alert) bool {
		before := *next
		change(next)
		next.Fresh = next.Fresh || next.condition() != before.condition()
		changed = *next
		return changed != before
	})
	return changed, wrap(err, "change an alert")
}

// MarkSeen records the price that an alert saw at its first look, once.
func (a Alerts) MarkSeen(ctx context.Context, alert Alert, price fare.Cents) error {
	err := a.change(ctx, alert, func(next *Alert) bool {
		if next.State != (State{}) {
			return false
		}
		next.State.First = price
		return price > 0
	})
	return wrap(err, "record what an alert has seen")
}

// MarkMet records which destinations an alert to Anywhere has told of and that meet it
// still, unless somebody was notified or it was changed since it was read: the next refresh sees that then.
func (a Alerts) MarkMet(ctx context.Context, alert Alert, destinations string) error {
	read := alert
	err := a.change(ctx, alert, func(next *Alert) bool {
		if next.version != read.version || next.State.Met == destinations {
			return false
		}
		next.State.Met = destinations
		return true
	})
	return wrap(err, "record what meets an alert")
}

// change writes an alert over the version that was read, with a change that says
// whether there is one; where it was written meanwhile, it is made to what stands
// there then. One that was removed stays so.
func (a Alerts) change(ctx context.Context, alert Alert, change func(*Alert) bool) error {
	return rewrite(ctx, alert, func(read Alert) error {
		next := read
		if !change(&next) {
			return nil
		}
		digest, err := a.digestWrites(ctx, read, next)
		if err != nil {
			return err
		}
		w := writes{ops: digest}
		w.put(Op{Mode: Replace, Item: Item{Key: alertKey(next.Ref(), next.Subscriber), Version: next.version}}, next)
		return w.to(ctx, a.Table)
	}, func() (Alert, error) { return a.One(ctx, alert.Ref(), alert.Subscriber) })
}

// UntilResumed is the day until which an alert is paused that only its subscriber resumes.
const UntilResumed fare.Day = 2932896 // 9999-12-31

// Pause has an alert tell nothing before a day; 0 resumes it. One that was removed stays so, and that is no error.
func (a Alerts) Pause(ctx context.Context, alert Alert, until fare.Day) error {
	err := a.change(ctx, alert, func(next *Alert) bool {
		changed := next.Paused != until
		next.Paused = until
		return changed
	})
	return wrap(err, "pause an alert")
}

// MarkOver records the day on which it was left for the endpoint of an alert that the alert has ended.
func (a Alerts) MarkOver(ctx context.Context, alert Alert, day fare.Day) error {
	err := a.change(ctx, alert, func(next *Alert) bool {
		if next.Over > 0 {
			return false
		}
		next.Over = day
		return true
	})
	return wrap(err, "record that an alert has ended")
}
