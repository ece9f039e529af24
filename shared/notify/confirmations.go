package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/notify/outbox"
	"verdetto/shared/runtime/metrics"
	"verdetto/shared/store"
	"verdetto/shared/web/limit"
)

// Confirmations runs the jobs in Alerts.Outbox. A mail may be sent more than once, with the same
// ID.
type Confirmations struct {
	Alerts  store.Alerts
	Mail    mail.Sender
	Push    store.Outbox
	Limiter *limit.Limiter
	Links   Links
	Now     func() time.Time
	Log     *slog.Logger
	AtOnce  int // concurrent jobs; 0 means 1
	Metrics metrics.Source
}

func ConfirmJob(id string, now time.Time) store.Job {
	return store.Job{Kind: "confirm alert", Ref: id, At: now}
}

const manageKind = "manage link"

func ManageJob(s store.SubscriberID, now time.Time) store.Job {
	return store.Job{Kind: manageKind, Ref: string(s), To: s, At: now}
}

var perTopic = limit.Limit{Name: "alerts-address", Calls: 3, Window: time.Hour}

var errCeiling = fmt.Errorf("the service has sent all the mails of this hour that anybody can ask for: %w",
	outbox.ErrLater)

const sendTime = 15 * time.Second

func (c *Confirmations) Work(ctx context.Context) (ended int, err error) {
	if _, full := c.Limiter.Full(perService, everybody); full {
		return 0, nil
	}
	box, retries := c.Alerts.Outbox, c.Alerts.Outbox.Retries()
	box.Choose, retries.Choose = c.choose, c.choose
	return outbox.Worker{
		Boxes: []store.Outbox{box}, Retries: retries,
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
	if allowed, err := c.Mailboxes().Allow(ctx, pending.Email, j); err != nil || !allowed {
		return err
	}
	message, err := c.Links.confirmMail(pending, j.Ref)
	if err != nil {
		return err
	}
	return c.send(ctx, j, pending.Subscriber, message)
}

func (c *Confirmations) renew(ctx context.Context, j store.Job) error {
	alerts, err := c.Alerts.BySubscriber(ctx, store.SubscriberID(j.Ref))
	if err != nil || len(alerts) == 0 {
		return err
	}
	to := alerts[0]
	if stopped, err := c.Alerts.Stopped(ctx, to.Subscriber); err != nil || stopped {
		return err
	}
	if allowed, err := c.Mailboxes().Allow(ctx, to.Email, j); err != nil || !allowed {
		return err
	}
	message, err := c.Links.manageMail(to, j.At) // j.At is the same at each try, so a retry sends the same link
	if err != nil {
		return err
	}
	return c.send(ctx, j, to.Subscriber, message)
}

func (c *Confirmations) send(ctx context.Context, j store.Job, to store.SubscriberID, message mail.Message) error {
	if err := c.reserve(ctx, j); err != nil {
		return err
	}
	message.ID = strings.ReplaceAll(j.Name(), ".", "-")
	err := c.Mail.Send(ctx, message)
	if err == nil {
		return nil
	}
	c.uncount()
	if errors.Is(err, mail.ErrRefused) {
		c.Log.WarnContext(ctx, "the carrier refuses a confirmation for good, so its mailbox gets no mail for a while", "kind", j.Kind, "error", err)
		return errors.Join(c.Alerts.Stop(ctx, to, RefusedUntil(c.Now())), c.Mailboxes().Bounced(ctx, message.To))
	}
	return fmt.Errorf("mail for the job %q: %w", j.Kind, err)
}

// If the message fails after reserve, the caller must call uncount.
func (c *Confirmations) reserve(ctx context.Context, j store.Job) error {
	for _, l := range []limit.Limit{perSeen(c.Limiter), perService} {
		d, err := c.Limiter.CountShared(ctx, l, everybody)
		if err != nil {
			c.Log.ErrorContext(ctx, "a confirmation could not be counted towards the hour's limit, so it is sent; look at the store if this lasts", "error", err)
		}
		if !d.Allowed && (l.Name == perService.Name || !j.New && j.Network != "") {
			c.Log.WarnContext(ctx, "confirmations wait: the service has sent all the mails of this hour", "until", d.Reset)
			return errCeiling
		}
	}
	return nil
}

func (c *Confirmations) uncount() {
	c.Limiter.Uncount(perSeen(c.Limiter), everybody)
	c.Limiter.Uncount(perService, everybody)
}

func (c *Confirmations) Mailboxes() Mailboxes {
	return Mailboxes{store.Mailboxes{Table: c.Alerts.Table}, c.Links, c.Now, c.Limiter}
}

// takeCall also allows the call if the store fails.
func (c *Confirmations) takeCall(ctx context.Context, under limit.Limit, whose string) bool {
	d, err := c.Limiter.Take(ctx, under, whose)
	if err != nil {
		c.Log.ErrorContext(ctx, "a request could not be counted towards its limit, so it is allowed; look at the store if this lasts", "error", err)
	}
	return d.Allowed
}

// Without perServer, callers could flood an ntfy server with confirmation messages.
var perServer = limit.Limit{Name: "alerts-server", Calls: 100, Window: time.Hour}

var perServerNetwork = limit.Limit{Name: "alerts-server-network", Calls: 10, Window: time.Hour}

func (c *Confirmations) askElsewhere(ctx context.Context, j store.Job, pending store.Alert) error {
	server := c.server(pending.Address)
	if j.Tries == 0 && !(c.takeCall(ctx, perTopic, string(pending.Subscriber)) &&
		(j.Network == "" || c.takeCall(ctx, perServerNetwork, server+"#"+j.Network)) &&
		c.takeCall(ctx, perServer, server)) {
		return nil
	}
	if err := c.reserve(ctx, j); err != nil {
		return err
	}
	err := c.Push.PutOnce(ctx, store.Job{Kind: askKind, Ref: j.Ref, At: j.At}, "ask-"+j.Ref)
	if err != nil {
		c.uncount()
	}
	return err
}

func (c *Confirmations) server(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return string(c.Links.SubscriberAt("server", u.Host))
}

const deadEndpointKind = "webhook dead"

func DeadEndpointJob(s store.SubscriberID, endpoint string, now time.Time) store.Job {
	return store.Job{Kind: deadEndpointKind, Ref: string(s) + " " + endpoint, At: now}
}

func (c *Confirmations) tellDead(ctx context.Context, j store.Job) error {
	subscriber, endpoint, _ := strings.Cut(j.Ref, " ")
	alerts, err := c.Alerts.BySubscriber(ctx, store.SubscriberID(subscriber))
	at := slices.IndexFunc(alerts, func(a store.Alert) bool {
		return a.Channel == store.Webhook &&
			a.Address == endpoint
	})
	if err != nil || at < 0 {
		return err
	}
	to := alerts[at]
	if stopped, err := c.Alerts.Stopped(ctx, to.Subscriber); err != nil || stopped {
		return err
	}
	message, err := c.Links.endpointMail(to, j.At)
	if err != nil {
		return err
	}
	return c.send(ctx, j, to.Subscriber, message)
}

func (c *Confirmations) choose(ctx context.Context, due []store.Job, most int) (chosen []store.Job, err error) {
	if len(due) == 0 {
		return nil, nil
	}
	_, onlyNew := c.Limiter.Full(perSeen(c.Limiter), everybody)
	err = store.Networks{Table: c.Alerts.Table}.Change(ctx, c.Now(), func(networks map[string]*store.Network) {
		chosen = inTurn(networks, due, most, onlyNew, c.Now())
	})
	return chosen, err
}
