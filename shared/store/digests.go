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

// Digests stores who is told once a week of all that they watch so, and how far
// the digests are sent (keys: DIGESTS). A subscriber has one as long as they have
// an alert with Digest: whoever writes the first such alert, or removes the last,
// writes it in the same transaction.
type Digests struct{ Table Table }

// Digest is what is kept of the digests of a subscriber.
type Digest struct {
	Subscriber SubscriberID          `json:"-"`
	Day        fare.Day              `json:"d,omitempty"` // that the last one was of; 0: none was sent
	Told       map[string]fare.Cents `json:"t,omitempty"` // the price last told of each alert, by its Ref

	version int64
}

// DigestProgress says how far the digests are sent.
type DigestProgress struct {
	Day    fare.Day `json:"d,omitempty"` // those of all days up to it are sent; 0: none was ever due
	Cursor string   `json:"c,omitempty"` // and those of the day after it up to that of this subscriber

	version int64
}

// DigestWeekday is the day of the week on which a subscriber has a digest, always
// the same. It follows from the pseudonym: the days are as full as each other, and
// nothing has to be kept to know it.
func DigestWeekday(s SubscriberID) time.Weekday {
	sum := sha256.Sum256([]byte("digest\x00" + string(s)))
	return time.Weekday(binary.BigEndian.Uint64(sum[:]) % 7)
}

const digestsPartition = "DIGESTS"

func digestsOf(day time.Weekday) string { return digestsPartition + "#" + strconv.Itoa(int(day)) }

func digestKey(s SubscriberID) Key { return Key{digestsOf(DigestWeekday(s)), string(s)} }

var digestProgressKey = Key{digestsPartition, "PROGRESS"}

// Page gives the digests of a day of the week in a fixed order, after that of a subscriber; "" is
// before all. Fewer than limit mean that there are no more.
func (w Digests) Page(ctx context.Context, day time.Weekday, after string, limit int) ([]Digest, error) {
	r := Range{Partition: digestsOf(day), After: after, Limit: limit, Read: Strong}
	digests, err := list(ctx, w.Table, r, func(item Item) (Digest, error) { return readDigest(item), nil })
	return digests, wrap(err, "list digests")
}

// readDigest reads one. A malformed one is as if none had been sent: the next is written over it.
func readDigest(item Item) Digest {
	var d Digest
	if json.Unmarshal(item.Data, &d) != nil {
		d = Digest{}
	}
	d.Subscriber, d.version = SubscriberID(item.Sort), item.Version
	return d
}

// Of gives the digest of a subscriber, or ErrNotFound.
func (w Digests) Of(ctx context.Context, s SubscriberID) (Digest, error) {
	item, err := w.Table.Get(ctx, digestKey(s), Strong)
	if err != nil {
		return Digest{}, fmt.Errorf("read a digest: %w", err)
	}
	return readDigest(item), nil
}

// MarkSent records that the digest of a day was sent, and the prices that it told,
// also where alerts came to it or went meanwhile. One that was removed stays so,
// and that is no error.
func (w Digests) MarkSent(ctx context.Context, d Digest, day fare.Day, told map[string]fare.Cents) error {
	err := rewrite(ctx, d, func(read Digest) error {
		if read.Day >= day {
			return nil
		}
		read.Day, read.Told = day, told
		op := Op{Mode: Replace, Item: Item{Key: digestKey(d.Subscriber), Version: read.version}}
		return write(ctx, w.Table, op, read)
	}, func() (Digest, error) { return w.Of(ctx, d.Subscriber) })
	return wrap(err, "record that a digest was sent")
}

// Progress says how far the digests are sent; ErrNotFound where nobody ever had one.
func (w Digests) Progress(ctx context.Context) (DigestProgress, error) {
	item, err := w.Table.Get(ctx, digestProgressKey, Strong)
	if err != nil {
		return DigestProgress{}, fmt.Errorf("read how far digests are sent: %w", err)
	}
	var p DigestProgress
	if json.Unmarshal(item.Data, &p) != nil {
		p = DigestProgress{} // it begins again; what was sent is kept with each
	}
	p.version = item.Version
	return p, nil
}

// Advance records how far the digests are sent over what was read. ErrConflict: somebody else has sent some.
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

// digestWrites are the writes that go with one that changes an alert, or makes it
// of none: its subscriber has a digest after it, or none any more.
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

// beginDigest are the writes by which a subscriber has a digest. One that is there
// is written as it is: whoever is about to remove it finds it changed.
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
	if errors.Is(err, ErrNotFound) { // it is the first of all
		return append(ops, Op{Mode: Create, Item: Item{Key: digestProgressKey, Data: []byte("{}")}}), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read how far digests are sent: %w", err)
	}
	return ops, nil
}

// endDigest are the writes that remove the digest of a subscriber who has only the
// alerts named, where none of those is told by it. It is read before they are: where
// one comes to be told by it meanwhile, it is written anew, and these writes fail.
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
		case errors.Is(err, ErrNotFound), errors.Is(err, ErrUnreadable): // no digest tells of it
		case err != nil:
			return nil, err
		case alert.Digest:
			return nil, nil
		}
	}
	return []Op{{Mode: Remove, Item: Item{Key: item.Key, Version: item.Version}}}, nil
}

// RemoveDigest deletes all alerts of a subscriber that a digest tells of, and says how many there were.
func (a Alerts) RemoveDigest(ctx context.Context, s SubscriberID) (int, error) {
	alerts, err := a.Of(ctx, s)
	if err != nil {
		return 0, err
	}
	var which []Ref
	for _, alert := range alerts {
		if alert.Digest {
			which = append(which, alert.Ref())
		}
	}
	if len(which) == 0 { // naming none would remove all
		return 0, nil
	}
	return a.Remove(ctx, s, which...)
}

// MayDigest tells whether a digest can tell of an alert: of one by mail, and to a city.
func (a Alert) MayDigest() bool { return a.Channel == "" && a.Route.Destination != Anywhere }
