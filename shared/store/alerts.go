package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"verdetto/shared/fare"
)

type Alerts struct {
	Table  Table
	Outbox Outbox
}

func subscriberKey(s SubscriberID) Key { return Key{"SUBSCRIBER#" + string(s), "ROUTES"} }
func stoppedKey(s SubscriberID) Key    { return Key{"STOPPED#" + string(s), "MARK"} }

func (a Alerts) refs(ctx context.Context, s SubscriberID) ([]Ref, int64, error) {
	refs, item, err := get[[]Ref](ctx, a.Table, subscriberKey(s), Strong)
	return refs, item.Version, wrap(unless(err, ErrNotFound), "read a subscriber")
}

func (w *writes) putRefs(s SubscriberID, refs []Ref, version int64) {
	op := replace(Item{Key: subscriberKey(s), Version: version})
	if version > 0 && len(refs) == 0 {
		op.Mode = Remove
	}
	w.addRecord(op, refs)
}

func (a Alerts) BySubscriber(ctx context.Context, s SubscriberID) ([]Alert, error) {
	refs, _, err := a.refs(ctx, s)
	if err != nil {
		return nil, err
	}
	var alerts []Alert
	for _, ref := range refs {
		switch alert, err := a.One(ctx, ref, s); {
		case errors.Is(err, ErrNotFound):
		case err != nil:
			return nil, err
		default:
			alerts = append(alerts, alert)
		}
	}
	return alerts, nil
}

func (a Alerts) One(ctx context.Context, ref Ref, s SubscriberID) (Alert, error) {
	item, err := a.Table.Get(ctx, alertKey(ref, s), Strong)
	if err != nil {
		return Alert{}, fmt.Errorf("read an alert: %w", err)
	}
	return readAlert(item)
}

// Remove without references deletes all alerts of the subscriber.
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
	// Only alerts with an ID can have webhooks.
	if len(rest) == 0 && slices.ContainsFunc(refs, func(r Ref) bool { return r.ID != "" }) {
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
	return removed, wrap(w.commit(ctx, a.Table), "remove alerts")
}

// Stop also deletes the subscriber's alerts.
func (a Alerts) Stop(ctx context.Context, s SubscriberID, until time.Time) error {
	if err := a.Table.Write(ctx, set(Item{Key: stoppedKey(s), Expires: until})); err != nil {
		return fmt.Errorf("stop mail to a subscriber: %w", err)
	}
	_, err := a.Remove(ctx, s)
	return err
}

func (a Alerts) Resume(ctx context.Context, s SubscriberID) error {
	return wrap(a.Table.Write(ctx, remove(stoppedKey(s))), "resume messages to a subscriber")
}

func (a Alerts) Stopped(ctx context.Context, s SubscriberID) (bool, error) {
	_, err := a.Table.Get(ctx, stoppedKey(s), Strong)
	return err == nil, wrap(unless(err, ErrNotFound), "read whether mail is stopped")
}

// If Page returns fewer alerts than limit, the route has no more. A malformed alert has only Subscriber, Route and ID.
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

// MarkNotified keeps the subscriber's concurrent changes, and does nothing if the alert was removed.
func (a Alerts) MarkNotified(ctx context.Context, alert Alert, found fare.Day, price fare.Cents) error {
	return a.markNotified(ctx, alert, found, func(s *State) { s.LastPrice = price })
}

func (a Alerts) MarkNotifiedOf(ctx context.Context, alert Alert, found fare.Day, destinations string) error {
	return a.markNotified(ctx, alert, found, func(s *State) { s.Met = destinations })
}

func (a Alerts) markNotified(ctx context.Context, alert Alert, found fare.Day, record func(*State)) error {
	// Fresh is cleared here and not in the function below, so that a concurrent change of the condition stays Fresh.
	alert.Fresh = false
	err := a.change(ctx, alert, func(next *Alert) {
		if next.Mailed < found || IsWrongDay(next.Mailed, found) {
			next.Mailed = found
			record(&next.State)
		}
	})
	return wrap(err, "record that a subscriber was notified")
}

// Change makes the alert Fresh if the condition changed.
func (a Alerts) Change(ctx context.Context, ref Ref, s SubscriberID, change func(*Alert)) (Alert, error) {
	changed, err := a.One(ctx, ref, s)
	if err != nil {
		return changed, err
	}
	err = a.change(ctx, changed, func(next *Alert) {
		before := next.condition()
		change(next)
		next.Fresh = next.Fresh || next.condition() != before
		changed = *next
	})
	return changed, wrap(err, "change an alert")
}

// MarkSeen has no effect on an alert whose State is not zero.
func (a Alerts) MarkSeen(ctx context.Context, alert Alert, price fare.Cents) error {
	err := a.change(ctx, alert, func(next *Alert) {
		if next.State == (State{}) {
			next.State.First = price
		}
	})
	return wrap(err, "record what an alert has seen")
}

// MarkMet does nothing if the stored alert is newer than the given one.
func (a Alerts) MarkMet(ctx context.Context, alert Alert, destinations string) error {
	err := a.change(ctx, alert, func(next *Alert) {
		if next.version == alert.version {
			next.State.Met = destinations
		}
	})
	return wrap(err, "record what meets an alert")
}

// After a conflict, change reads the alert again and retries. A removed alert stays removed.
func (a Alerts) change(ctx context.Context, alert Alert, change func(*Alert)) error {
	return rewrite(ctx, alert, func(read Alert) error {
		next := read
		if change(&next); next == read {
			return nil
		}
		digest, err := a.digestWrites(ctx, read, next)
		if err != nil {
			return err
		}
		w := writes{ops: digest}
		w.addRecord(Op{Mode: Replace, Item: Item{Key: alertKey(next.Ref(), next.Subscriber), Version: next.version}}, next)
		return w.commit(ctx, a.Table)
	}, func() (Alert, error) { return a.One(ctx, alert.Ref(), alert.Subscriber) })
}

const UntilResumed fare.Day = 2932896 // 9999-12-31

// If until is 0, Pause resumes the alert at once.
func (a Alerts) Pause(ctx context.Context, alert Alert, until fare.Day) error {
	err := a.change(ctx, alert, func(next *Alert) { next.Paused = until })
	return wrap(err, "pause an alert")
}

func (a Alerts) MarkOver(ctx context.Context, alert Alert, day fare.Day) error {
	err := a.change(ctx, alert, func(next *Alert) {
		if next.EndDay == 0 {
			next.EndDay = day
		}
	})
	return wrap(err, "record that an alert has ended")
}

// The caller must carry out the returned operations in the same write as the change of the alert.
func (a Alerts) digestWrites(ctx context.Context, before, after Alert) ([]Op, error) {
	switch {
	case before.Digest == after.Digest:
		return nil, nil
	case after.Digest:
		return a.beginDigest(ctx, after.Subscriber)
	}
	refs, _, err := a.refs(ctx, after.Subscriber)
	if err != nil {
		return nil, err
	}
	left := slices.DeleteFunc(refs, func(r Ref) bool { return r == after.Ref() })
	return a.endDigest(ctx, after.Subscriber, left)
}

// beginDigest returns a write even if the digest exists, so that a concurrent removal of the digest fails.
func (a Alerts) beginDigest(ctx context.Context, s SubscriberID) ([]Op, error) {
	item, err := a.Table.Get(ctx, digestKey(s), Strong)
	switch {
	case err == nil:
		return []Op{{Mode: Replace, Item: item}}, nil
	case !errors.Is(err, ErrNotFound):
		return nil, fmt.Errorf("read a digest: %w", err)
	}
	ops := []Op{{Mode: Create, Item: Item{Key: digestKey(s), Data: []byte("{}")}}}
	_, err = a.Table.Get(ctx, digestProgressKey, Strong)
	if errors.Is(err, ErrNotFound) {
		return append(ops, Op{Mode: Create, Item: Item{Key: digestProgressKey, Data: []byte("{}")}}), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read how far digests are sent: %w", err)
	}
	return ops, nil
}

// endDigest reads the digest before the alerts: if another alert joins the digest meanwhile, the digest gets a new
// version, and the removal fails.
func (a Alerts) endDigest(ctx context.Context, s SubscriberID, left []Ref) ([]Op, error) {
	item, err := a.Table.Get(ctx, digestKey(s), Strong)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read a digest: %w", err)
	}
	for _, ref := range left {
		switch alert, err := a.One(ctx, ref, s); {
		case errors.Is(err, ErrNotFound), errors.Is(err, ErrUnreadable):
		case err != nil:
			return nil, err
		case alert.Digest:
			return nil, nil
		}
	}
	return []Op{{Mode: Remove, Item: Item{Key: item.Key, Version: item.Version}}}, nil
}

func (a Alerts) RemoveDigest(ctx context.Context, s SubscriberID) (int, error) {
	alerts, err := a.BySubscriber(ctx, s)
	if err != nil {
		return 0, err
	}
	var which []Ref
	for _, alert := range alerts {
		if alert.Digest {
			which = append(which, alert.Ref())
		}
	}
	if len(which) == 0 { // Remove without references would delete all alerts
		return 0, nil
	}
	return a.Remove(ctx, s, which...)
}
