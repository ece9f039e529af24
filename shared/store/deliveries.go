package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

type Deliveries struct {
	Table  Table
	Outbox Outbox
}

type Delivery struct {
	ID         string       `json:"id"`
	Subscriber SubscriberID `json:"s"`
	Alert      string       `json:"a"`
	URL        string       `json:"u"`
	Body       []byte       `json:"b"` // empty for a test of the endpoint
	Last       bool         `json:"l,omitempty"`
	At         time.Time    `json:"at"` // time of queueing, or of the last replay
	Tries      int          `json:"n,omitempty"`
	Tried      time.Time    `json:"t,omitzero"`
	Status     int          `json:"st,omitempty"`
	Ended      time.Time    `json:"e,omitzero"`
	Delivered  bool         `json:"ok,omitempty"`

	version int64
	due     Item
}

const (
	DeliveryDays = 7
	duePartition = "DELIVERIES"
	eventPrefix  = "EVENT#"
	dueLayout    = "20060102T150405.000"
)

func webhookPartition(s SubscriberID) string { return "WEBHOOK#" + string(s) }
func (d Delivery) key() Key                  { return Key{webhookPartition(d.Subscriber), eventPrefix + d.ID} }

func (d Delivery) dueKey(at time.Time) Key {
	return Key{duePartition, at.UTC().Format(dueLayout) + "#" + string(d.Subscriber) + "#" + d.ID}
}

func (d Delivery) expires() time.Time { return d.At.AddDate(0, 0, DeliveryDays+1) }

var errTaken = ErrConflict

func (w Deliveries) write(ctx context.Context, d Delivery, jobs []Job, queue ...Op) error {
	var ops writes
	ops.addRecord(replace(Item{Key: d.key(), Version: d.version, Expires: d.expires()}), d)
	ops.add(queue...)
	ops.addJobs(w.Outbox, jobs...)
	return ops.commit(ctx, w.Table)
}

func (d Delivery) enqueue(at time.Time) Op {
	return replace(Item{Key: d.dueKey(at), Expires: d.expires()})
}

func (d Delivery) dequeue() Op { return Op{Mode: Remove, Item: d.due} }

// Enqueue does nothing if the delivery is already stored.
func (w Deliveries) Enqueue(ctx context.Context, d Delivery) error {
	return wrap(unless(w.write(ctx, d, nil, d.enqueue(d.At)), ErrExists), "leave a delivery")
}

// Take leases deliveries: other workers do not get them until the lease ends. Take may return both deliveries and an
// error.
func (w Deliveries) Take(ctx context.Context, most int, now time.Time, lease time.Duration) ([]Delivery, error) {
	items, err := w.Table.Query(ctx, Range{Partition: duePartition, Limit: 4 * most, Read: Strong})
	if err != nil {
		return nil, fmt.Errorf("look for deliveries: %w", err)
	}
	var taken []Delivery
	var faults []error
	for _, item := range items {
		at, rest, _ := strings.Cut(item.Sort, "#")
		if at > now.UTC().Format(dueLayout) || len(taken) == most {
			break
		}
		var until time.Time
		if len(item.Data) > 0 && (until.UnmarshalText(item.Data) == nil && now.Before(until)) {
			continue
		}
		if item.Data, err = now.Add(lease).UTC().MarshalText(); err != nil {
			return taken, fmt.Errorf("take a delivery: %w", err)
		}
		if w.Table.Write(ctx, Op{Mode: Replace, Item: item}) != nil {
			continue
		}
		item.Version++
		s, id, _ := strings.Cut(rest, "#")
		d, err := w.One(ctx, SubscriberID(s), id)
		d.due = item
		switch {
		case errors.Is(err, ErrNotFound), errors.Is(err, ErrUnreadable):
			// The delivery has expired, was deleted by Forget, or is malformed.
			err = w.Drop(ctx, d)
		case err == nil:
			taken = append(taken, d)
		}
		if err != nil {
			faults = append(faults, err)
		}
	}
	return taken, errors.Join(faults...)
}

func (w Deliveries) One(ctx context.Context, s SubscriberID, id string) (Delivery, error) {
	item, err := w.Table.Get(ctx, Delivery{Subscriber: s, ID: id}.key(), Strong)
	if err != nil {
		return Delivery{}, fmt.Errorf("read a delivery: %w", err)
	}
	return readDelivery(item)
}

func readDelivery(item Item) (Delivery, error) {
	d := Delivery{version: item.Version}
	if err := json.Unmarshal(item.Data, &d); err != nil {
		return Delivery{}, fmt.Errorf("read a delivery: %w: %w", ErrUnreadable, err)
	}
	return d, nil
}

// BySubscriber omits malformed deliveries.
func (w Deliveries) BySubscriber(ctx context.Context, s SubscriberID) ([]Delivery, error) {
	items, err := w.Table.Query(ctx, Range{Partition: webhookPartition(s), Prefix: eventPrefix, Read: Strong})
	if err != nil {
		return nil, fmt.Errorf("list deliveries: %w", err)
	}
	var all []Delivery
	for _, item := range items {
		if d, err := readDelivery(item); err == nil {
			all = append(all, d)
		}
	}
	return all, nil
}

func (w Deliveries) Postpone(ctx context.Context, d Delivery, to time.Time) error {
	err := w.write(ctx, d, nil, d.dequeue(), d.enqueue(to))
	return wrap(unless(err, errTaken), "postpone a delivery")
}

func (w Deliveries) End(ctx context.Context, d Delivery, jobs ...Job) error {
	return wrap(unless(w.write(ctx, d, jobs, d.dequeue()), errTaken), "end a delivery")
}

func (w Deliveries) Drop(ctx context.Context, d Delivery) error {
	ops := []Op{d.dequeue()}
	if d.ID != "" {
		ops = append(ops, remove(d.key()))
	}
	return wrap(unless(w.Table.Write(ctx, ops...), errTaken), "drop a delivery")
}

func (w Deliveries) Replay(
	ctx context.Context, s SubscriberID, now time.Time, wanted func(Delivery) bool,
) (replayed int, err error) {
	all, err := w.BySubscriber(ctx, s)
	if err != nil {
		return 0, err
	}
	for _, d := range all {
		if d.Ended.IsZero() || len(d.Body) == 0 || !wanted(d) {
			continue
		}
		d.At, d.Tries, d.Ended, d.Delivered = now, 0, time.Time{}, false
		err := w.write(ctx, d, nil, d.enqueue(now))
		if isConflict(err) {
			continue
		}
		if err != nil {
			return replayed, fmt.Errorf("replay a delivery: %w", err)
		}
		replayed++
	}
	return replayed, nil
}
