// Package webhook sends signed events to subscribers' endpoints (Standard Webhooks 1.0). A Carrier
// stores an event; a Worker delivers the event.
//
// An event is retried for up to 24 hours with the same webhook-id. An endpoint gets events only
// after it has accepted a signed test event.
package webhook

import (
	"context"
	"time"

	"verdetto/shared/notify"
	"verdetto/shared/store"
)

type Carrier struct {
	Deliveries store.Deliveries
	Now        func() time.Time
}

// Deliver does nothing if the event is already stored.
func (c Carrier) Deliver(ctx context.Context, to store.Alert, m notify.Message) error {
	now := c.Now()
	body, err := event(to, m, now)
	if err == nil {
		err = c.Deliveries.Enqueue(ctx, store.Delivery{ID: m.ID, Subscriber: to.Subscriber, Alert: to.Ref().String(),
			URL: to.Address, Body: body, Last: m.Ended, At: now})
	}
	return err
}

// Test returns a delivery without a Body, because the worker writes the body of a test event.
func Test(alert store.Alert, name string, now time.Time) store.Delivery {
	return store.Delivery{ID: "test-" + name, Subscriber: alert.Subscriber, Alert: alert.Ref().String(), URL: alert.Address,
		At: now}
}

const rotationTime = 24 * time.Hour

func (s Secrets) Current(subscriber store.SubscriberID, e store.Endpoint, now time.Time) []string {
	secrets := []string{s.Secret(subscriber, e.URL, e.Generation)}
	if e.Generation > 0 && now.Before(e.Rotated.Add(rotationTime)) {
		secrets = append(secrets, s.Secret(subscriber, e.URL, e.Generation-1))
	}
	return secrets
}

// For 24 hours after Rotate, events are signed with the previous secret too.
func (s Secrets) Rotate(ctx context.Context, d store.Deliveries, subscriber store.SubscriberID, url string,
	now time.Time) (string, error) {
	e, err := d.ChangeEndpoint(ctx, subscriber, url, now, func(e *store.Endpoint) bool {
		e.Generation, e.Rotated = e.Generation+1, now
		return true
	})
	return s.Secret(subscriber, url, e.Generation), err
}
