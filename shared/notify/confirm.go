package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/notify/outbox"
	"verdetto/shared/runtime/metrics"
	"verdetto/shared/store"
	"verdetto/shared/web/limit"
)

// Confirmations asks whoever reads a mailbox to confirm an alert that somebody
// asked for, and mails subscribers a fresh link to manage theirs. The outbox of
// its Alerts holds a ConfirmJob or a ManageJob for each.
//
// A mail is sent at least once: the same message every time, with the same link to confirm, which works once.
type Confirmations struct {
	Alerts store.Alerts
	Mail   mail.Sender
	// Push is the outbox that Pushes works through, for channels other than mail.
	Push    store.Outbox
	Limiter *limit.Limiter
	Links   Links
	Now     func() time.Time
	Log     *slog.Logger
	AtOnce  int // how many jobs are done at a time; 0: one
	Metrics metrics.Source
}

// Asker asks whoever reads an address of a channel whether they want what was asked
// for under an id, by a link to the page that confirms it. Its errors are those of package mail.
type Asker interface {
	Ask(ctx context.Context, pending store.Alert, id, link string) error
}

// ConfirmJob is the job of asking to confirm what was asked for under an id.
func ConfirmJob(id string, now time.Time) store.Job {
	return store.Job{Kind: "confirm alert", Ref: id, At: now}
}

// manageKind is that of a ManageJob; all others ask to confirm.
const manageKind = "manage link"

// ManageJob is the job of mailing a subscriber a fresh link to manage.
func ManageJob(s store.SubscriberID, now time.Time) store.Job {
	return store.Job{Kind: manageKind, Ref: string(s), At: now}
}

// perTopic bounds how often anyone can have messages sent to a topic; for mail see Mailboxes.
var perTopic = limit.Limit{Name: "alerts-address", Calls: 3, Window: time.Hour}

// perService bounds how many such mails the whole service sends, whoever has them
// sent to whom: somebody who has many addresses to ask from must not make it a
// sender that mail providers refuse. What is over it waits for the next hour.
var perService = limit.Limit{Name: "alerts-service", Calls: 1000, Window: time.Hour}

const everybody = "all"

// errCeiling: the service has sent all the mails of this hour. The job is taken up again.
var errCeiling = fmt.Errorf("the service has sent all the mails of this hour that anybody can ask for: %w",
	outbox.ErrLater)

const sendTime = 15 * time.Second // more than a mail takes

// Work does the jobs of the outbox that are due, and returns how many have ended.
func (c *Confirmations) Work(ctx context.Context) (ended int, err error) {
	if _, full := c.Limiter.Full(perService, everybody); full {
		return 0, nil
	}
	return outbox.Worker{
		Boxes: []store.Outbox{c.Alerts.Outbox}, Retries: c.Alerts.Outbox.Retries(),
		Do: c.do, Within: sendTime, AtOnce: c.AtOnce, Now: c.Now, Log: c.Log, Metrics: c.Metrics,
	}.Work(ctx)
}

func (c *Confirmations) do(ctx context.Context, j store.Job) error {
	switch j.Kind {
	case manageKind:
		return c.renew(ctx, j)
	case deadEndpointKind:
		return c.tellDead(ctx, j)
	}
	return c.ask(ctx, j)
}

// ask mails the link of one job, unless it is too late, no longer needed or not to be.
func (c *Confirmations) ask(ctx context.Context, j store.Job) error {
	pending, err := c.Alerts.Pending(ctx, j.Ref)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrUsed) {
		return nil
	}
	if err != nil {
		return err
	}
	if stopped, err := c.Alerts.Stopped(ctx, pending.Subscriber); err != nil || stopped {
		return err
	}
	if pending.Email == "" {
		return c.askElsewhere(ctx, j, pending)
	}
	if allowed, err := c.Mailboxes().Allow(ctx, pending.Email, j.Caller, j.Name()); err != nil || !allowed {
		return err
	}
	message, err := confirmMail(pending, j.Ref, c.Links)
	if err != nil {
		return err
	}
	return c.send(ctx, j, pending.Subscriber, message)
}

// renew mails a fresh link to manage, unless there is nothing to manage any more or it is not to be.
func (c *Confirmations) renew(ctx context.Context, j store.Job) error {
	alerts, err := c.Alerts.Of(ctx, store.SubscriberID(j.Ref))
	if err != nil || len(alerts) == 0 {
		return err
	}
	to := alerts[0]
	if stopped, err := c.Alerts.Stopped(ctx, to.Subscriber); err != nil || stopped {
		return err
	}
	if allowed, err := c.Mailboxes().Allow(ctx, to.Email, j.Caller, j.Name()); err != nil || !allowed {
		return err
	}
	message, err := manageMail(to, c.Links, j.At) // of the job, so that it is the same however often it is sent
	if err != nil {
		return err
	}
	return c.send(ctx, j, to.Subscriber, message)
}

// send hands a mail to the carrier, within what the service sends in an hour; a mailbox that
// refuses it for good gets no more.
func (c *Confirmations) send(ctx context.Context, j store.Job, to store.SubscriberID, message mail.Message) error {
	if err := c.reserve(ctx); err != nil {
		return err
	}
	message.ID = strings.ReplaceAll(j.Name(), ".", "-") // the same however often the job is done
	err := c.Mail.Send(ctx, message)
	if err == nil {
		return nil
	}
	c.Limiter.Leave(perService, everybody)
	if errors.Is(err, mail.ErrRefused) {
		c.Log.WarnContext(ctx, "mail refused for good", "kind", j.Kind, "error", err)
		return c.Alerts.Stop(ctx, to, RefusedUntil(c.Now()))
	}
	return fmt.Errorf("mail for the job %q: %w", j.Kind, err)
}

// reserve counts one message of the hour. The caller gives it back if no carrier takes the message.
func (c *Confirmations) reserve(ctx context.Context) error {
	d, err := c.Limiter.Join(ctx, perService, everybody)
	if err != nil {
		c.Log.ErrorContext(ctx, "message not counted", "error", err)
	}
	if !d.Allowed {
		c.Log.WarnContext(ctx, "confirmations wait: the service has sent all the mails of this hour", "until", d.Reset)
		return errCeiling
	}
	return nil
}

// Mailboxes counts the mails that anyone can cause.
func (c *Confirmations) Mailboxes() Mailboxes {
	return Mailboxes{store.Mailboxes{Table: c.Alerts.Table}, c.Links, c.Now}
}

// counted counts one message under a limit. Where it cannot be counted, it is sent.
func (c *Confirmations) counted(ctx context.Context, under limit.Limit, whose string) bool {
	d, err := c.Limiter.Take(ctx, under, whose)
	if err != nil {
		c.Log.ErrorContext(ctx, "mail not counted", "error", err)
	}
	return d.Allowed
}

// perServer bounds how many such messages go to one server that strangers name, who
// so can neither flood it nor use up what it takes from the service in a day.
var perServer = limit.Limit{Name: "alerts-server", Calls: 100, Window: time.Hour}

// askElsewhere leaves it to Pushes to ask, within what an address, a server and the
// service are sent in an hour. It is counted as mails are.
func (c *Confirmations) askElsewhere(ctx context.Context, j store.Job, pending store.Alert) error {
	if j.Tries == 0 && !(c.counted(ctx, perTopic, string(pending.Subscriber)) &&
		c.counted(ctx, perServer, c.server(pending.Address))) {
		return nil
	}
	if err := c.reserve(ctx); err != nil {
		return err
	}
	err := c.Push.PutOnce(ctx, store.Job{Kind: askKind, Ref: j.Ref, At: j.At}, "ask-"+j.Ref)
	if err != nil {
		c.Limiter.Leave(perService, everybody)
	}
	return err
}

// server is what the server of an address is counted as.
func (c *Confirmations) server(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return string(c.Links.SubscriberAt("server", u.Host))
}
