package notify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/store"
)

const (
	tries      = 6
	firstPause = time.Second // and twice as long each time
	// maxInARow of a channel postponed, or refused, without one that was sent between them: the
	// carrier or we are at fault, not they, who have all had messages from us before.
	maxInARow = 5
)

// parcel is one message to one subscriber.
type parcel struct {
	to     store.SubscriberID
	hand   func(context.Context) error // gives it to the carrier
	settle func(context.Context) error // keeps that it was sent
}

// deliver notifies one subscriber of a look; without one, that the alert has ended.
func (r *run) deliver(ctx context.Context, n *look, listed store.Alert) (settled bool, err error) {
	by := r.channel(carriedBy(n, listed))
	return r.carry(ctx, by, listed.Route.String(), func() (*parcel, error) {
		a, due, err := r.due(ctx, n, listed)
		if err != nil || !due {
			return nil, err
		}
		return &parcel{
			to:     a.Subscriber,
			hand:   func(ctx context.Context) error { return r.hand(ctx, n, a) },
			settle: func(ctx context.Context) error { return r.settle(ctx, n, a) },
		}, nil
	})
}

// carry sends a message by a channel, as current gives it when its turn has come; nil: there is
// none to be sent any more. It is not settled where neither the message was
// sent nor is there a reason not to; an error stops everything.
func (r *run) carry(ctx context.Context, by *channel, about string,
	current func() (*parcel, error)) (settled bool, err error) {
	for try := range tries {
		if err := by.pace.wait(ctx); err != nil {
			return false, context.Cause(ctx)
		}
		if r.closed(by) {
			return false, nil
		}
		if err := r.hold(ctx); err != nil {
			return false, err
		}
		p, err := current()
		if err != nil || p == nil {
			return err == nil, err
		}
		switch outcome, err := r.send(ctx, by, about, p); outcome {
		case again:
			by.pace.hold(firstPause << try)
		case later:
			return false, nil
		default:
			return err == nil, err
		}
	}
	r.postponed(ctx, by, about)
	return false, nil
}

// due gives an alert as it stands now, and whether its subscriber is still to be
// notified: it may have been changed, removed or notified since the page was read.
func (r *run) due(ctx context.Context, n *look, listed store.Alert) (a store.Alert, due bool, err error) {
	a, err = r.Alerts.One(ctx, listed.Ref(), listed.Subscriber)
	if errors.Is(err, store.ErrNotFound) {
		return a, false, nil
	}
	if err != nil {
		return a, false, err
	}
	if n != nil && !n.due(a) || n == nil && a.Over > 0 && fare.DayOf(r.Now()) <= a.Over+store.DeliveryDays {
		return a, false, nil // of an alert that is over its endpoint is still told
	}
	stopped, err := r.Alerts.Stopped(ctx, a.Subscriber)
	return a, err == nil && !stopped, err
}

// What becomes of a message.
const (
	done  = iota // sent, or never to be sent
	again        // it was not sent, or perhaps not
	later        // its channel takes nothing now
)

// send hands a message to its carrier and keeps what became of it, also where the time
// for more is over meanwhile.
func (r *run) send(ctx context.Context, by *channel, about string, p *parcel) (outcome int, err error) {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), reserve)
	defer cancel()
	switch err := p.hand(last); {
	case err == nil:
		if err := by.pace.retry(last, func() error { return p.settle(last) }); err != nil {
			return done, err
		}
		r.sent(by)
	case errors.Is(err, ErrUnwritable):
		r.fault(ctx, fmt.Errorf("notify of %s: %w", about, err)) // the next refresh has another
	case errors.Is(err, mail.ErrRefused):
		r.Log.WarnContext(ctx, "message refused for good", "channel", by.name, "about", about, "error", err)
		if err := by.pace.retry(last, func() error {
			return r.Alerts.Stop(last, p.to,
				RefusedUntil(r.Now()))
		}); err != nil {
			return done, err
		}
		r.refused(by, about)
	case errors.Is(err, mail.ErrBlocked):
		r.close(by, err)
		return later, nil
	default: // throttled, or nobody knows
		r.Log.WarnContext(ctx, "message is tried again", "channel", by.name, "about", about, "error", err)
		return again, nil
	}
	return done, nil
}

// hand gives the alert's carrier the message of a look, or, without one, that the alert has ended.
func (r *run) hand(ctx context.Context, n *look, a store.Alert) error {
	carrier, err := r.carrier(carriedBy(n, a))
	if err != nil {
		return err
	}
	if n == nil {
		if a.Paused > fare.DayOf(r.Now()) || a.Over > 0 {
			return nil // it has been told to be silent, or was told
		}
		end := ending(a, r.Links, fare.DayOf(r.Now()))
		if r.endpointHears(a) {
			if err := r.Carriers[a.Channel].Deliver(ctx, a, end); err != nil {
				return err
			}
		}
		return carrier.Deliver(ctx, a, end)
	}
	m, err := n.message(a, r.Links)
	if err != nil {
		return err
	}
	return carrier.Deliver(ctx, a, m)
}

// endpointHears tells whether an endpoint is to be told, beside its owner, that its alert has ended.
func (r *run) endpointHears(a store.Alert) bool {
	return a.Channel == store.Webhook && r.Carriers[a.Channel] != nil && a.Paused <= fare.DayOf(r.Now()) && a.Over == 0
}

// settle keeps that the message was sent; an alert that has ended is removed, one of an endpoint when that was told.
func (r *run) settle(ctx context.Context, n *look, a store.Alert) error {
	if n == nil && r.endpointHears(a) {
		return r.Alerts.MarkOver(ctx, a, fare.DayOf(r.Now()))
	}
	if n == nil {
		_, err := r.Alerts.Remove(ctx, a.Subscriber, a.Ref())
		return err
	}
	if n.from != nil {
		_, met := n.from.due(a)
		return r.Alerts.MarkNotifiedOf(ctx, a, n.from.day, met)
	}
	return r.Alerts.MarkNotified(ctx, a, n.news.Day, n.news.Price)
}
