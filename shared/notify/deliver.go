package notify

import (
	"context"
	"errors"
	"fmt"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/store"
)

type parcel struct {
	to     store.SubscriberID
	hand   func(context.Context) error
	settle func(context.Context) error
}

// If n is nil, the message says that the alert has ended.
func (r *run) deliver(ctx context.Context, n *look, listed store.Alert) (settled bool, err error) {
	by := r.channel(channelOf(n, listed))
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

// carry calls current before each try, because the alert may change between tries. If settled is
// false, the next call of Work must try again.
func (r *run) carry(ctx context.Context, by *channel, about string,
	current func() (*parcel, error)) (settled bool, err error) {
	for try := range tries {
		if err := by.pace.wait(ctx); err != nil {
			return false, context.Cause(ctx)
		}
		if r.isShut(by) {
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
		case unsettled:
			by.pace.hold(firstPause << try)
		case channelShut:
			return false, nil
		default:
			return err == nil, err
		}
	}
	r.countPostponed(ctx, by, about)
	return false, nil
}

// due reads the alert again, because the alert may have changed since listed was read.
func (r *run) due(ctx context.Context, n *look, listed store.Alert) (a store.Alert, due bool, err error) {
	a, err = r.Alerts.One(ctx, listed.Ref(), listed.Subscriber)
	if errors.Is(err, store.ErrNotFound) {
		return a, false, nil
	}
	if err != nil {
		return a, false, err
	}
	if n != nil && !n.due(a) || n == nil && a.EndDay > 0 && fare.DayOf(r.Now()) <= a.EndDay+store.DeliveryDays {
		return a, false, nil // not due, or the event about the alert's end may still be delivered
	}
	stopped, err := r.Alerts.Stopped(ctx, a.Subscriber)
	return a, err == nil && !stopped, err
}

const (
	settled   = iota // the message was sent, or will never be sent
	unsettled        // it is not certain that the message was sent: retry
	channelShut
)

// send records the outcome even if ctx ends during the delivery.
func (r *run) send(ctx context.Context, by *channel, about string, p *parcel) (outcome int, err error) {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), reserve)
	defer cancel()
	switch err := p.hand(last); {
	case err == nil:
		if err := by.pace.retry(last, func() error { return p.settle(last) }); err != nil {
			return settled, err
		}
		r.countSent(by)
	case errors.Is(err, ErrUnwritable):
		r.fault(ctx, fmt.Errorf("notify of %s: %w", about, err))
	case errors.Is(err, mail.ErrRefused):
		r.Log.WarnContext(ctx, "the carrier refuses a message for good, so its alerts stop for a while", "channel", by.name, "about", about, "error", err)
		if err := by.pace.retry(last, func() error {
			return r.Alerts.Stop(last, p.to,
				RefusedUntil(r.Now()))
		}); err != nil {
			return settled, err
		}
		r.countRefused(by, about)
	case errors.Is(err, mail.ErrBlocked):
		r.close(by, err)
		return channelShut, nil
	default:
		r.Log.WarnContext(ctx, "it is not known whether a message was sent; it is tried again", "channel", by.name, "about", about, "error", err)
		return unsettled, nil
	}
	return settled, nil
}

func (r *run) hand(ctx context.Context, n *look, a store.Alert) error {
	carrier, err := r.carrier(channelOf(n, a))
	if err != nil {
		return err
	}
	if n == nil {
		if a.Paused > fare.DayOf(r.Now()) || a.EndDay > 0 {
			return nil
		}
		end := ending(a, r.Links, fare.DayOf(r.Now()))
		if r.endsWithEvent(a) {
			if err := r.Carriers[a.Channel].Deliver(ctx, a, end); err != nil {
				return err
			}
		}
		return carrier.Deliver(ctx, a, end)
	}
	m, err := n.message(a, r.Links, fare.DayOf(r.Now()))
	if err != nil {
		return err
	}
	return carrier.Deliver(ctx, a, m)
}

func (r *run) endsWithEvent(a store.Alert) bool {
	return a.Channel == store.Webhook && r.Carriers[a.Channel] != nil && a.Paused <= fare.DayOf(r.Now()) &&
		a.EndDay == 0
}

// If the endpoint gets an event about the end, settle marks the alert as ended and does not remove
// the alert, because the event must still be delivered.
func (r *run) settle(ctx context.Context, n *look, a store.Alert) error {
	if n == nil && r.endsWithEvent(a) {
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

// If n is nil, the message says that the alert has ended, and is mailed if the alert has a mail
// address.
func channelOf(n *look, a store.Alert) string {
	if n == nil && a.Email != "" {
		return ""
	}
	return a.Channel
}
