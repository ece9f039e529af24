package store

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"
)

// A subscriber's alerts to the same URL share an Endpoint.
type Endpoint struct {
	URL        string    `json:"u"`
	Generation int       `json:"g,omitempty"`
	Rotated    time.Time `json:"r,omitzero"`
	Verified   bool      `json:"v,omitempty"`
	Dead       bool      `json:"x,omitempty"`
	Answered   time.Time `json:"a,omitzero"` // time of the last success, accurate to an hour

	version int64
}

func (e Endpoint) Known() bool { return e.version > 0 }

const endpointDays = 400

func endpointKey(s SubscriberID, url string) Key {
	sum := sha256.Sum256([]byte(url))
	return Key{webhookPartition(s), "ENDPOINT#" + base64.RawURLEncoding.EncodeToString(sum[:12])}
}

func (w Deliveries) Endpoint(ctx context.Context, s SubscriberID, url string) (Endpoint, error) {
	e, item, err := get[Endpoint](ctx, w.Table, endpointKey(s, url), Strong)
	if errors.Is(err, ErrNotFound) {
		return Endpoint{URL: url}, nil
	}
	e.version = item.Version
	return e, wrap(err, "read an endpoint")
}

// ChangeEndpoint may call change several times. If change returns false, nothing is written.
func (w Deliveries) ChangeEndpoint(
	ctx context.Context, s SubscriberID, url string, now time.Time, change func(*Endpoint) bool, jobs ...Job,
) (Endpoint, error) {
	var e Endpoint
	err := RetryConflicts(ctx, func() (err error) {
		if e, err = w.Endpoint(ctx, s, url); err != nil || !change(&e) {
			return err
		}
		var ops writes
		ops.addRecord(replace(Item{Key: endpointKey(s, url), Version: e.version, Expires: now.AddDate(0, 0, endpointDays)}), e)
		ops.addJobs(w.Outbox, jobs...)
		if err = ops.commit(ctx, w.Table); err == nil {
			e.version++
		}
		return err
	})
	return e, wrap(err, "change an endpoint")
}

// Forget leaves the queue items of deliveries, which Take removes later.
func (w Deliveries) Forget(ctx context.Context, s SubscriberID) error {
	items, err := w.Table.Query(ctx, Range{Partition: webhookPartition(s), Read: Strong})
	ops := writes{err: err}
	for _, item := range items {
		ops.add(remove(item.Key))
	}
	return wrap(ops.inTurn(ctx, w.Table), "forget the endpoints of a subscriber")
}
