// Package webhook delivers what alerts tell to endpoints of their subscribers, as signed events
// (Standard Webhooks 1.0). A Carrier stores an event, in one write; a Worker delivers it.
//
// An event is tried for a day, under one webhook-id. Only public addresses are reached (package
// outbound), and no event goes to an endpoint that has not answered a signed test. An endpoint that
// is slow or down delays its own events alone; of one that is given up its owner hears by one mail.
package webhook

import (
	"context"
	"time"

	"verdetto/shared/notify"
	"verdetto/shared/store"
)

// Carrier stores what alerts tell, for a Worker to deliver. It is a notify.Carrier.
type Carrier struct {
	Deliveries store.Deliveries
	Now        func() time.Time
}

// Deliver stores the event of a message. The same message again is the same event.
func (c Carrier) Deliver(ctx context.Context, to store.Alert, m notify.Message) error {
	now := c.Now()
	body, err := event(to, m, now)
	if err == nil {
		err = c.Deliveries.Leave(ctx, store.Delivery{ID: m.ID, Subscriber: to.Subscriber, Alert: to.Ref().String(),
			URL: to.Address, Body: body, Last: m.Ended, At: now})
	}
	return err
}

// Test is the delivery of a test event to the endpoint of an alert: nothing is told, and the
// endpoint is asked whether it answers.
func Test(of store.Alert, name string, now time.Time) store.Delivery {
	return store.Delivery{ID: "test-" + name, Subscriber: of.Subscriber, Alert: of.Ref().String(), URL: of.Address,
		At: now}
}

const rotationTime = 24 * time.Hour

// Current are the secrets that an endpoint's events are signed with at a moment, the newest first.
func (s Secrets) Current(subscriber store.SubscriberID, e store.Endpoint, now time.Time) []string {
	secrets := []string{s.Of(subscriber, e.URL, e.Generation)}
	if e.Generation > 0 && now.Before(e.Rotated.Add(rotationTime)) {
		secrets = append(secrets, s.Of(subscriber, e.URL, e.Generation-1))
	}
	return secrets
}

// Rotate changes the secret of an endpoint and gives the new one. The one before signs along for a day.
func (s Secrets) Rotate(ctx context.Context, d store.Deliveries, subscriber store.SubscriberID, url string,
	now time.Time) (string, error) {
	e, err := d.ChangeEndpoint(ctx, subscriber, url, now, func(e *store.Endpoint) bool {
		e.Generation, e.Rotated = e.Generation+1, now
		return true
	})
	return s.Of(subscriber, url, e.Generation), err
}
