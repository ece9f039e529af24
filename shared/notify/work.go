package notify

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

var errTimeUp = errors.New("no time for more")

// Work sends stored news and due digests. If Result.More is true, news or digests may be left.
func (s *Sender) Work(ctx context.Context) (Result, error) {
	lease := &store.Lease{Table: s.Notifications.Table, Name: store.MailLease, Holder: rand.Text(), Duration: leaseFor,
		Now: s.Now}
	if err := lease.Hold(ctx); errors.Is(err, store.ErrHeld) {
		return Result{Busy: true, More: true}, nil
	} else if err != nil {
		return Result{}, err
	}
	r := newRun(s, lease)
	accepting, stop := s.accepting(ctx)
	defer stop(nil)
	r.stop = stop
	err := r.all(accepting)
	if err == nil {
		err = r.digests(accepting)
	}
	switch {
	case errors.Is(err, store.ErrHeld): // this process stalled until another process took the lease
		r.result.Busy = true
		fallthrough
	case errors.Is(err, errTimeUp), ctx.Err() != nil:
		r.result.More, err = true, nil
	case err != nil:
		r.result.More = true
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return r.result, errors.Join(append(r.faults, err, lease.Release(last))...)
}

// If ctx has a deadline, the returned context ends earlier, by the duration reserve, so that started
// messages can finish.
func (s *Sender) accepting(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, stop := context.WithCancelCause(ctx)
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, stop
	}
	early, cancel := context.WithDeadlineCause(ctx, deadline.Add(-reserve), errTimeUp)
	context.AfterFunc(ctx, cancel)
	return early, stop
}

func (r *run) all(ctx context.Context) error {
	after := ""
	for {
		if err := r.hold(ctx); err != nil {
			return err
		}
		stored, err := r.Notifications.Next(ctx, after)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil
		case errors.Is(err, store.ErrUnreadable):
			r.fault(ctx, err)
			if err := r.Notifications.Delete(ctx, stored); err != nil {
				return err
			}
			continue
		case err == nil:
			err = r.route(ctx, stored)
		}
		switch {
		case context.Cause(ctx) != nil:
			return context.Cause(ctx)
		case errors.Is(err, store.ErrConflict):
			continue
		case err != nil:
			return err
		}
		after = stored.Place()
	}
}

func (r *run) route(ctx context.Context, stored store.Notification) error {
	n, err := open(stored)
	if err != nil || n.look != nil && !n.look.news.live(fare.DayOf(r.Now())) {
		if err != nil {
			r.fault(ctx, fmt.Errorf("read news of %s: %w", stored.Route, err))
		}
		return r.Notifications.Delete(ctx, stored)
	}
	if l := n.look; l != nil {
		l.ahead = sync.OnceValue(func() *verdict.Judgement {
			n := l.news
			o, err := lookAhead(ctx, r.Answers, answer.Question{
				From: answer.Code(string(n.Route.Origin)), To: answer.Code(string(n.Route.Destination)),
				When: &answer.When{When: verdict.When{Date: n.Depart}}}, n.Price)
			if err != nil {
				r.Log.WarnContext(ctx, "the fares to be expected could not be computed, so the mails of a route do not mention them", "route", stored.Route.String(),
					"error", err)
			}
			return o
		})
	}
	complete, first := true, stored.Cursor == ""
	for at := stored.Cursor; ; {
		if err := r.hold(ctx); err != nil {
			return err
		}
		alerts, err := r.Alerts.Page(ctx, stored.Route, at, pageSize)
		if err != nil {
			return err
		}
		settled, err := r.page(ctx, n, alerts)
		if err != nil {
			return err
		}
		complete = complete && settled
		if len(alerts) < pageSize {
			return r.end(ctx, stored, complete, first && len(alerts) == 0)
		}
		first, at = false, alerts[len(alerts)-1].Place()
		if complete {
			if err := r.Notifications.Advance(ctx, &stored, at); err != nil {
				return err
			}
		}
	}
}

func (r *run) end(ctx context.Context, stored store.Notification, complete, noAlerts bool) error {
	if !complete {
		r.result.More = true
		return nil
	}
	if noAlerts {
		if _, err := r.Alerts.ForgetRoute(ctx, stored.Route); err != nil {
			return err
		}
	}
	r.result.Settled++
	return r.Notifications.Delete(ctx, stored)
}

func (r *run) page(ctx context.Context, n *notification, alerts []store.Alert) (settled bool, err error) {
	b := batch{run: r}
	for _, a := range alerts {
		if !a.Readable() {
			r.fault(ctx, fmt.Errorf("notify of %s: the alert of %s %w", n.stored.Route, a.Subscriber,
				store.ErrUnreadable))
			continue
		}
		l, due, err := r.concerns(ctx, n, a)
		if err != nil {
			r.fault(ctx, fmt.Errorf("notify of %s: %w", a.Ref(), err))
			b.markIncomplete()
			continue
		}
		if due {
			b.send(ctx, r.channel(channelOf(l, a)), func() (bool, error) { return r.deliver(ctx, l, a) })
		}
		if ctx.Err() != nil {
			break
		}
	}
	return b.wait(ctx)
}

// If due is true and l is nil, the alert has ended.
func (r *run) concerns(ctx context.Context, n *notification, a store.Alert) (l *look, due bool, err error) {
	if n.stored.Trips && a.Trip.HasPassed(fare.DayOf(r.Now())) {
		return nil, true, nil
	}
	l, err = r.lookFor(ctx, n, a)
	if err != nil || l == nil {
		return nil, false, err
	}
	if l.from != nil {
		due, err = l.from.concerns(ctx, r, a)
		return l, due, err
	}
	due, state := dueOf(a, l.history)
	if !due && a.State == (store.State{}) && (a.Kind == store.Drop || a.Kind == store.Change) {
		err = r.Alerts.MarkSeen(ctx, a, state.Price)
	}
	return l, due, err
}
