package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"verdetto/shared/fare"
)

// Alerts creates and removes digests, in the same write as the change of an alert.
type Digests struct{ Table Table }

type Digest struct {
	Subscriber SubscriberID          `json:"-"`
	Day        fare.Day              `json:"d,omitempty"`
	Prices     map[string]fare.Cents `json:"t,omitempty"`

	version int64
}

type DigestProgress struct {
	Day    fare.Day `json:"d,omitempty"` // the last day whose digests are done; 0 means none
	Cursor string   `json:"c,omitempty"` // the digests of the day after Day are done up to this subscriber

	version int64
}

// Stored keys contain the weekday, so DigestWeekday must not change.
func DigestWeekday(s SubscriberID) time.Weekday {
	sum := sha256.Sum256([]byte("digest\x00" + string(s)))
	return time.Weekday(binary.BigEndian.Uint64(sum[:]) % 7)
}

const digestsPartition = "DIGESTS"

func digestsOf(day time.Weekday) string { return digestsPartition + "#" + strconv.Itoa(int(day)) }

func digestKey(s SubscriberID) Key { return Key{digestsOf(DigestWeekday(s)), string(s)} }

var digestProgressKey = Key{digestsPartition, "PROGRESS"}

// If Page returns fewer digests than limit, the day has no more.
func (w Digests) Page(ctx context.Context, day time.Weekday, after string, limit int) ([]Digest, error) {
	r := Range{Partition: digestsOf(day), After: after, Limit: limit, Read: Strong}
	digests, err := list(ctx, w.Table, r, func(item Item) (Digest, error) { return readDigest(item), nil })
	return digests, wrap(err, "list digests")
}

// readDigest treats a malformed digest as never sent.
func readDigest(item Item) Digest {
	var d Digest
	if json.Unmarshal(item.Data, &d) != nil {
		d = Digest{}
	}
	d.Subscriber, d.version = SubscriberID(item.Sort), item.Version
	return d
}

func (w Digests) Digest(ctx context.Context, s SubscriberID) (Digest, error) {
	item, err := w.Table.Get(ctx, digestKey(s), Strong)
	if err != nil {
		return Digest{}, fmt.Errorf("read a digest: %w", err)
	}
	return readDigest(item), nil
}

// MarkSent does nothing if the digest was removed.
func (w Digests) MarkSent(ctx context.Context, d Digest, day fare.Day, prices map[string]fare.Cents) error {
	err := rewrite(ctx, d, func(read Digest) error {
		if read.Day >= day {
			return nil
		}
		read.Day, read.Prices = day, prices
		op := Op{Mode: Replace, Item: Item{Key: digestKey(d.Subscriber), Version: read.version}}
		return write(ctx, w.Table, op, read)
	}, func() (Digest, error) { return w.Digest(ctx, d.Subscriber) })
	return wrap(err, "record that a digest was sent")
}

// Progress fails with ErrNotFound if there was never a digest.
func (w Digests) Progress(ctx context.Context) (DigestProgress, error) {
	item, err := w.Table.Get(ctx, digestProgressKey, Strong)
	if err != nil {
		return DigestProgress{}, fmt.Errorf("read how far digests are sent: %w", err)
	}
	var p DigestProgress
	if json.Unmarshal(item.Data, &p) != nil {
		p = DigestProgress{}
	}
	p.version = item.Version
	return p, nil
}

// Advance fails with ErrConflict if another process has recorded progress since p was read.
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
