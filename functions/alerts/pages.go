package alerts

import (
	"context"
	"errors"
	"net/http"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

type confirmInput struct {
	ID             string `query:"id" doc:"Token of the mail that asks to confirm"`
	AcceptLanguage string `header:"Accept-Language"`
}

type tokenInput struct {
	Token          string `query:"t" doc:"Signed token of a mail, for one purpose"`
	AcceptLanguage string `header:"Accept-Language"`
}

// confirmPage changes nothing, because mail scanners open links.
func (s *Service) confirmPage(ctx context.Context, in *confirmInput) (*page.Response, error) {
	v := view{T: i18n.ForHeader(in.AcceptLanguage)}
	pending, response, err := s.pending(ctx, in.ID, v)
	if response != nil || err != nil {
		return response, err
	}
	if pending.Channel == store.Webhook {
		v.Host = host(pending.Address)
	}
	v.T = i18n.ForCode(pending.Language)
	v.First, v.Back = v.T.WeekdayDate(store.FirstCheck(max(pending.RequestDay, fare.DayOf(s.Now())))), s.Links.Page(pending)
	v.Row, v.Action = row(pending, v.T), s.Links.Confirm(in.ID)
	return respond(http.StatusOK, "confirm", v)
}

// Pressing the button again changes nothing.
func (s *Service) confirm(ctx context.Context, in *confirmInput) (*page.Response, error) {
	v := view{T: i18n.ForHeader(in.AcceptLanguage)}
	pending, response, err := s.pending(ctx, in.ID, v)
	if response != nil || err != nil {
		return response, err
	}
	v.Manage = s.Links.Manage(pending.Subscriber, s.Now())
	alert, err := s.Alerts.Confirm(ctx, in.ID)
	switch {
	case errors.Is(err, store.ErrTooMany):
		v.Most = store.MaxAlerts
		return respond(http.StatusConflict, "full", v)
	case err != nil:
		v.Manage = ""
		return notPending(err, v)
	}
	s.openEndpoint(ctx, alert, in.ID, &v)
	if alert.Email != "" { // confirming proves that the caller reads the mailbox
		if err := s.Confirmations.Mailboxes().Read(ctx, s.Links.Mailbox(alert.Email),
			httpapi.Subject(ctx)); err != nil {
			s.Log.ErrorContext(ctx, "it could not be stored who reads a mailbox; more mails to it count as those of a stranger", "error", err)
		}
	}
	v.T = i18n.ForCode(alert.Language)
	v.Row, v.Back = row(alert, v.T), s.Links.Page(alert)
	return respond(http.StatusOK, "confirmed", v)
}

func (s *Service) pending(ctx context.Context, id string, v view) (store.Alert, *page.Response, error) {
	if !isID(id) {
		response, err := broken(v)
		return store.Alert{}, response, err
	}
	pending, err := s.Alerts.Pending(ctx, id)
	if err == nil && pending.Subscriber == "" {
		err = store.ErrNotFound // only the user of a Telegram chat can confirm this alert
	}
	if err != nil {
		response, err := notPending(err, v)
		return pending, response, err
	}
	// While messages to the subscriber are stopped, a confirmed alert would send none.
	stopped, err := s.Alerts.Stopped(ctx, pending.Subscriber)
	if err == nil && stopped {
		response, err := respond(http.StatusGone, "stopped", v)
		return pending, response, err
	}
	return pending, nil, err
}

func notPending(err error, v view) (*page.Response, error) {
	for reason, block := range map[error]string{store.ErrUsed: "used", store.ErrStopped: "stopped",
		store.ErrNotFound: "expired"} {
		if errors.Is(err, reason) {
			return respond(http.StatusGone, block, v)
		}
	}
	return nil, err
}

func endedBefore(err error, v view) (*page.Response, error) {
	if errors.Is(err, store.ErrNotFound) {
		return respond(http.StatusGone, "ended_before", v)
	}
	return nil, err
}

func broken(v view) (*page.Response, error) {
	return respond(http.StatusBadRequest, "broken", v)
}

// unsubscribePage changes nothing, because mail scanners open links.
func (s *Service) unsubscribePage(ctx context.Context, in *tokenInput) (*page.Response, error) {
	v := view{T: i18n.ForHeader(in.AcceptLanguage)}
	if subscriber, ok := s.Links.OpenEndDigest(in.Token); ok {
		return s.digestPage(ctx, subscriber, v)
	}
	if mailbox, ok := s.Links.OpenRequests(in.Token); ok {
		return s.requestsPage(mailbox, v)
	}
	subscriber, ref, ok := s.Links.OpenUnsubscribe(in.Token)
	if !ok {
		return broken(v)
	}
	alert, err := s.Alerts.One(ctx, ref, subscriber)
	if err != nil {
		return endedBefore(err, v)
	}
	v.Row, v.Manage = row(alert, v.T), s.Links.Renew(subscriber)
	v.Action = s.Links.Unsubscribe(subscriber, ref)
	return respond(http.StatusOK, "unsubscribe", v)
}

// The token in the link says what to end. The body is ignored, because mail providers send a fixed
// body (RFC 8058).
func (s *Service) unsubscribe(ctx context.Context, in *tokenInput) (*page.Response, error) {
	v := view{T: i18n.ForHeader(in.AcceptLanguage)}
	if subscriber, ok := s.Links.OpenEndDigest(in.Token); ok {
		return s.endDigest(ctx, subscriber, v)
	}
	if mailbox, ok := s.Links.OpenRequests(in.Token); ok {
		return s.stopRequests(ctx, mailbox, v)
	}
	subscriber, ref, ok := s.Links.OpenUnsubscribe(in.Token)
	if !ok {
		return broken(v)
	}
	v.Undo = s.undo(ctx, subscriber, func(a store.Alert) bool { return a.Ref() == ref })
	ended, err := s.Alerts.Remove(ctx, subscriber, ref)
	return s.endedByLink(ctx, subscriber, ended, err, v, "ended_before", "ended")
}

// endedByLink does not list the subscriber's other alerts, because a link that ends alerts never
// expires.
func (s *Service) endedByLink(ctx context.Context, subscriber store.SubscriberID, ended int, err error, v view, none,
	some string) (*page.Response, error) {
	if err != nil {
		return nil, err
	}
	if ended == 0 {
		return respond(http.StatusGone, none, v)
	}
	alerts, err := s.Alerts.BySubscriber(ctx, subscriber)
	if err != nil {
		s.Log.ErrorContext(ctx, "alerts were ended, but the others of the mailbox could not be listed", "error", err)
	}
	if err != nil || len(alerts) > 0 {
		v.Manage = s.Links.Renew(subscriber)
	}
	return respond(http.StatusOK, some, v)
}
