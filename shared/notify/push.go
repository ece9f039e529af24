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

// PushOutbox is the name of the outbox of what goes to phones. It is one of its
// own, so that servers which strangers name hold up no mail.
const PushOutbox = "push"

// Kinds of jobs in it.
const (
	pushKind = "push"     // Data is a queued
	askKind  = "push ask" // Ref is the id of what is to be confirmed
)

type queued struct {
	Subscriber store.SubscriberID `json:"s"`
	Ref        store.Ref          `json:"r"`
	Message    Message            `json:"m"`
	// Ended is the alert of a message that says that it has ended: it is removed once the message is stored.
	Ended *store.Alert `json:"e,omitempty"`
}

// Queue is the Carrier of channels whose messages Pushes delivers: it stores what
// is due, in one write. The same message again is stored once.
type Queue struct {
	Outbox store.Outbox // named PushOutbox
	Now    func() time.Time
}

// Deliver implements Carrier.
func (q Queue) Deliver(ctx context.Context, to store.Alert, m Message) error {
	m.Picture = mail.Picture{} // phones are sent none
	job := queued{Subscriber: to.Subscriber, Ref: to.Ref(), Message: m}
	if m.Ended {
		job.Ended = &to
	}
	data, err := json.Marshal(job)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	// Of the day, so that a message that is left again finds itself. It is due at once.
	at := q.Now().UTC().Truncate(24 * time.Hour)
	return q.Outbox.PutOnce(ctx, store.Job{Kind: pushKind, Ref: m.ID, At: at, Data: data}, m.ID)
}

// Queued are the carriers of a Sender for the channels that Pushes delivers to.
func Queued(outbox store.Outbox, now func() time.Time) map[string]Carrier {
	q := Queue{outbox, now}
	return map[string]Carrier{store.Ntfy: q, store.Telegram: q}
}

// Pushes delivers what is due to phones, and asks there for confirmation.
//
// A job that fails waits behind everything that is due before, so a server that is slow or
// down delays its own messages. A message is delivered at least once, under the same ID.
type Pushes struct {
	Alerts   store.Alerts
	Outbox   store.Outbox       // named PushOutbox
	Carriers map[string]Carrier // by the names of channels; one that is an Asker asks too
	Links    Links
	Now      func() time.Time
	Log      *slog.Logger
}

const (
	pushesAtOnce = 16
	pushTime     = 15 * time.Second // more than a message takes
)

// pushWaits are those after each failure; after the last of them a message is given up.
var pushWaits = []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	5 * time.Hour, 10 * time.Hour, 6 * time.Hour}

// Work does what is due, and returns how many jobs have ended.
func (p *Pushes) Work(ctx context.Context) (ended int, err error) {
	return outbox.Worker{
		Retries: p.Outbox, Do: p.do, Within: pushTime, Waits: pushWaits, AtOnce: pushesAtOnce, Now: p.Now, Log: p.Log,
	}.Work(ctx)
}

// do does one job. An error is one that another attempt may not have.
func (p *Pushes) do(ctx context.Context, j store.Job) error {
	send := p.push
	if j.Kind == askKind {
		send = p.ask
	}
	to, err := send(ctx, j)
	switch {
	case errors.Is(err, mail.ErrRefused):
		p.Log.WarnContext(ctx, "message to a phone refused for good", "kind", j.Kind, "error", err)
		if j.Kind == pushKind { // who was only asked has alerts there, or will have, as before
			return p.Alerts.Stop(ctx, to, RefusedUntil(p.Now()))
		}
		return nil
	case errors.Is(err, ErrUnwritable):
		p.Log.ErrorContext(ctx, "message to a phone given up", "kind", j.Kind, "error", err)
		return nil
	}
	return err
}

// push delivers a message, unless its alert has ended meanwhile.
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

// ask asks to confirm an alert, unless that is no longer wanted.
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
		return pending.Subscriber, fmt.Errorf("%w: nobody asks by %q here", ErrUnwritable, pending.Channel)
	}
	return pending.Subscriber, asker.Ask(ctx, pending, j.Ref, p.Links.BaseURL+p.Links.Confirm(j.Ref))
}
