package notify

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/store"
)

// Sender sends subscribers the news that refreshes leave, each at least once: an alert records its
// message by one write after the carrier has taken it. What is sent again has the same ID.
//
// One process sends at a time, for the whole service: it holds a lease, so that the rate is kept.
// It stops before its context ends; the next Work goes on from the page of subscribers where it
// stopped. A channel whose carrier takes nothing is left alone until the next Work.
type Sender struct {
	Alerts        store.Alerts
	Notifications store.Notifications
	Mail          mail.Sender
	// Carriers are those of the channels beside mail, by their names in store.Alert.
	Carriers map[string]Carrier
	Links    Links
	Answers  Answers // what messages say of a departure; nil: nothing
	Rate     float64 // messages per second, above 0
	Now      func() time.Time
	// Sleep waits, or returns the context's error; nil is by the system's clock.
	Sleep func(context.Context, time.Duration) error
	Log   *slog.Logger
}

// Result sums up what a Work did.
type Result struct {
	Sent      int  `json:"sent"`
	Refused   int  `json:"refused,omitempty"`   // for good: nothing is sent to them any more
	Postponed int  `json:"postponed,omitempty"` // neither sent nor refused; the next Work tries again
	Done      int  `json:"told,omitempty"`      // news of which everyone was notified
	Busy      bool `json:"busy,omitempty"`      // another process is sending
	Left      bool `json:"left,omitempty"`      // there is more to send
}

const (
	pageSize = 100
	leaseFor = 3 * time.Minute
	// maxFaults keeps an error readable when everything fails for the same reason.
	maxFaults = 20
)

// errTimeUp: the time is nearly over.
var errTimeUp = errors.New("no time for more")

// Work sends what there is to send until all is sent or the context is nearly
// over. An error is a fault; what it kept from being sent is tried by the next.
func (s *Sender) Work(ctx context.Context) (Result, error) {
	lease := &store.Lease{Table: s.Notifications.Table, Name: store.MailLease, Holder: rand.Text(), For: leaseFor,
		Now: s.Now}
	if err := lease.Hold(ctx); errors.Is(err, store.ErrHeld) {
		return Result{Busy: true, Left: true}, nil
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
	case errors.Is(err, store.ErrHeld): // it came to a standstill for so long that another took over
		r.result.Busy = true
		fallthrough
	case errors.Is(err, errTimeUp), ctx.Err() != nil:
		r.result.Left, err = true, nil
	case err != nil:
		r.result.Left = true
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return r.result, errors.Join(append(r.faults, err, lease.Release(last))...)
}

// accepting is a context that ends early enough for what was begun to come to its end.
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

// reserve is how long before its context's deadline Work begins nothing new.
const reserve = 15 * time.Second

type run struct {
	*Sender
	answers *answer.Reader
	stop    context.CancelCauseFunc
	flight  chan struct{} // a place for each message that may be on its way

	mu     sync.Mutex // guards what follows
	lease  *store.Lease
	result Result
	faults []error
	// channels are those that a message was for, by their names.
	channels map[string]*channel
}

func newRun(s *Sender, lease *store.Lease) *run {
	// Enough for half a second a message, so that the quota is the bound and not the latency.
	places := min(max(1, int(s.Rate/2)), 64)
	return &run{Sender: s, lease: lease, channels: map[string]*channel{}, answers: s.asker(),
		flight: make(chan struct{}, places)}
}

// all sends all news there are, route by route.
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
		case errors.Is(err, store.ErrUnreadable): // and never will be; what comes after it is to be sent
			r.fault(ctx, err)
			if err := r.Notifications.Done(ctx, stored); err != nil {
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
			continue // other news has come in its place, or none
		case err != nil:
			return err
		}
		after = stored.Place()
	}
}

// hold makes sure of the lease for longer than a message takes.
func (r *run) hold(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if r.lease.Left() > leaseFor/2 {
		return nil
	}
	return r.lease.Hold(ctx)
}

// route sends the news of one route to everyone whom it concerns. It ends the
// news when everyone was notified, and leaves it where somebody was not.
func (r *run) route(ctx context.Context, stored store.Notification) error {
	n, err := open(stored)
	if err != nil || n.look != nil && !n.look.news.live(fare.DayOf(r.Now())) {
		// It is malformed, or no longer true: the next refresh has other news.
		if err != nil {
			r.fault(ctx, fmt.Errorf("read news of %s: %w", stored.Route, err))
		}
		return r.Notifications.Done(ctx, stored)
	}
	if l := n.look; l != nil {
		l.ahead = sync.OnceValue(func() outlook {
			o, err := lookAhead(ctx, r.Answers, l.news)
			if err != nil {
				r.Log.WarnContext(ctx, "mails say nothing of what is to be expected", "route", stored.Route.String(),
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

// end ends news, and forgets a route that nobody has an alert for any more.
func (r *run) end(ctx context.Context, stored store.Notification, complete, nobody bool) error {
	if !complete {
		r.result.Left = true
		return nil
	}
	if nobody {
		if _, err := r.Alerts.ForgetRoute(ctx, stored.Route); err != nil {
			return err
		}
	}
	r.result.Done++
	return r.Notifications.Done(ctx, stored)
}

type batch struct {
	*run
	sending  sync.WaitGroup
	leftOver bool // somebody is left for the next Work
}

// leave leaves somebody for the next Work.
func (b *batch) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.leftOver = true
}

// send begins to send a message by a channel, once there is a place for it. It reports whether the channel takes any.
func (b *batch) send(ctx context.Context, by *channel, message func() (settled bool, err error)) bool {
	if b.closed(by) {
		b.leave()
		return false
	}
	b.flight <- struct{}{}
	b.sending.Go(func() {
		defer func() { <-b.flight }()
		if ctx.Err() != nil {
			return
		}
		settled, err := message()
		if err != nil {
			b.stop(err) // nobody else need try
		}
		if !settled {
			b.leave()
		}
	})
	return true
}

// wait waits for all that was begun, and reports whether nobody was left out.
func (b *batch) wait(ctx context.Context) (settled bool, err error) {
	b.sending.Wait()
	return !b.leftOver, context.Cause(ctx)
}

// page notifies the subscribers of a page whom the news concerns, and reports whether nobody was left out.
func (r *run) page(ctx context.Context, n *notification, alerts []store.Alert) (settled bool, err error) {
	b := batch{run: r}
	for _, a := range alerts {
		if !a.Readable() {
			r.fault(ctx, fmt.Errorf("notify of %s: the alert of %s %w", n.stored.Route, a.Subscriber,
				store.ErrUnreadable))
			continue // it keeps nobody else from being notified
		}
		l, due, err := r.concerns(ctx, n, a)
		if err != nil {
			r.fault(ctx, fmt.Errorf("notify of %s: %w", a.Ref(), err))
			b.leave() // it keeps nobody else from being notified
			continue
		}
		if due {
			b.send(ctx, r.channel(carriedBy(l, a)), func() (bool, error) { return r.deliver(ctx, l, a) })
		}
		if ctx.Err() != nil {
			break
		}
	}
	return b.wait(ctx)
}

// concerns tells whether a notification is to be sent to an alert as it stands, and
// what of it; without a look, that the alert has ended. Of what compares with the
// first price it saw, that is kept.
func (r *run) concerns(ctx context.Context, n *notification, a store.Alert) (l *look, due bool, err error) {
	if n.stored.Trips && a.Trip.Over(fare.DayOf(r.Now())) {
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

// fault notes what went wrong with one of many.
func (r *run) fault(ctx context.Context, err error) {
	r.Log.ErrorContext(ctx, "alert not told", "error", err)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.faults) < maxFaults {
		r.faults = append(r.faults, err)
	}
}
