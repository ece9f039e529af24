package alerts

import (
	"context"
	"net/http"

	"verdetto/shared/notify"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

func (s *Service) requestsPage(mailbox store.SubscriberID, v view) (*page.Response, error) {
	v.Action, v.Manage = s.Links.Requests(mailbox), s.Links.AllowRequests(mailbox)
	v.Most, v.Days = s.Confirmations.Mailboxes().Most(), notify.StoppedDays
	return respond(http.StatusOK, "requests", v)
}

func (s *Service) stopRequests(ctx context.Context, mailbox store.SubscriberID, v view) (*page.Response, error) {
	until, err := s.Confirmations.Mailboxes().Stop(ctx, mailbox)
	if err != nil {
		return nil, err
	}
	v.Until, v.Manage = v.T.Moment(until), s.Links.AllowRequests(mailbox)
	return respond(http.StatusOK, "requests_stopped", v)
}

func (s *Service) allowRequests(ctx context.Context, mailbox store.SubscriberID, v view) (*page.Response, error) {
	if err := s.Confirmations.Mailboxes().Resume(ctx, mailbox, httpapi.Subject(ctx)); err != nil {
		return nil, err
	}
	v.Most = s.Confirmations.Mailboxes().Most()
	return respond(http.StatusOK, "requests_allowed", v)
}
