package alerts

import (
	"context"
	_ "embed"
	"errors"
	"net/http"
	"slices"
	"strings"

	"verdetto/shared/store"
	"verdetto/shared/web/page"
)

//go:embed digest.html
var digestTemplate string

// frequencies are the two ways to receive an alert: at once, or in the weekly digest.
var frequencies = []string{"now", weekly}

const weekly = "weekly"

func (p *pendingSubscription) setFrequency(value string) *fault {
	if !slices.Contains(frequencies, value) {
		return &fault{field: "frequency", text: "frequency",
			fill: []any{"Frequencies", strings.Join(frequencies, ", ")}}
	}
	p.digest = value == weekly
	return nil
}

// checkDigest returns a fault for each field of a request that a weekly alert cannot have.
func (p *pendingSubscription) checkDigest() []fault {
	switch {
	case p.digest && p.channel != "":
		return []fault{*p.refuseWith("frequency")}
	case p.digest && p.codes[1] == string(store.Anywhere):
		return []fault{{field: "frequency", text: "not_anywhere"}}
	}
	return nil
}

// digestPage shows a button that ends the weekly digest, and changes nothing. The link to this page
// never expires, so the page does not list the alerts of the digest. The subscriber can get the
// list by mail.
func (s *Service) digestPage(ctx context.Context, subscriber store.SubscriberID, v view) (*page.Response, error) {
	switch _, err := (store.Digests{Table: s.Alerts.Table}).Digest(ctx, subscriber); {
	case errors.Is(err, store.ErrNotFound):
		return respond(http.StatusGone, "digest_before", v)
	case err != nil:
		return nil, err
	}
	v.Action, v.Manage = s.Links.EndDigest(subscriber), s.Links.Renew(subscriber)
	return respond(http.StatusOK, "digest", v)
}

// endDigest ends all alerts in a subscriber's weekly digest. Alerts outside the digest continue.
func (s *Service) endDigest(ctx context.Context, subscriber store.SubscriberID, v view) (*page.Response, error) {
	ended, err := s.Alerts.RemoveDigest(ctx, subscriber)
	return s.endedByLink(ctx, subscriber, ended, err, v, "digest_before", "digest_ended")
}

// keptDigest returns the stored data on a subscriber's digests, or nil if no digest is stored.
func (s *Service) keptDigest(ctx context.Context, subscriber store.SubscriberID) (*keptDigest, error) {
	d, err := store.Digests{Table: s.Alerts.Table}.Digest(ctx, subscriber)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	k := &keptDigest{Day: dayOf(d.Day), Told: map[string]float64{}}
	for alert, price := range d.Prices {
		k.Told[alert] = *euros(price)
	}
	return k, nil
}
