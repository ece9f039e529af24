package alerts

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"verdetto/shared/fare"
	"verdetto/shared/i18n"
	"verdetto/shared/notify"
	"verdetto/shared/page"
	"verdetto/shared/store"
)

type confirmInput struct {
	ID             string `query:"id" doc:"From the mail that asks to confirm"`
	AcceptLanguage string `header:"Accept-Language"`
}

type tokenInput struct {
	Token          string `query:"t" doc:"From a mail: signed, and good for one purpose"`
	AcceptLanguage string `header:"Accept-Language"`
}

// confirmPage shows a button and changes nothing: mail scanners follow links.
func (s *Service) confirmPage(ctx context.Context, in *confirmInput) (*page.Response, error) {
	v := view{T: i18n.Accepted(in.AcceptLanguage)}
	pending, response, err := s.pending(ctx, in.ID, v)
	if response != nil || err != nil {
		return response, err
	}
	v.Block, v.Row, v.Action = "confirm", row(pending, v.T), s.Links.Confirm(in.ID)
	return respond(http.StatusOK, v)
}

// confirm makes the alert. Where its answer is lost, pressing again says that it was made.
func (s *Service) confirm(ctx context.Context, in *confirmInput) (*page.Response, error) {
	v := view{T: i18n.Accepted(in.AcceptLanguage)}
	pending, response, err := s.pending(ctx, in.ID, v)
	if response != nil || err != nil {
		return response, err
	}
	v.Manage = s.Links.Manage(pending.Subscriber, s.Now())
	alert, err := s.Alerts.Confirm(ctx, in.ID)
	switch {
	case errors.Is(err, store.ErrTooMany):
		v.Block, v.Most = "full", store.MaxAlerts
		return respond(http.StatusConflict, v)
	case err != nil:
		v.Manage = ""
		return notPending(err, v)
	}
	v.Block, v.Row = "confirmed", row(alert, v.T)
	return respond(http.StatusOK, v)
}

// pending gives what was asked for, or the page that says why it cannot be confirmed.
func (s *Service) pending(ctx context.Context, id string, v view) (store.Alert, *page.Response, error) {
	if !isID(id) {
		response, err := broken(v)
		return store.Alert{}, response, err
	}
	pending, err := s.Alerts.Pending(ctx, id)
	if err != nil {
		response, err := notPending(err, v)
		return pending, response, err
	}
	// Mail may have been stopped since: an alert would be kept and never sent.
	stopped, err := s.Alerts.Stopped(ctx, pending.Subscriber)
	if err == nil && stopped {
		v.Block = "stopped"
		response, err := respond(http.StatusGone, v)
		return pending, response, err
	}
	return pending, nil, err
}

// notPending says why there is nothing to confirm.
func notPending(err error, v view) (*page.Response, error) {
	switch {
	case errors.Is(err, store.ErrUsed):
		v.Block = "used"
	case errors.Is(err, store.ErrStopped):
		v.Block = "stopped"
	case errors.Is(err, store.ErrNotFound):
		v.Block = "expired"
	default:
		return nil, err
	}
	return respond(http.StatusGone, v)
}

// broken says that a link is not one of ours, or not whole.
func broken(v view) (*page.Response, error) {
	v.Block = "broken"
	return respond(http.StatusBadRequest, v)
}

// unsubscribePage shows a button and changes nothing.
func (s *Service) unsubscribePage(ctx context.Context, in *tokenInput) (*page.Response, error) {
	v := view{T: i18n.Accepted(in.AcceptLanguage)}
	subscriber, route, ok := s.Links.OpenUnsubscribe(in.Token)
	if !ok {
		return broken(v)
	}
	alert, err := s.Alerts.One(ctx, route, subscriber)
	switch {
	case errors.Is(err, store.ErrNotFound):
		v.Block = "ended_before"
		return respond(http.StatusGone, v)
	case err != nil:
		return nil, err
	}
	v.Block, v.Row, v.Manage = "unsubscribe", row(alert, v.T), s.Links.Renew(subscriber)
	v.Action = s.Links.Unsubscribe(subscriber, route)
	return respond(http.StatusOK, v)
}

// unsubscribe ends an alert, whoever presses: a person, or the reader's mail
// provider with List-Unsubscribe=One-Click (RFC 8058). The token says all, so the
// body does not matter; only a GET ends nothing.
func (s *Service) unsubscribe(ctx context.Context, in *tokenInput) (*page.Response, error) {
	v := view{T: i18n.Accepted(in.AcceptLanguage)}
	subscriber, route, ok := s.Links.OpenUnsubscribe(in.Token)
	if !ok {
		return broken(v)
	}
	ended, err := s.Alerts.Remove(ctx, subscriber, route)
	if err != nil {
		return nil, err
	}
	if ended == 0 {
		v.Block = "ended_before"
		return respond(http.StatusGone, v)
	}
	// A link to one alert shows no other, however old it is: the rest is for a link that is mailed.
	alerts, err := s.Alerts.Of(ctx, subscriber)
	if err != nil {
		s.Log.ErrorContext(ctx, "alerts not listed", "error", err) // what was asked for is done
	}
	if v.Block = "ended"; err != nil || len(alerts) > 0 {
		v.Manage = s.Links.Renew(subscriber)
	}
	return respond(http.StatusOK, v)
}

// managePage lists what a subscriber has; where the link is too old, it offers a fresh one.
func (s *Service) managePage(ctx context.Context, in *tokenInput) (*page.Response, error) {
	v := view{T: i18n.Accepted(in.AcceptLanguage)}
	subscriber, current, ok := s.Links.OpenManage(in.Token, s.Now())
	if !ok {
		return broken(v)
	}
	if !current {
		return s.renewal(subscriber, v)
	}
	response, err := s.list(ctx, subscriber, v)
	if response == nil && err == nil {
		v.Block = "none"
		return respond(http.StatusGone, v)
	}
	return response, err
}

// removal describes what the page of a subscriber's alerts sends.
type removal struct {
	Remove string `json:"remove,omitempty" doc:"The route of the alert to end" example:"MIL-BUH"`
	All    string `json:"all,omitempty" doc:"Anything: end them all"`
	Renew  string `json:"renew,omitempty" doc:"Anything: mail the subscriber a fresh link, in the place of one that is too old"`
}

type manageInput struct {
	Token          string `query:"t" doc:"From a mail: signed, and good for one purpose"`
	AcceptLanguage string `header:"Accept-Language"`
	RawBody        []byte `contentType:"application/x-www-form-urlencoded"`
}

func (s *Service) manage(ctx context.Context, in *manageInput) (*page.Response, error) {
	v := view{T: i18n.Accepted(in.AcceptLanguage)}
	subscriber, current, ok := s.Links.OpenManage(in.Token, s.Now())
	pressed, err := url.ParseQuery(string(in.RawBody))
	if !ok || err != nil {
		return broken(v)
	}
	if pressed.Has("renew") {
		return s.renew(ctx, subscriber, v)
	}
	if !current {
		return s.renewal(subscriber, v)
	}
	var which []fare.Route
	if !pressed.Has("all") {
		route, err := fare.ParseRoute(pressed.Get("remove"))
		if err != nil {
			return broken(v)
		}
		which = append(which, route)
	}
	ended, err := s.Alerts.Remove(ctx, subscriber, which...)
	if err != nil {
		return nil, err
	}
	if ended == 0 {
		v.Block = "ended_before"
		return respond(http.StatusGone, v)
	}
	return s.left(ctx, subscriber, v)
}

// renewal is the page of a link that is too old: it shows nothing, and has a button.
func (s *Service) renewal(subscriber store.SubscriberID, v view) (*page.Response, error) {
	v.Block, v.Action, v.Days = "renew", s.Links.Renew(subscriber), notify.ManageDays
	return respond(http.StatusGone, v)
}

// renew leaves the job of mailing a fresh link. The page is the same whether there
// is anything to manage or not: that is for whoever reads the mailbox.
func (s *Service) renew(ctx context.Context, subscriber store.SubscriberID, v view) (*page.Response, error) {
	if err := s.Alerts.Outbox.Put(ctx, notify.ManageJob(subscriber, s.Now())); err != nil {
		return nil, err
	}
	if s.SignalWorker != nil {
		s.SignalWorker()
	}
	v.Block = "renewed"
	return respond(http.StatusOK, v)
}

// left is the page after something was ended: it says so, and lists what is left.
func (s *Service) left(ctx context.Context, subscriber store.SubscriberID, v view) (*page.Response, error) {
	v.Ended = true
	response, err := s.list(ctx, subscriber, v)
	if err != nil {
		// What was asked for is done. That the rest cannot be read just now is no reason to say otherwise.
		s.Log.ErrorContext(ctx, "alerts not listed", "error", err)
		v.Manage = s.Links.Manage(subscriber, s.Now())
	}
	if response != nil && err == nil {
		return response, nil
	}
	v.Block = "ended"
	return respond(http.StatusOK, v)
}

// list is the page of a subscriber's alerts, nil where there are none.
func (s *Service) list(ctx context.Context, subscriber store.SubscriberID, v view) (*page.Response, error) {
	alerts, err := s.Alerts.Of(ctx, subscriber)
	if len(alerts) == 0 || err != nil {
		return nil, err
	}
	v.Block, v.Action = "manage", s.Links.Manage(subscriber, s.Now())
	for _, a := range alerts {
		v.Rows = append(v.Rows, row(a, v.T))
	}
	return respond(http.StatusOK, v)
}
