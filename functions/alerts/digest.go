package alerts

import (
	"context"
	_ "embed"
	"errors"
	"net/http"

	"verdetto/shared/store"
	"verdetto/shared/web/page"
)

//go:embed digest.html
var digestTemplate string

// The link to digestPage never expires, so the page does not list the alerts of the digest.
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

func (s *Service) endDigest(ctx context.Context, subscriber store.SubscriberID, v view) (*page.Response, error) {
	v.Undo = s.undo(ctx, subscriber, func(a store.Alert) bool { return a.Digest })
	ended, err := s.Alerts.RemoveDigest(ctx, subscriber)
	return s.endedByLink(ctx, subscriber, ended, err, v, "digest_before", "digest_ended")
}

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
