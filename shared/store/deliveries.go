package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Deliveries stores what is to be delivered to endpoints of webhooks, for some days
// what became of it, and how the endpoints are (keys: WEBHOOK, DELIVERIES). Each that is not ended has
// one place in the queue, at the time when it is due; it is written together with
// what has become of the delivery, so that none is lost and none is queued twice.
type Deliveries struct {
	Table  Table
	Outbox Outbox // of the mails that say that an endpoint is dead
}

// Delivery is an event on its way to an endpoint.
type Delivery struct {
	ID         string       `json:"id"` // the same for the same event, however often it is tried
	Subscriber SubscriberID `json:"s"`
	Alert      string       `json:"a"` // which of the subscriber's, as its links name it
	URL        string       `json:"u"`
	Body       []byte       `json:"b"`           // none: it only asks whether the endpoint answers
	Last       bool         `json:"l,omitempty"` // it says that its alert has ended, which is removed with it
	At         time.Time    `json:"at"`          // when it was left, or left again
	Tries      int          `json:"n,omitempty"` // since At
	Tried      time.Time    `json:"t,omitzero"`  // the last time
	Status     int          `json:"st,omitempty"`
	Ended      time.Time    `json:"e,omitzero"` // delivered, or given up
	Delivered  bool         `json:"ok,omitempty"`

	version int64
	due     Item // its place in the queue, where it was taken
}

const (
	// DeliveryDays is how long a delivery is kept, so that it can be delivered again.
	DeliveryDays = 7
	duePartition = "DELIVERIES"
	eventPrefix  = "EVENT#"
	dueLayout    = "20060102T150405.000"
)

func webhookPartition(s SubscriberID) string { return "WEBHOOK#" + string(s) }
func (d Delivery) key() Key                  { return Key{webhookPartition(d.Subscriber), eventPrefix + d.ID} }

// dueKey is a place in the queue. A subscriber has no # in it.
func (d Delivery) dueKey(at time.Time) Key {
	return Key{duePartition, at.UTC().Format(dueLayout) + "#" + string(d.Subscriber) + "#" + d.ID}
}

// expires is when what is stored of a delivery goes: it is tried for a day, and can be replayed for some more.
func (d Delivery) expires() time.Time { return d.At.AddDate(0, 0, DeliveryDays+1) }

// errTaken: another worker has taken the delivery meanwhile, and says what became of it.
var errTaken = ErrConflict

// write stores a delivery over the version that was read, together with jobs and writes of the queue.
func (w Deliveries) write(ctx context.Context, d Delivery, jobs []Job, queue ...Op) error {
	var ops writes
	ops.put(over(Item{Key: d.key(), Version: d.version, Expires: d.expires()}), d)
	ops.add(queue...)
	ops.leave(w.Outbox, jobs...)
	return ops.to(ctx, w.Table)
}

// enqueue returns the write of a place in the queue.
func (d Delivery) enqueue(at time.Time) Op {
	return over(Item{Key: d.dueKey(at), Expires: d.expires()})
}

// dequeue returns the write that removes the place of a delivery that was taken.
func (d Delivery) dequeue() Op { return Op{Mode: Remove, Item: d.due} }

// Leave stores a delivery that is due at once. One that was left before stays as it is.
func (w Deliveries) Leave(ctx context.Context, d Delivery) error {
	return wrap(unless(w.write(ctx, d, nil, d.enqueue(d.At)), ErrExists), "leave a delivery")
}

// Take gives the deliveries that have been due the longest and nobody has taken,
// each leased to the caller for a while: what has not gone on by then is taken
// again. An error does not mean that there are none.
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
			continue // somebody has it
		}
		if item.Data, err = now.Add(lease).UTC().MarshalText(); err != nil {
			return taken, fmt.Errorf("take a delivery: %w", err)
		}
		if w.Table.Write(ctx, Op{Mode: Replace, Item: item}) != nil {
			continue // somebody else was first, or it comes round again
		}
		item.Version++
		s, id, _ := strings.Cut(rest, "#")
		d, err := w.One(ctx, SubscriberID(s), id)
		d.due = item
		switch {
		case errors.Is(err, ErrNotFound), errors.Is(err, ErrUnreadable):
			// It has expired, or was forgotten with the subscriber: nothing is left to do.
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

// One gives a delivery as it stands now, or ErrNotFound.
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

// Of lists what is kept of a subscriber's deliveries, in the order of their IDs. One that is malformed is left out.
func (w Deliveries) Of(ctx context.Context, s SubscriberID) ([]Delivery, error) {
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

// Postpone gives a delivery that was taken a later place in the queue, with what has become of it so far.
func (w Deliveries) Postpone(ctx context.Context, d Delivery, to time.Time) error {
	err := w.write(ctx, d, nil, d.dequeue(), d.enqueue(to))
	return wrap(unless(err, errTaken), "postpone a delivery")
}

// End records what became of a delivery that was taken, and leaves jobs together with that.
func (w Deliveries) End(ctx context.Context, d Delivery, jobs ...Job) error {
	return wrap(unless(w.write(ctx, d, jobs, d.dequeue()), errTaken), "end a delivery")
}

// Drop takes a delivery out of the queue and forgets it: whoever had it sent has ended the alert.
func (w Deliveries) Drop(ctx context.Context, d Delivery) error {
	ops := []Op{d.dequeue()}
	if d.ID != "" {
		ops = append(ops, remove(d.key()))
	}
	return wrap(unless(w.Table.Write(ctx, ops...), errTaken), "drop a delivery")
}

// Replay has deliveries of a subscriber that have ended delivered once more, as the
// same events, where wanted says so, and tells how many there were.
func (w Deliveries) Replay(
	ctx context.Context, s SubscriberID, now time.Time, wanted func(Delivery) bool,
) (replayed int, err error) {
	all, err := w.Of(ctx, s)
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
			continue // it was replayed just now
		}
		if err != nil {
			return replayed, fmt.Errorf("replay a delivery: %w", err)
		}
		replayed++
	}
	return replayed, nil
}
