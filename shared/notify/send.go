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
	"verdetto/shared/verdict"
)

// Sender sends stored news to subscribers, each message at least once. After a carrier accepts a
// message, one write records it. If that write fails, the message is sent again with the same ID.
//
// A lease ensures that only one process sends at a time, so that the rate limit holds. Work stops
// before its context ends; the next call continues at the same page of subscribers. A channel that
// fails repeatedly is not used until the next call.
type Sender struct {
	Alerts        store.Alerts
	Notifications store.Notifications
	Mail          mail.Sender
	// Carriers holds the carriers other than mail by the name of their channel in store.Alert.
	Carriers map[string]Carrier
	Links    Links
	Answers  Answers // judges the departure of a fare; nil: messages contain no such verdict
	Rate     float64 // messages per second, above 0
	Now      func() time.Time
	// Sleep waits for a time, or returns the error of the context if that ends first. If nil, the
	// system clock is used.
	Sleep func(context.Context, time.Duration) error
	Log   *slog.Logger
}

// Result counts what one call of Work has done.
type Result struct {
	Sent      int  `json:"sent"`
	Refused   int  `json:"refused,omitempty"`   // subscribers who refused permanently and get no more messages
	Postponed int  `json:"postponed,omitempty"` // messages that the next call of Work retries
	Settled   int  `json:"told,omitempty"`      // stored news that needs no more messages
	Busy      bool `json:"busy,omitempty"`      // another process is sending
	More      bool `json:"left,omitempty"`      // there is more to send
}

const (
	pageSize = 100
	leaseFor = 3 * time.Minute
	// maxFaults limits the number of errors that Work returns, so that the message stays readable.
	maxFaults = 20
)

// errTimeUp ends the context of Work shortly before its deadline.
var errTimeUp = errors.New("no time for more")

// Work sends all stored news, or as much as the time of the context allows. If one message fails,
// Work continues with the others, unless sending is impossible. The next call retries the failed
// messages.
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
	case errors.Is(err, store.ErrHeld): // this process stalled until another took the lease
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

// accepting returns a context for starting messages, which ends early enough before the deadline to
// finish them.
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

// reserve is the time before the deadline in which Work starts no new message.
const reserve = 15 * time.Second

type run struct {
	*Sender
	answers *answer.Reader
	stop    context.CancelCauseFunc
	flight  chan struct{} // one slot for each message that is being sent

	mu       sync.Mutex // guards the fields below
	lease    *store.Lease
	result   Result
	faults   []error
	channels map[string]*channel
}

func newRun(s *Sender, lease *store.Lease) *run {
	// If each message takes half a second, this many concurrent messages reach the rate limit, so
	// the limit, not the duration of a message, decides how fast messages are sent.
	places := min(max(1, int(s.Rate/2)), 64)
	return &run{Sender: s, lease: lease, channels: map[string]*channel{}, answers: s.asker(),
		flight: make(chan struct{}, places)}
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
		case errors.Is(err, store.ErrUnreadable): // malformed: skip it and send the rest
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
			continue // the news was replaced or removed
		case err != nil:
			return err
		}
		after = stored.Place()
	}
}

// hold renews the lease if less than half of its time is left, in which a single message fits.
func (r *run) hold(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if r.lease.Remaining() > leaseFor/2 {
		return nil
	}
	return r.lease.Hold(ctx)
}

// route sends the news of one route to the alerts that it meets, and deletes the news once all
// messages were sent.
func (r *run) route(ctx context.Context, stored store.Notification) error {
	n, err := open(stored)
	if err != nil || n.look != nil && !n.look.news.live(fare.DayOf(r.Now())) {
		// The news is malformed or outdated; the next refresh stores new news.
		if err != nil {
			r.fault(ctx, fmt.Errorf("read news of %s: %w", stored.Route, err))
		}
		return r.Notifications.Delete(ctx, stored)
	}
	if l := n.look; l != nil {
		l.ahead = sync.OnceValue(func() outlook {
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

// end deletes news that needs no more messages, and the mark of a route without alerts.
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

type batch struct {
	*run
	sending    sync.WaitGroup
	incomplete bool // a message must be sent by the next call of Work
}

func (b *batch) markIncomplete() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.incomplete = true
}

// send starts sending a message by a channel, as soon as the number of messages in progress allows.
// It returns false if the channel is stopped.
func (b *batch) send(ctx context.Context, by *channel, message func() (settled bool, err error)) bool {
	if b.isShut(by) {
		b.markIncomplete()
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
			b.stop(err) // stops this call of Work
		}
		if !settled {
			b.markIncomplete()
		}
	})
	return true
}

// wait waits for all messages in progress. settled reports whether each was sent or is not needed.
func (b *batch) wait(ctx context.Context) (settled bool, err error) {
	b.sending.Wait()
	return !b.incomplete, context.Cause(ctx)
}

// page notifies the subscribers of those alerts of a page that the new fares meet. settled reports
// whether every message was sent or is not needed.
func (r *run) page(ctx context.Context, n *notification, alerts []store.Alert) (settled bool, err error) {
	b := batch{run: r}
	for _, a := range alerts {
		if !a.Readable() {
			r.fault(ctx, fmt.Errorf("notify of %s: the alert of %s %w", n.stored.Route, a.Subscriber,
				store.ErrUnreadable))
			continue // the other alerts go on
		}
		l, due, err := r.concerns(ctx, n, a)
		if err != nil {
			r.fault(ctx, fmt.Errorf("notify of %s: %w", a.Ref(), err))
			b.markIncomplete() // the other alerts go on
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

// concerns reports whether to notify an alert, and returns the look for its message. If due is true
// and the look is nil, the alert has ended. For the kinds Drop and Change, it also stores the first
// price that was found for the alert.
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

// fault logs and collects the error of one alert; the others continue.
func (r *run) fault(ctx context.Context, err error) {
	r.Log.ErrorContext(ctx, "an alert could not be judged or sent; the next run tries again", "error", err)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.faults) < maxFaults {
		r.faults = append(r.faults, err)
	}
}
