package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/notify/outbox"
	"verdetto/shared/store"
)

// Callers choose the ntfy servers. A slow server must not delay mail, so messages to phones have an
// outbox of their own.
const PushOutbox = "push"

const (
	pushKind = "push"     // Job.Data is JSON of the type queued
	askKind  = "push ask" // Job.Ref is the id of the pending alert
)

type queued struct {
	Subscriber store.SubscriberID `json:"s"`
	Ref        store.Ref          `json:"r"`
	Message    Message            `json:"m"`
	// Ended is a copy of an alert that has ended, because the alert is removed once the job is
	// stored.
	Ended *store.Alert `json:"e,omitempty"`
}

// Queue is the Carrier that stores messages to phones as jobs for Pushes.
type Queue struct {
	Outbox store.Outbox // named PushOutbox
	Now    func() time.Time
}

func (q Queue) Deliver(ctx context.Context, to store.Alert, m Message) error {
	m.Picture = mail.Picture{}
	job := queued{Subscriber: to.Subscriber, Ref: to.Ref(), Message: m}
	if m.Ended {
		job.Ended = &to
	}
	data, err := json.Marshal(job)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	// The time is the start of the day (UTC), so a message that is stored again on the same day
	// gives the same job.
	at := q.Now().UTC().Truncate(24 * time.Hour)
	return q.Outbox.PutOnce(ctx, store.Job{Kind: pushKind, Ref: m.ID, At: at, Data: data}, m.ID)
}

func Queued(outbox store.Outbox, now func() time.Time) map[string]Carrier {
	q := Queue{outbox, now}
	return map[string]Carrier{store.Ntfy: q, store.Telegram: q}
}

// Pushes may deliver a message more than once.
type Pushes struct {
	Alerts   store.Alerts
	Outbox   store.Outbox // named PushOutbox
	Carriers map[string]Carrier
	Links    Links
	Now      func() time.Time
	Log      *slog.Logger
}

const (
	pushesAtOnce = 16
	pushTime     = 15 * time.Second
)

// pushWaits holds the pause after each failure. A message that fails after the last pause is
// dropped.
var pushWaits = []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	5 * time.Hour, 10 * time.Hour, 6 * time.Hour}

func (p *Pushes) Work(ctx context.Context) (ended int, err error) {
	return outbox.Worker{
		Retries: p.Outbox, Do: p.do, Within: pushTime, Waits: pushWaits, AtOnce: pushesAtOnce, Now: p.Now, Log: p.Log,
	}.Work(ctx)
}

func (p *Pushes) do(ctx context.Context, j store.Job) error {
	send := p.push
	if j.Kind == askKind {
		send = p.ask
	}
	to, err := send(ctx, j)
	switch {
	case errors.Is(err, mail.ErrRefused):
		p.Log.WarnContext(ctx, "the service of a phone refuses a message for good, so its alerts stop for a while", "kind", j.Kind, "error", err)
		if j.Kind == pushKind {
			return p.Alerts.Stop(ctx, to, RefusedUntil(p.Now()))
		}
		return nil
	case errors.Is(err, ErrUnwritable):
		p.Log.ErrorContext(ctx, "a message to a phone could not be written, and was given up: this is a fault of the program", "kind", j.Kind, "error", err)
		return nil
	}
	return err
}

func (p *Pushes) push(ctx context.Context, j store.Job) (store.SubscriberID, error) {
	var q queued
	if err := json.Unmarshal(j.Data, &q); err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	a, err := p.Alerts.One(ctx, q.Ref, q.Subscriber)
	if errors.Is(err, store.ErrNotFound) {
		if q.Ended == nil {
			return q.Subscriber, nil
		}
		a, err = *q.Ended, nil
	}
	if err != nil {
		return q.Subscriber, err
	}
	if stopped, err := p.Alerts.Stopped(ctx, a.Subscriber); err != nil || stopped {
		return a.Subscriber, err
	}
	carrier := p.Carriers[a.Channel]
	if carrier == nil {
		return a.Subscriber, fmt.Errorf("%w: there is no carrier for %q here", ErrUnwritable, a.Channel)
	}
	return a.Subscriber, carrier.Deliver(ctx, a, q.Message)
}

func (p *Pushes) ask(ctx context.Context, j store.Job) (store.SubscriberID, error) {
	pending, err := p.Alerts.Pending(ctx, j.Ref)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrUsed) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	asker, ok := p.Carriers[pending.Channel].(Asker)
	if !ok {
		return pending.Subscriber, fmt.Errorf("%w: no channel %q here", ErrUnwritable, pending.Channel)
	}
	return pending.Subscriber, asker.Ask(ctx, pending, j.Ref, p.Links.BaseURL+p.Links.Confirm(j.Ref))
}
