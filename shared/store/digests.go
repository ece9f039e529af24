package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"verdetto/shared/fare"
)

// Digests stores which subscribers receive a weekly mail (a digest), and up to which subscriber the
// digests were sent (partitions: DIGESTS). A subscriber has a digest exactly while at least one
// alert has Digest set: the write of the alert also creates or removes the digest.
type Digests struct{ Table Table }

// Digest is the stored state of the weekly mail to a subscriber.
type Digest struct {
	Subscriber SubscriberID          `json:"-"`
	Day        fare.Day              `json:"d,omitempty"` // of the last digest; 0: none sent
	Prices     map[string]fare.Cents `json:"t,omitempty"` // last notified price by Ref

	version int64
}

type DigestProgress struct {
	Day    fare.Day `json:"d,omitempty"` // all digests up to this day were sent; 0: none
	Cursor string   `json:"c,omitempty"` // digests of the next day were sent up to this subscriber

	version int64
}

// DigestWeekday returns the day of the week on which a subscriber gets the digest. It is computed
// from the pseudonym, so it needs no storage and spreads subscribers evenly over the week.
func DigestWeekday(s SubscriberID) time.Weekday {
	sum := sha256.Sum256([]byte("digest\x00" + string(s)))
	return time.Weekday(binary.BigEndian.Uint64(sum[:]) % 7)
}

const digestsPartition = "DIGESTS"

func digestsOf(day time.Weekday) string { return digestsPartition + "#" + strconv.Itoa(int(day)) }

func digestKey(s SubscriberID) Key { return Key{digestsOf(DigestWeekday(s)), string(s)} }

var digestProgressKey = Key{digestsPartition, "PROGRESS"}

// Page returns at most limit digests of a day of the week after the given subscriber, in order of
// subscriber. If it returns fewer than limit, there are no more.
func (w Digests) Page(ctx context.Context, day time.Weekday, after string, limit int) ([]Digest, error) {
	r := Range{Partition: digestsOf(day), After: after, Limit: limit, Read: Strong}
	digests, err := list(ctx, w.Table, r, func(item Item) (Digest, error) { return readDigest(item), nil })
	return digests, wrap(err, "list digests")
}

// readDigest treats a malformed digest as never sent; the next send overwrites it.
func readDigest(item Item) Digest {
	var d Digest
	if json.Unmarshal(item.Data, &d) != nil {
		d = Digest{}
	}
	d.Subscriber, d.version = SubscriberID(item.Sort), item.Version
	return d
}

// Digest returns the digest of a subscriber, or ErrNotFound.
func (w Digests) Digest(ctx context.Context, s SubscriberID) (Digest, error) {
	item, err := w.Table.Get(ctx, digestKey(s), Strong)
	if err != nil {
		return Digest{}, fmt.Errorf("read a digest: %w", err)
	}
	return readDigest(item), nil
}

// MarkSent records that the digest of a day was sent, and the prices in it. It keeps concurrent
// changes, and does nothing if the digest was removed.
func (w Digests) MarkSent(ctx context.Context, d Digest, day fare.Day, told map[string]fare.Cents) error {
	err := rewrite(ctx, d, func(read Digest) error {
		if read.Day >= day {
			return nil
		}
		read.Day, read.Prices = day, told
		op := Op{Mode: Replace, Item: Item{Key: digestKey(d.Subscriber), Version: read.version}}
		return write(ctx, w.Table, op, read)
	}, func() (Digest, error) { return w.Digest(ctx, d.Subscriber) })
	return wrap(err, "record that a digest was sent")
}

// Progress returns up to which day and subscriber the digests were sent, or ErrNotFound if there
// was never a digest.
func (w Digests) Progress(ctx context.Context) (DigestProgress, error) {
	item, err := w.Table.Get(ctx, digestProgressKey, Strong)
	if err != nil {
		return DigestProgress{}, fmt.Errorf("read how far digests are sent: %w", err)
	}
	var p DigestProgress
	if json.Unmarshal(item.Data, &p) != nil {
		p = DigestProgress{} // starts over; each digest records its own last day
	}
	p.version = item.Version
	return p, nil
}

// Advance records up to which day and subscriber the digests were sent. It fails with ErrConflict
// if another process has recorded progress since p was read.
func (w Digests) Advance(ctx context.Context, p *DigestProgress, day fare.Day, cursor string) error {
	next := DigestProgress{Day: day, Cursor: cursor, version: p.version}
	op := Op{Mode: Replace, Item: Item{Key: digestProgressKey, Version: p.version}}
	if err := write(ctx, w.Table, op, next); err != nil {
		return fmt.Errorf("record how far digests are sent: %w", err)
	}
	next.version++
	*p = next
	return nil
}

// digestWrites returns the writes that create or remove a subscriber's digest when an alert
// changes, to be added to the write of the alert.
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

// beginDigest rewrites a digest that exists, so that its concurrent removal fails with a conflict.
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
	if errors.Is(err, ErrNotFound) { // the first digest of all
		return append(ops, Op{Mode: Create, Item: Item{Key: digestProgressKey, Data: []byte("{}")}}), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read how far digests are sent: %w", err)
	}
	return ops, nil
}

// endDigest returns no writes if one of the remaining alerts has Digest set. It reads the digest
// before the alerts: if an alert gets Digest after that, beginDigest rewrites the digest, so the
// removal fails.
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
		case errors.Is(err, ErrNotFound), errors.Is(err, ErrUnreadable): // in no digest
		case err != nil:
			return nil, err
		case alert.Digest:
			return nil, nil
		}
	}
	return []Op{{Mode: Remove, Item: Item{Key: item.Key, Version: item.Version}}}, nil
}

// RemoveDigest deletes all alerts in the weekly mail of a subscriber and returns their number.
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

// MayDigest reports whether the weekly mail can include the alert: it must be by mail and not to
// Anywhere.
func (a Alert) MayDigest() bool { return a.Channel == "" && a.Route.Destination != Anywhere }
