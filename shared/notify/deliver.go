package notify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/mail"
	"verdetto/shared/store"
)

const (
	tries      = 6
	firstPause = time.Second // and twice as long each time
	// maxInARow postponed, or refused, without one that was sent between them: the
	// carrier or we are at fault, not they, who have all had mail from us before.
	maxInARow = 5
)

// deliver notifies one subscriber of a look; without one, that the alert has ended. It is not settled where neither the mail was
// sent nor is there a reason not to; an error stops everything.
func (r *run) deliver(ctx context.Context, n *look, listed store.Alert) (settled bool, err error) {
	for try := range tries {
		if err := r.pace.wait(ctx); err != nil {
			return false, context.Cause(ctx)
		}
		if err := r.hold(ctx); err != nil {
			return false, err
		}
		a, due, err := r.due(ctx, n, listed)
		if err != nil || !due {
			return err == nil, err
		}
		if again, err := r.send(ctx, n, a); !again {
			return err == nil, err
		}
		r.pace.hold(firstPause << try)
	}
	return false, r.postponed(ctx, listed.Route)
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
	if n != nil {
		if due, _ := dueOf(a, n.history); !due {
			return a, false, nil
		}
	}
	stopped, err := r.Alerts.Stopped(ctx, a.Subscriber)
	return a, err == nil && !stopped, err
}

// send hands the message to the alert's carrier and keeps what became of it, also where the time
// for more is over meanwhile. again: it was not sent, or perhaps not.
func (r *run) send(ctx context.Context, n *look, a store.Alert) (again bool, err error) {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.reserve())
	defer cancel()
	switch err := r.hand(last, n, a); {
	case err == nil:
		if err := r.pace.retry(last, func() error { return r.settle(last, n, a) }); err != nil {
			return false, err
		}
		r.sent()
	case errors.Is(err, ErrUnwritable):
		r.fault(ctx, fmt.Errorf("notify of %s: %w", a.Route, err)) // the next refresh has another
	case errors.Is(err, mail.ErrRefused):
		r.Log.WarnContext(ctx, "mail refused for good", "route", a.Route.String(), "error", err)
		if err := r.pace.retry(last, func() error { return r.Alerts.Stop(last, a.Subscriber, RefusedUntil(r.Now())) }); err != nil {
			return false, err
		}
		return false, r.refused(a.Route)
	case errors.Is(err, mail.ErrBlocked):
		return false, err
	default: // throttled, or nobody knows
		r.Log.WarnContext(ctx, "mail is tried again", "route", a.Route.String(), "error", err)
		return true, nil
	}
	return false, nil
}

// hand gives the alert's carrier the message of a look, or, without one, that the alert has ended.
func (r *run) hand(ctx context.Context, n *look, a store.Alert) error {
	carrier, err := r.carrier(a.Channel)
	if err != nil {
		return err
	}
	if n == nil {
		if a.Paused > fare.DayOf(r.Now()) {
			return nil // it has been told to be silent
		}
		if a.Email != "" { // the owner of an endpoint is told by mail, too
			carrier = byMail{r.Mail}
		}
		return carrier.Deliver(ctx, a, ending(a, r.Links, fare.DayOf(r.Now())))
	}
	m, err := n.message(a, r.Links)
	if err != nil {
		return err
	}
	return carrier.Deliver(ctx, a, m)
}

// settle keeps that the message was sent; an alert that has ended is removed.
func (r *run) settle(ctx context.Context, n *look, a store.Alert) error {
	if n == nil {
		_, err := r.Alerts.Remove(ctx, a.Subscriber, a.Ref())
		return err
	}
	return r.Alerts.MarkNotified(ctx, a, n.news.Day, n.news.Price)
}

func (r *run) sent() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Sent++
	r.postponedInARow, r.refusedInARow = 0, 0
}

// refused counts somebody who will never be notified. Where it is not one but everyone, it is an error.
func (r *run) refused(route fare.Route) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Refused++
	if r.refusedInARow++; r.refusedInARow < maxInARow {
		return nil
	}
	return fmt.Errorf("notify of %s: %w for good to %d subscribers in a row", route, mail.ErrRefused, maxInARow)
}

// postponed counts somebody for the next Work, and is an error likewise.
func (r *run) postponed(ctx context.Context, route fare.Route) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Postponed++
	if r.postponedInARow++; r.postponedInARow < maxInARow {
		r.Log.WarnContext(ctx, "mail postponed", "route", route.String())
		return nil
	}
	return fmt.Errorf("notify of %s: %w %d times over, for %d subscribers in a row", route, mail.ErrThrottled, tries, maxInARow)
}
