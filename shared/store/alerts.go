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
	data, err := json.Marshal(pending)
	ops := []Op{{Mode: Create, Item: Item{Key: pendingKey(id), Data: data, Expires: expires}}}
	for _, job := range jobs {
		put, fault := a.Outbox.put(job)
		ops, err = append(ops, put), errors.Join(err, fault)
	}
	if err == nil {
		err = a.Table.Write(ctx, ops...)
	}
	if err != nil {
		return fmt.Errorf("store pending subscription: %w", err)
	}
	return nil
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
	if err := json.Unmarshal(item.Data, &pending); err != nil {
		return Alert{}, item, fmt.Errorf("read pending subscription: %w", err)
	}
	return pending, item, nil
}

// Confirm makes an alert of a pending subscription, or gives the one there is
// its threshold. It works once; all that stays of the pending subscription is
// that it was used. What the subscriber was notified of stays recorded, so that
// subscribing again to the same brings no second mail with the same news.
// ErrStopped: nothing is sent there.
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
	put := Op{Mode: Create, Item: Item{Key: alertKey(alert.Ref(), alert.Subscriber)}}
	had, err := a.One(ctx, alert.Ref(), alert.Subscriber)
	switch {
	case err == nil:
		// Over the version that was read: the subscriber may be notified just now.
		put.Mode, put.Item.Version = Replace, had.version
		alert.Mailed, alert.Fresh = had.Mailed, had.Fresh || had.condition() != alert.condition()
		alert.State, alert.Since = had.State, had.Since
	case !errors.Is(err, ErrNotFound):
		return alert, err
	}
	put.Item.Data, err = json.Marshal(alert)
	var list Op
	if err == nil {
		list, err = listOp(alert.Subscriber, refs, version)
	}
	var digest []Op
	if err == nil {
		digest, err = a.digestWrites(ctx, had, alert)
	}
	if err == nil {
		pending.Data = nil
		ops := []Op{
			{Mode: Replace, Item: pending},
			list,
			put,
			// Whoever stops mail meanwhile removes what there is by then: nothing is to come after that.
			{Mode: Check, Item: Item{Key: stoppedKey(alert.Subscriber)}},
		}
		err = a.Table.Write(ctx, slices.Concat(ops, alert.marks(), digest)...)
	}
	if err != nil {
		return alert, fmt.Errorf("confirm an alert: %w", err)
	}
	return alert, nil
}

// refs names the alerts of a subscriber, none at version 0.
func (a Alerts) refs(ctx context.Context, s SubscriberID) ([]Ref, int64, error) {
	var refs []Ref
	item, err := a.Table.Get(ctx, subscriberKey(s), Strong)
	if errors.Is(err, ErrNotFound) {
		return nil, 0, nil
	}
	if err == nil {
		err = json.Unmarshal(item.Data, &refs)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read a subscriber: %w", err)
	}
	return refs, item.Version, nil
}

// listOp is the write of a subscriber's alerts over a version.
func listOp(s SubscriberID, refs []Ref, version int64) (Op, error) {
	data, err := json.Marshal(refs)
	op := Op{Mode: Replace, Item: Item{Key: subscriberKey(s), Version: version, Data: data}}
	switch {
	case version == 0:
		op.Mode = Create
	case len(refs) == 0:
		op.Mode = Remove
	}
	return op, err
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
	var ops []Op
	rest := slices.DeleteFunc(slices.Clone(refs), func(r Ref) bool {
		gone := len(which) == 0 || slices.Contains(which, r)
		if gone {
			ops = append(ops, Op{Mode: Delete, Item: Item{Key: alertKey(r, s)}})
		}
		return gone
	})
	if len(ops) == 0 {
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
	list, err := listOp(s, rest, version)
	if err == nil {
		err = a.Table.Write(ctx, slices.Concat(ops, digest, []Op{list})...)
	}
	if err != nil {
		return 0, fmt.Errorf("remove alerts: %w", err)
	}
	return len(ops), nil
}

// Stop deletes all alerts of a subscriber and records until when nothing is to
// be sent there: mail was refused for good, or somebody complained of it.
func (a Alerts) Stop(ctx context.Context, s SubscriberID, until time.Time) error {
	if err := a.Table.Write(ctx, Op{Mode: Set, Item: Item{Key: stoppedKey(s), Expires: until}}); err != nil {
		return fmt.Errorf("stop mail to a subscriber: %w", err)
	}
	_, err := a.Remove(ctx, s)
	return err
}

// Resume takes back that nothing is to be sent to a subscriber, who has asked for it just now by their own hand.
func (a Alerts) Resume(ctx context.Context, s SubscriberID) error {
	if err := a.Table.Write(ctx, Op{Mode: Delete, Item: Item{Key: stoppedKey(s)}}); err != nil {
		return fmt.Errorf("resume messages to a subscriber: %w", err)
	}
	return nil
}

// Stopped tells whether nothing is to be sent to a subscriber.
func (a Alerts) Stopped(ctx context.Context, s SubscriberID) (bool, error) {
	_, err := a.Table.Get(ctx, stoppedKey(s), Strong)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read whether mail is stopped: %w", err)
	}
	return true, nil
}

// Page gives the alerts for a route in a fixed order, after the Place of one; "" is before all. Fewer than limit means that there are no more.
// A malformed one has its place as well, with no more than whose it is, and is not Readable: the others are to be notified.
func (a Alerts) Page(ctx context.Context, route fare.Route, after string, limit int) ([]Alert, error) {
	items, err := a.Table.Query(ctx, Range{Partition: alertsOf(route), After: after, Limit: limit})
	if err != nil {
		return nil, fmt.Errorf("list alerts for %s: %w", route, err)
	}
	alerts := make([]Alert, len(items))
	for i, item := range items {
		if alerts[i], err = readAlert(item); err != nil {
			s, id, _ := strings.Cut(item.Sort, "#")
			alerts[i] = Alert{Subscriber: SubscriberID(s), ID: id, Route: route}
		}
	}
	return alerts, nil
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
	if err != nil {
		return fmt.Errorf("record that a subscriber was notified: %w", err)
	}
	return nil
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
	if err != nil {
		return changed, fmt.Errorf("change an alert: %w", err)
	}
	return changed, nil
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
	if err != nil {
		return fmt.Errorf("record what an alert has seen: %w", err)
	}
	return nil
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
	if err != nil {
		return fmt.Errorf("record what meets an alert: %w", err)
	}
	return nil
}

// change writes an alert over the version that was read, with a change that says
// whether there is one; where it was written meanwhile, it is made to what stands
// there then. One that was removed stays so.
func (a Alerts) change(ctx context.Context, alert Alert, change func(*Alert) bool) error {
	err := RetryConflicts(ctx, func() error {
		next := alert
		if !change(&next) {
			return nil
		}
		digest, err := a.digestWrites(ctx, alert, next)
		if err != nil {
			return err
		}
		data, err := json.Marshal(next)
		if err == nil {
			put := Op{Mode: Replace, Item: Item{Key: alertKey(next.Ref(), next.Subscriber), Version: next.version, Data: data}}
			err = a.Table.Write(ctx, append(digest, put)...)
		}
		if !errors.Is(err, ErrConflict) {
			return err
		}
		current, readErr := a.One(ctx, alert.Ref(), alert.Subscriber)
		if readErr != nil {
			return readErr
		}
		alert = current
		return err
	})
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
