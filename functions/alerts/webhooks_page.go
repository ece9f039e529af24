package alerts

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"verdetto/shared/fare"
	"verdetto/shared/notify/webhook"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/page"
)

//go:embed hooks.html
var hooksTemplate string

type hookView struct {
	Endpoints []endpointRow
	Host      string
	Secret    string
	Did       string
	Count     int
}

type endpointRow struct {
	Ref, Host, URL string
	State          string
	Deliveries     []deliveryRow
}

type deliveryRow struct {
	ID, At string
	Tries  int
	State  string
	Status int
}

const maxDeliveries = 20

// The alert is active even if openEndpoint fails: the worker sends a test before the first event.
func (s *Service) openEndpoint(ctx context.Context, alert store.Alert, id string, v *view) {
	if alert.Channel != store.Webhook {
		return
	}
	isNew, now := false, s.Now()
	endpoint, err := s.Webhooks.Deliveries.ChangeEndpoint(ctx, alert.Subscriber, alert.Address, now,
		func(e *store.Endpoint) bool {
			isNew = !e.Known()
			change := isNew || e.Dead
			e.Dead = false
			return change
		})
	if err == nil && !endpoint.Verified {
		err = s.Webhooks.Deliveries.Enqueue(ctx, webhook.Test(alert, testName(id), now))
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "the endpoint of a confirmed alert could not be stored; the page of alerts can issue a new secret", "error", err)
		return
	}
	s.signal()
	v.Host = host(alert.Address)
	if isNew {
		v.Secret = s.Webhooks.Secrets.Secret(alert.Subscriber, alert.Address, endpoint.Generation)
	}
}

// testName is a hash, because the id is in a link and must not appear in a log.
func testName(id string) string {
	sum := sha256.Sum256([]byte("webhook test\x00" + id))
	return hex.EncodeToString(sum[:8])
}

func (s *Service) manageEndpoint(ctx context.Context, subscriber store.SubscriberID, pressed url.Values,
	v view) (*page.Response, error) {
	for _, did := range []string{"rotate", "test", "failed", "replay"} {
		if !pressed.Has(did) {
			continue
		}
		ref, err := store.ParseRef(pressed.Get(did))
		if err != nil {
			return broken(v)
		}
		alert, err := s.Alerts.One(ctx, ref, subscriber)
		if errors.Is(err, store.ErrNotFound) || err == nil && alert.Channel != store.Webhook {
			return respond(http.StatusGone, "ended_before", v)
		}
		if err == nil {
			err = s.doEndpoint(ctx, did, alert, &v)
		}
		if err != nil {
			return nil, err
		}
		v.Did, v.Host, v.Manage = did, host(alert.Address), s.Links.Manage(subscriber, s.Now())
		return respond(http.StatusOK, "hook", v)
	}
	return nil, nil
}

func (s *Service) doEndpoint(ctx context.Context, did string, alert store.Alert, v *view) (err error) {
	now, deliveries := s.Now(), s.Webhooks.Deliveries
	switch did {
	case "rotate":
		v.Secret, err = s.Webhooks.Secrets.Rotate(ctx, deliveries, alert.Subscriber, alert.Address, now)
	case "test":
		if err = s.resume(ctx, alert); err == nil {
			err = deliveries.Enqueue(ctx, webhook.Test(alert, now.UTC().Format("20060102T1504"), now)) // a second press in the same minute adds no second test event
		}
	default:
		if did == "failed" {
			err = s.resume(ctx, alert)
		}
		if err == nil {
			v.Count, err = deliveries.Replay(ctx, alert.Subscriber, now, func(d store.Delivery) bool {
				return d.URL == alert.Address && (did == "replay" || !d.Delivered)
			})
		}
	}
	if err == nil {
		s.signal()
	}
	return err
}

func (s *Service) resume(ctx context.Context, alert store.Alert) error {
	_, err := s.Webhooks.Deliveries.ChangeEndpoint(ctx, alert.Subscriber, alert.Address, s.Now(),
		func(e *store.Endpoint) bool {
			was := e.Dead
			e.Dead = false
			return was
		})
	if err != nil {
		return err
	}
	alerts, err := s.Alerts.BySubscriber(ctx, alert.Subscriber)
	for _, a := range alerts {
		if err == nil && a.Channel == store.Webhook && a.Address == alert.Address && a.Paused == store.UntilResumed {
			err = s.Alerts.Pause(ctx, a, 0)
		}
	}
	return err
}

func (s *Service) reopen(ctx context.Context, subscriber store.SubscriberID, ref store.Ref) (tested bool, err error) {
	alert, err := s.Alerts.One(ctx, ref, subscriber)
	if errors.Is(err, store.ErrNotFound) || err == nil && alert.Channel != store.Webhook {
		return false, nil
	}
	now := s.Now()
	if err == nil {
		_, err = s.Webhooks.Deliveries.ChangeEndpoint(ctx, subscriber, alert.Address, now,
			func(e *store.Endpoint) bool {
				tested = e.Dead
				e.Dead = false
				return tested
			})
	}
	if err == nil && tested {
		err = s.Webhooks.Deliveries.Enqueue(ctx, webhook.Test(alert, now.UTC().Format("20060102T1504"), now))
	}
	if err == nil && tested {
		s.signal()
	}
	return tested, err
}

// eachEndpoint calls visit with the first alert to each endpoint and the stored deliveries to this
// endpoint, newest first.
func (s *Service) eachEndpoint(ctx context.Context, subscriber store.SubscriberID, alerts []store.Alert,
	visit func(store.Alert, store.Endpoint, []store.Delivery)) error {
	var all []store.Delivery
	seen := map[string]bool{}
	for _, a := range alerts {
		if a.Channel != store.Webhook || seen[a.Address] {
			continue
		}
		endpoint, err := s.Webhooks.Deliveries.Endpoint(ctx, subscriber, a.Address)
		if err == nil && len(seen) == 0 {
			all, err = s.Webhooks.Deliveries.BySubscriber(ctx, subscriber)
			slices.SortFunc(all, func(a, b store.Delivery) int { return b.At.Compare(a.At) })
		}
		if err != nil {
			return err
		}
		seen[a.Address] = true
		var there []store.Delivery
		for _, d := range all {
			if d.URL == a.Address {
				there = append(there, d)
			}
		}
		visit(a, endpoint, there)
	}
	return nil
}

func (s *Service) endpoints(ctx context.Context, subscriber store.SubscriberID, alerts []store.Alert,
	l *i18n.Language) (rows []endpointRow, err error) {
	err = s.eachEndpoint(ctx, subscriber, alerts, func(a store.Alert, e store.Endpoint, deliveries []store.Delivery) {
		row := endpointRow{Ref: a.Ref().String(), Host: host(a.Address), URL: a.Address,
			State: endpointState(e, a.Paused > fare.DayOf(s.Now()))}
		for _, d := range deliveries[:min(len(deliveries), maxDeliveries)] {
			row.Deliveries = append(row.Deliveries, deliveryRow{ID: d.ID, At: l.Moment(d.At), Tries: d.Tries,
				State: stateOf(d), Status: d.Status})
		}
		rows = append(rows, row)
	})
	return rows, err
}

func endpointState(e store.Endpoint, paused bool) string {
	switch {
	case e.Dead && paused:
		return "dead"
	case e.Verified:
		return "works"
	}
	return "waiting"
}

func stateOf(d store.Delivery) string {
	switch {
	case d.Delivered:
		return "delivered"
	case !d.Ended.IsZero():
		return "failed"
	}
	return "under_way"
}

// host leaves out the path of the URL, which may be secret.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.Hostname(), ".")
}
