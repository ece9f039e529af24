package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

const MaxAlerts = 20

var (
	ErrUsed    = errors.New("confirmed before")
	ErrTooMany = errors.New("too many alerts")
	ErrStopped = errors.New("mail is stopped")
)

func pendingKey(id string) Key { return Key{"PENDING#" + id, "ALERT"} }

// AddPending does the same for known and unknown subscribers, so that callers cannot find out who has alerts.
func (a Alerts) AddPending(ctx context.Context, id string, pending Alert, expires time.Time, jobs ...Job) error {
	var w writes
	w.addRecord(replace(Item{Key: pendingKey(id), Expires: expires}), pending)
	w.addJobs(a.Outbox, jobs...)
	return wrap(w.commit(ctx, a.Table), "store pending subscription")
}

// Pending fails with ErrUsed if the alert was confirmed, until the pending alert expires.
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

// A second Confirm with the same id fails with ErrUsed or, after the expiry, with ErrNotFound. An existing alert keeps
// the day of the last message, so that a new subscription to the same condition does not repeat that message.
func (a Alerts) Confirm(ctx context.Context, id string) (Alert, error) {
	return a.confirmFor(ctx, id, func(*Alert) {})
}

// ConfirmAs is for an alert that was requested without a subscriber.
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
	previous, err := a.One(ctx, alert.Ref(), alert.Subscriber)
	switch {
	case err == nil:
		// A sender may change Mailed and State meanwhile, so the write below requires previous.version.
		alert.Mailed, alert.Fresh = previous.Mailed, previous.Fresh || previous.condition() != alert.condition()
		alert.State, alert.Since = previous.State, previous.Since
	case !errors.Is(err, ErrNotFound):
		return alert, err
	}
	digest, err := a.digestWrites(ctx, previous, alert)
	if err != nil {
		return alert, fmt.Errorf("confirm an alert: %w", err)
	}
	pending.Data = nil
	w := writes{ops: []Op{
		{Mode: Replace, Item: pending},
		// A concurrent Stop, which writes this mark first and then reads the alerts, would miss the new alert.
		{Mode: Check, Item: Item{Key: stoppedKey(alert.Subscriber)}},
	}}
	w.putRefs(alert.Subscriber, refs, version)
	w.addRecord(replace(Item{Key: alertKey(alert.Ref(), alert.Subscriber), Version: previous.version}), alert)
	w.add(alert.marks()...)
	w.add(digest...)
	return alert, wrap(w.commit(ctx, a.Table), "confirm an alert")
}
