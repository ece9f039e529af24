package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"verdetto/shared/carrier/outbound"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/notify/outbox"
	"verdetto/shared/runtime/retry"
	"verdetto/shared/store"
	"verdetto/shared/web/limit"
)

type Worker struct {
	Deliveries store.Deliveries
	Alerts     store.Alerts
	Client     outbound.Poster
	Secrets    Secrets
	Limiter    *limit.Limiter
	Now        func() time.Time
	Log        *slog.Logger
}

var waits = []time.Duration{5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	5 * time.Hour, 10 * time.Hour}

const (
	tryingFor   = 24 * time.Hour
	longestWait = 6 * time.Hour

	atOnce    = 32
	endpoints = 16
	leaseFor  = 2 * time.Minute
	tryTime   = outbound.DefaultTimeout + 5*time.Second
)

// Without perHost, a caller with many mailboxes could make the service call another person's server
// all day.
var perHost = limit.Limit{Name: "webhook-tests", Calls: 30, Window: time.Hour}

// A call of Work runs deliveries to one endpoint of a subscriber one after another. An error of one
// delivery does not stop the others.
func (w *Worker) Work(ctx context.Context) (done int, err error) {
	var mu sync.Mutex
	var faults []error
	quiet := map[string]time.Time{}
	done, err = outbox.Loop[store.Delivery]{
		Take: func(ctx context.Context) ([]store.Delivery, error) {
			return w.Deliveries.Take(ctx, atOnce, w.Now(), leaseFor)
		},
		Turn: endpointOf,
		Do: func(ctx context.Context, d store.Delivery) (bool, error) {
			mu.Lock()
			until := quiet[endpointOf(d)]
			mu.Unlock()
			var err error
			if until.After(w.Now()) {
				err = w.Deliveries.Postpone(ctx, d, until)
			} else {
				until, err = w.try(ctx, d)
			}
			mu.Lock()
			defer mu.Unlock()
			quiet[endpointOf(d)] = until
			faults = append(faults, err)
			return err == nil, nil
		},
		// A delivery that was taken but not started is due again when its lease ends.
		Release: func(context.Context, store.Delivery) error { return nil },
		Within:  tryTime, Lease: leaseFor, Margin: tryTime, AtOnce: endpoints, Now: w.Now,
	}.Work(ctx)
	return done, errors.Join(append(faults, err)...)
}

func endpointOf(d store.Delivery) string { return string(d.Subscriber) + " " + d.URL }

type outcome struct {
	status int
	after  time.Duration
	quiet  bool // this call of Work makes no other delivery to the endpoint until the next try
	gone   bool
}

func (o outcome) accepted() bool { return o.status >= 200 && o.status < 300 }

// The result until is when the endpoint may be called again; zero means at once.
func (w *Worker) try(ctx context.Context, d store.Delivery) (until time.Time, err error) {
	alert, endpoint, err := w.about(ctx, d)
	if errors.Is(err, store.ErrNotFound) {
		return until, w.Deliveries.Drop(ctx, d) // the alert no longer exists
	}
	if err != nil {
		return until, err
	}
	// If the endpoint is dead and the alert is paused, no event is sent.
	if endpoint.Dead && alert.Paused > fare.DayOf(w.Now()) {
		d.Ended = w.Now()
		return until, w.end(ctx, d)
	}
	isTest := len(d.Body) == 0
	if isTest || !endpoint.Verified {
		if full, at := w.full(ctx, d.URL); full {
			return at, w.Deliveries.Postpone(ctx, d, at)
		}
		o, err := w.test(ctx, d, alert, endpoint)
		if err != nil || !o.accepted() || isTest {
			return w.record(ctx, d, endpoint, o, err)
		}
	}
	o, err := w.post(ctx, d, endpoint, d.ID, d.Body)
	return w.record(ctx, d, endpoint, o, err)
}

func (w *Worker) about(ctx context.Context, d store.Delivery) (alert store.Alert, endpoint store.Endpoint, err error) {
	ref, err := store.ParseRef(d.Alert)
	if err != nil {
		return alert, endpoint, fmt.Errorf("%w: %w", store.ErrNotFound, err)
	}
	if alert, err = w.Alerts.One(ctx, ref, d.Subscriber); err == nil {
		endpoint, err = w.Deliveries.Endpoint(ctx, d.Subscriber, d.URL)
	}
	return alert, endpoint, err
}

// full returns false if the store fails.
func (w *Worker) full(ctx context.Context, to string) (full bool, until time.Time) {
	host := to
	if u, err := url.Parse(to); err == nil {
		host = u.Hostname()
	}
	decision, err := w.Limiter.Take(ctx, perHost, host)
	if err != nil {
		w.Log.ErrorContext(ctx, "a test event could not be counted towards its host's limit, so it is sent; look at the store if this lasts", "error", err)
	}
	return !decision.Allowed, decision.Reset
}

func (w *Worker) test(ctx context.Context, d store.Delivery, alert store.Alert,
	e store.Endpoint) (o outcome, err error) {
	body, err := testEvent(alert, d.At)
	if err != nil {
		return o, err
	}
	id := d.ID
	if len(d.Body) > 0 {
		id = "test-" + id
	}
	if o, err = w.post(ctx, d, e, id, body); err != nil || !o.accepted() {
		return o, err
	}
	_, err = w.Deliveries.ChangeEndpoint(ctx, d.Subscriber, d.URL, w.Now(), func(e *store.Endpoint) bool {
		e.Verified, e.Dead, e.Answered = true, false, w.Now()
		return true
	})
	return o, err
}

// An endpoint's failure is in the outcome, not in the error.
func (w *Worker) post(ctx context.Context, d store.Delivery, e store.Endpoint, id string,
	body []byte) (outcome, error) {
	now := w.Now()
	header, err := Sign(id, now, body, w.Secrets.Current(d.Subscriber, e, now)...)
	if err != nil {
		return outcome{}, err
	}
	answer, err := w.Client.Post(ctx, d.URL, header, body)
	if err != nil && ctx.Err() != nil {
		return outcome{}, ctx.Err() // the worker was stopped, which is not the endpoint's fault
	}
	o := outcome{status: answer.Status, gone: answer.Status == http.StatusGone}
	o.quiet = err != nil || answer.Status == http.StatusTooManyRequests ||
		answer.Status == http.StatusServiceUnavailable
	if o.quiet {
		wait, _ := retry.ParseAfter(answer.Header.Get("Retry-After"), now)
		o.after = min(max(wait, 0), longestWait)
	}
	// A 2xx status means that the event was accepted, even if the response body was cut off.
	if err != nil && !(answer.Status >= 200 && answer.Status < 300) {
		o.status = 0
	}
	if !o.accepted() {
		w.Log.InfoContext(ctx, "an endpoint did not take an event; it is tried again for a day", "subscriber", string(d.Subscriber), "event", id, "status", o.status,
			"try", d.Tries+1, "error", err)
	}
	return o, nil
}

func (w *Worker) record(ctx context.Context, d store.Delivery, e store.Endpoint, o outcome,
	err error) (until time.Time, _ error) {
	if err != nil {
		return until, err
	}
	now := w.Now()
	d.Tries, d.Tried, d.Status = d.Tries+1, now, o.status
	if !o.accepted() {
		return w.failed(ctx, d, e, o)
	}
	if now.Sub(e.Answered) > time.Hour { // 1 hour is accurate enough to judge whether the endpoint is dead
		_, err = w.Deliveries.ChangeEndpoint(ctx, d.Subscriber, d.URL, now, func(e *store.Endpoint) bool {
			e.Answered = now
			return true
		})
	}
	if err == nil {
		d.Ended, d.Delivered = now, true
		err = w.end(ctx, d)
	}
	return until, err
}

// If an alert has ended, end first removes the alert, then records the delivery. After a failure in
// between, a retry finds no alert and drops the delivery.
func (w *Worker) end(ctx context.Context, d store.Delivery) error {
	if d.Last {
		ref, err := store.ParseRef(d.Alert)
		if err == nil {
			_, err = w.Alerts.Remove(ctx, d.Subscriber, ref)
		}
		if err != nil {
			return err
		}
	}
	return w.Deliveries.End(ctx, d)
}

// An endpoint is dead after status 410, or if an event failed for 24 hours and Endpoint.Answered is
// not later than the event.
func (w *Worker) failed(ctx context.Context, d store.Delivery, e store.Endpoint,
	o outcome) (until time.Time, err error) {
	now, last := d.Tried, d.At.Add(tryingFor)
	if over := !now.Before(last); o.gone || over {
		if o.gone || !e.Answered.After(d.At) {
			err = w.bury(ctx, d)
		}
		if err == nil {
			d.Ended = now
			err = w.end(ctx, d)
		}
		return until, err
	}
	next := now.Add(max(waits[min(d.Tries, len(waits))-1], o.after))
	if next.After(last) {
		next = last
	}
	if o.quiet {
		until = next
	}
	return until, w.Deliveries.Postpone(ctx, d, next)
}

func (w *Worker) bury(ctx context.Context, d store.Delivery) error {
	now := w.Now()
	_, err := w.Deliveries.ChangeEndpoint(ctx, d.Subscriber, d.URL, now, func(e *store.Endpoint) bool {
		first := !e.Dead
		e.Dead, e.Verified = true, false
		return first
	}, notify.DeadEndpointJob(d.Subscriber, d.URL, now))
	if err != nil {
		return err
	}
	alerts, err := w.Alerts.BySubscriber(ctx, d.Subscriber)
	if err != nil {
		return err
	}
	alerts = slices.DeleteFunc(alerts, func(a store.Alert) bool {
		return a.Channel != store.Webhook ||
			a.Address != d.URL
	})
	for _, a := range alerts {
		if err := w.Alerts.Pause(ctx, a, store.UntilResumed); err != nil {
			return err
		}
	}
	return nil
}
