package store

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"
)

// Endpoint is where a subscriber has events of alerts delivered to. All alerts of
// the subscriber to one URL share it.
type Endpoint struct {
	URL        string    `json:"u"`
	Generation int       `json:"g,omitempty"` // how often its secret was changed
	Rotated    time.Time `json:"r,omitzero"`  // the last time
	Verified   bool      `json:"v,omitempty"` // it has taken an event
	Dead       bool      `json:"x,omitempty"` // it was given up, and its owner was told
	Answered   time.Time `json:"a,omitzero"`  // when it was verified last

	version int64
}

// Known tells whether anything is stored of the endpoint.
func (e Endpoint) Known() bool { return e.version > 0 }

// endpointDays is how long an endpoint of which nothing was heard is kept, should
// it not be forgotten with its subscriber.
const endpointDays = 400

func endpointKey(s SubscriberID, url string) Key {
	sum := sha256.Sum256([]byte(url))
	return Key{webhookPartition(s), "ENDPOINT#" + base64.RawURLEncoding.EncodeToString(sum[:12])}
}

// Endpoint gives an endpoint of a subscriber; one of which nothing is stored is not Known.
func (w Deliveries) Endpoint(ctx context.Context, s SubscriberID, url string) (Endpoint, error) {
	e, item, err := get[Endpoint](ctx, w.Table, endpointKey(s, url), Strong)
	if errors.Is(err, ErrNotFound) {
		return Endpoint{URL: url}, nil
	}
	e.version = item.Version
	return e, wrap(err, "read an endpoint")
}

// ChangeEndpoint stores a change of an endpoint as it stands at a moment, and jobs
// together with it; both or neither. change says whether there is one to store, and may be called again.
func (w Deliveries) ChangeEndpoint(
	ctx context.Context, s SubscriberID, url string, now time.Time, change func(*Endpoint) bool, jobs ...Job,
) (Endpoint, error) {
	var e Endpoint
	err := RetryConflicts(ctx, func() (err error) {
		if e, err = w.Endpoint(ctx, s, url); err != nil || !change(&e) {
			return err
		}
		var ops writes
		ops.put(over(Item{Key: endpointKey(s, url), Version: e.version, Expires: now.AddDate(0, 0, endpointDays)}), e)
		ops.leave(w.Outbox, jobs...)
		if err = ops.to(ctx, w.Table); err == nil {
			e.version++
		}
		return err
	})
	return e, wrap(err, "change an endpoint")
}

// Forget deletes all that is kept of a subscriber's endpoints and deliveries. What is in the queue
// finds nothing to deliver.
func (w Deliveries) Forget(ctx context.Context, s SubscriberID) error {
	items, err := w.Table.Query(ctx, Range{Partition: webhookPartition(s), Read: Strong})
	ops := writes{err: err}
	for _, item := range items {
		ops.add(remove(item.Key))
	}
	return wrap(ops.inTurn(ctx, w.Table), "forget the endpoints of a subscriber")
}
