package refresh

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/mail"
	"verdetto/shared/store"
	"verdetto/shared/watch"
)

// Sender tells subscribers the news that refreshes leave.
//
// Every subscription that a refresh wakes gets one mail of it. That is kept in
// the alert itself, by one write after the carrier has taken charge of the mail:
// a process that dies between the two leaves a mail that is sent again, as the
// same message, with the same ID. Mail is thus sent at least once rather than at
// most once, and the window is that one write, or a Send whose outcome the
// carrier left unknown.
//
// One process sends at a time, for the whole service: it holds a lease, so that
// the rate is kept. It stops cleanly before its context ends. Whatever is left
// is told by the next Work, from the page of subscribers where this one stopped.
type Sender struct {
	Alerts        store.Alerts
	Notifications store.Notifications
	Mail          mail.Sender
	Pepper        []byte
	BaseURL       string  // where the service is reached, without a slash at the end
	Rate          float64 // messages per second, above 0
	// Reserve is how long before its context's deadline Work begins nothing new; 0 is 15 seconds.
	Reserve time.Duration
	Now     func() time.Time
	// Sleep waits, or returns the context's error; nil is by the system's clock.
	Sleep func(context.Context, time.Duration) error
	Log   *slog.Logger
}

// Sent sums up what a Work did.
type Sent struct {
	Sent      int  `json:"sent"`
	Refused   int  `json:"refused,omitempty"`   // for good: nothing is sent to them any more
	Postponed int  `json:"postponed,omitempty"` // neither sent nor refused; the next Work tries again
	Told      int  `json:"told,omitempty"`      // news that everyone was told of
	Busy      bool `json:"busy,omitempty"`      // another process is sending
	Left      bool `json:"left,omitempty"`      // there is more to tell
}

const (
	pageSize = 100
	leaseFor = 3 * time.Minute
	// stopFor is how long nothing is sent to somebody whose mail was refused.
	stopFor = 180 * 24 * time.Hour
)

// errEnough: the time is nearly up.
var errEnough = errors.New("no time for more")

// Work tells what there is to tell until all is told or the context is nearly
// over. An error is a fault; what it kept from being told is tried by the next.
func (s *Sender) Work(ctx context.Context) (Sent, error) {
	lease := &store.Lease{Table: s.Notifications.Table, Name: "mail", Holder: rand.Text(), For: leaseFor, Now: s.Now}
	if err := lease.Hold(ctx); errors.Is(err, store.ErrHeld) {
		return Sent{Busy: true, Left: true}, nil
	} else if err != nil {
		return Sent{}, err
	}
	r := newRun(s, lease)
	accepting, stop := s.accepting(ctx)
	defer stop(nil)
	r.stop = stop
	err := r.all(accepting)
	switch {
	case errors.Is(err, store.ErrHeld): // it came to a standstill for so long that another took over
		r.report.Busy = true
		fallthrough
	case errors.Is(err, errEnough), ctx.Err() != nil:
		r.report.Left, err = true, nil
	case err != nil:
		r.report.Left = true
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return r.report, errors.Join(append(r.faults, err, lease.Release(last))...)
}

// accepting is a context that ends early enough for what was begun to come to its end.
func (s *Sender) accepting(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, stop := context.WithCancelCause(ctx)
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, stop
	}
	early, cancel := context.WithDeadlineCause(ctx, deadline.Add(-s.reserve()), errEnough)
	context.AfterFunc(ctx, cancel)
	return early, stop
}

func (s *Sender) reserve() time.Duration {
	if s.Reserve > 0 {
		return s.Reserve
	}
	return 15 * time.Second
}

// run is one Work.
type run struct {
	*Sender
	pace   *pace
	stop   context.CancelCauseFunc
	flight chan struct{} // a place for each message that may be on its way

	mu     sync.Mutex // guards what follows
	lease  *store.Lease
	report Sent
	faults []error
	// How many were postponed, and refused, since the last that was sent.
	postponedInARow, refusedInARow int
}

func newRun(s *Sender, lease *store.Lease) *run {
	// Enough for half a second a message, so that the quota is the bound and not the latency.
	places := min(max(1, int(s.Rate/2)), 64)
	return &run{Sender: s, lease: lease, pace: newPace(s), flight: make(chan struct{}, places)}
}

// all tells all news there are, route by route.
func (r *run) all(ctx context.Context) error {
	var after fare.Route
	for {
		if err := r.hold(ctx); err != nil {
			return err
		}
		wake, err := r.Notifications.Next(ctx, after)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil
		case errors.Is(err, store.ErrUnreadable): // and never will be; what comes after it is to be told
			r.fault(ctx, err)
			if err := r.Notifications.Done(ctx, wake); err != nil {
				return err
			}
			continue
		case err == nil:
			err = r.tell(ctx, wake)
		}
		switch {
		case context.Cause(ctx) != nil:
			return context.Cause(ctx)
		case errors.Is(err, store.ErrConflict):
			continue // other news has come in its place, or none
		case err != nil:
			return err
		}
		after = wake.Route
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

// tell tells one piece of news to all whom it wakes. It ends the news when
// everyone was told, and leaves it where somebody was not.
func (r *run) tell(ctx context.Context, wake store.Notification) error {
	t, err := r.telling(wake)
	if err != nil || !t.news.Live(fare.DayOf(r.Now())) {
		// It can no longer be said, or not be read: the next refresh has other news.
		if err != nil {
			r.fault(ctx, fmt.Errorf("news of %s: %w", wake.Route, err))
		}
		return r.Notifications.Done(ctx, wake)
	}
	complete, first := true, wake.Cursor == ""
	for at := wake.Cursor; ; {
		if err := r.hold(ctx); err != nil {
			return err
		}
		alerts, err := r.Alerts.Page(ctx, wake.Route, at, pageSize)
		if err != nil {
			return err
		}
		settled, err := r.page(ctx, t, alerts)
		if err != nil {
			return err
		}
		complete = complete && settled
		if len(alerts) < pageSize {
			return r.end(ctx, wake, complete, first && len(alerts) == 0)
		}
		first, at = false, alerts[len(alerts)-1].Subscriber
		if complete {
			if err := r.Notifications.Advance(ctx, &wake, at); err != nil {
				return err
			}
		}
	}
}

// end ends news, and forgets a route that nobody watches any more.
func (r *run) end(ctx context.Context, wake store.Notification, complete, nobody bool) error {
	if !complete {
		r.report.Left = true
		return nil
	}
	if nobody {
		if _, err := r.Alerts.Unwatch(ctx, wake.Route); err != nil {
			return err
		}
	}
	r.report.Told++
	return r.Notifications.Done(ctx, wake)
}

// page tells those of a page whom the news wakes, several at a time. It waits
// for all, and says whether nobody was left out.
func (r *run) page(ctx context.Context, t *telling, alerts []store.Alert) (settled bool, err error) {
	settled = true
	var all sync.WaitGroup
	for _, a := range alerts {
		if !a.Readable() {
			r.fault(ctx, fmt.Errorf("tell of %s: the alert of %s %w", t.wake.Route, a.Subscriber, store.ErrUnreadable))
			continue // it keeps nobody else from being told
		}
		if !t.wakes(a) {
			continue
		}
		r.flight <- struct{}{}
		if ctx.Err() != nil {
			<-r.flight
			break
		}
		all.Go(func() {
			defer func() { <-r.flight }()
			ok, err := r.one(ctx, t, a)
			if err != nil {
				r.stop(err) // nobody else need try
			}
			if !ok {
				r.mu.Lock()
				defer r.mu.Unlock()
				settled = false
			}
		})
	}
	all.Wait()
	return settled, context.Cause(ctx)
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

// wakes tells whether the news wakes an alert as it stands.
func (t *telling) wakes(a store.Alert) bool {
	mailed := a.Mailed
	if a.Fresh && mailed < t.wake.Day {
		mailed = 0 // to the new threshold nothing was told yet
	}
	return watch.Wakes(a.Threshold, mailed, t.history)
}
