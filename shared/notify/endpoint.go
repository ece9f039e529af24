package notify

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
)

const deadEndpointKind = "webhook dead"

// DeadEndpointJob returns a job that mails a subscriber that an endpoint no longer accepts events.
func DeadEndpointJob(s store.SubscriberID, endpoint string, now time.Time) store.Job {
	return store.Job{Kind: deadEndpointKind, Ref: string(s) + " " + endpoint, At: now}
}

// tellDead mails the owner of a dead webhook endpoint, unless no alert uses it any more.
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
	u, err := url.Parse(endpoint)
	if err != nil {
		return err
	}
	message, err := mail.EndpointMail(mail.AlertsLink{
		To: to.Email, Lang: i18n.ForCode(to.Language).Code, Days: ManageDays,
		Link: c.Links.BaseURL + c.Links.Manage(to.Subscriber, j.At),
	}, u.Hostname())
	if err != nil {
		return err
	}
	return c.send(ctx, j, to.Subscriber, message)
}
