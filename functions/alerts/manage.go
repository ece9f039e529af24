package alerts

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

func (s *Service) managePage(ctx context.Context, in *managePageInput) (*page.Response, error) {
	v := view{T: i18n.Choose(in.Lang, in.AcceptLanguage), Days: notify.ManageDays}
	if in.Token+in.Format == "" {
		return respond(http.StatusOK, "mine", v)
	}
	if subscriber, ref, ok := s.Links.OpenSnooze(in.Token); ok {
		return s.snoozePage(ctx, subscriber, ref, v)
	}
	subscriber, current, ok := s.Links.OpenManage(in.Token, s.Now())
	if !ok {
		return broken(v)
	}
	if !current {
		return s.renewal(subscriber, v)
	}
	if in.Format == asJSON {
		return s.export(ctx, subscriber, v)
	}
	return s.orNone(ctx, subscriber, http.StatusOK, v)
}

func (s *Service) orNone(ctx context.Context, subscriber store.SubscriberID, status int,
	v view) (*page.Response, error) {
	response, err := s.list(ctx, subscriber, v)
	if err != nil {
		return nil, err
	}
	if response == nil {
		return respond(http.StatusGone, "none", v)
	}
	response.Status = status
	return response, nil
}

// The name removal is part of the published API description.
type removal struct {
	_         struct{} `additionalProperties:"true"`
	Remove    string   `json:"remove,omitempty" doc:"The alert to end, as the page names it" example:"MIL-BUH"`
	Snooze    string   `json:"snooze,omitempty" doc:"The alert to pause for 30 days"`
	Pause     string   `json:"pause,omitempty" doc:"The alert to pause until it is resumed"`
	Resume    string   `json:"resume,omitempty" doc:"The alert to resume"`
	Weekly    string   `json:"weekly,omitempty" doc:"The alert by mail to report once a week"`
	Now       string   `json:"now,omitempty" doc:"The alert to report at once again"`
	Change    string   `json:"change,omitempty" doc:"The alert that gets new numbers"`
	Threshold string   `json:"threshold,omitempty" doc:"With change, of kind threshold or verdict: in the alert's currency. Empty: by the verdict" example:"49,90"`
	Days      string   `json:"days,omitempty" doc:"With change, of kind low: 7 to 365; empty: 30" example:"60"`
	Percent   string   `json:"percent,omitempty" doc:"With change, of kind drop: 1 to 90" example:"15"`
	Amount    string   `json:"amount,omitempty" doc:"With change, of kind drop, instead of percent: in the alert's currency" example:"20"`
	Paid      string   `json:"paid,omitempty" doc:"With change, of kind paid: in the alert's currency" example:"129,90"`
	Test      string   `json:"test,omitempty" doc:"By webhook: send a test event, and resume"`
	Failed    string   `json:"failed,omitempty" doc:"By webhook: deliver failed events again, and resume"`
	Replay    string   `json:"replay,omitempty" doc:"By webhook: deliver all events again"`
	Rotate    string   `json:"rotate,omitempty" doc:"By webhook: change its secret"`
	All       string   `json:"all,omitempty" doc:"Any value: end all alerts"`
	Renew     string   `json:"renew,omitempty" doc:"Any value: mail a new link"`
	Email     string   `json:"email,omitempty" doc:"Without t: mail a link to the alerts of this address"`
	Undo      string   `json:"undo,omitempty" doc:"Without t: token that restores alerts which have just ended"`
}

type manageInput struct {
	Token          string `query:"t" doc:"Signed token of a mail, for one purpose"`
	AcceptLanguage string `header:"Accept-Language"`
	Lang           string `query:"lang" doc:"Code of the language of the mails and pages. It takes precedence over Accept-Language"`
	RawBody        []byte `contentType:"application/x-www-form-urlencoded"`
}

// A link to pause one alert only pauses this alert, whatever the form contains.
func (s *Service) manage(ctx context.Context, in *manageInput) (*page.Response, error) {
	v := view{T: i18n.Choose(in.Lang, in.AcceptLanguage)}
	if subscriber, ref, ok := s.Links.OpenSnooze(in.Token); ok {
		return s.snooze(ctx, subscriber, ref, v)
	}
	if mailbox, ok := s.Links.OpenRequests(in.Token); ok {
		return s.allowRequests(ctx, mailbox, v)
	}
	subscriber, current, ok := s.Links.OpenManage(in.Token, s.Now())
	form, err := url.ParseQuery(string(in.RawBody))
	switch {
	case err == nil && in.Token == "" && form.Has("email"):
		return s.mailList(ctx, form.Get("email"), v)
	case err == nil && in.Token == "" && form.Has("undo"):
		return s.restore(ctx, form.Get("undo"), v)
	case !ok || err != nil:
		return broken(v)
	case form.Has("renew"):
		return s.renew(ctx, subscriber, v)
	case !current:
		return s.renewal(subscriber, v)
	case form.Has("all"):
		return s.end(ctx, subscriber, v)
	}
	if response, err := s.manageEndpoint(ctx, subscriber, form, v); response != nil || err != nil {
		return response, err
	}
	for _, button := range []struct {
		name  string
		press func(context.Context, store.SubscriberID, store.Ref, url.Values, view) (*page.Response, error)
	}{{"remove", s.remove}, {"snooze", s.pause}, {"pause", s.pause}, {"resume", s.pause}, {"weekly", s.frequency},
		{"now", s.frequency}, {"change", s.change}} {
		if !form.Has(button.name) {
			continue
		}
		ref, err := store.ParseRef(form.Get(button.name))
		if err != nil {
			return broken(v)
		}
		return button.press(ctx, subscriber, ref, form, v)
	}
	return broken(v)
}

func (s *Service) remove(ctx context.Context, subscriber store.SubscriberID, ref store.Ref, _ url.Values,
	v view) (*page.Response, error) {
	return s.end(ctx, subscriber, v, ref)
}

func (s *Service) end(ctx context.Context, subscriber store.SubscriberID, v view,
	which ...store.Ref) (*page.Response, error) {
	v.Undo = s.undo(ctx, subscriber, func(a store.Alert) bool { return len(which) == 0 || slices.Contains(which, a.Ref()) })
	ended, err := s.Alerts.Remove(ctx, subscriber, which...)
	if err != nil {
		return nil, err
	}
	if ended == 0 {
		return respond(http.StatusGone, "ended_before", v)
	}
	return s.endedPage(ctx, subscriber, v)
}

// The token that undo returns does not restore alerts by webhook, because their endpoint and secret
// may be gone.
func (s *Service) undo(ctx context.Context, subscriber store.SubscriberID, ends func(store.Alert) bool) string {
	alerts, err := s.Alerts.BySubscriber(ctx, subscriber)
	alerts = slices.DeleteFunc(alerts, func(a store.Alert) bool { return !ends(a) || a.Channel == store.Webhook })
	token, sealed := s.Links.Undo(alerts, s.Now())
	if err := errors.Join(err, sealed); err != nil {
		s.Log.ErrorContext(ctx, "alerts ended without the link that restores them, because they could not be read", "error", err)
	}
	return token
}

// restore is idempotent. It needs no confirmation by mail, because the owner has confirmed the
// alerts before.
func (s *Service) restore(ctx context.Context, token string, v view) (*page.Response, error) {
	alerts, ok := s.Links.OpenUndo(token, s.Now())
	if !ok {
		return respond(http.StatusGone, "expired", v)
	}
	for _, a := range alerts {
		id, err := newID(s.Random)
		if err == nil {
			err = s.Alerts.AddPending(ctx, id, a, s.Now().Add(pendingHours*time.Hour))
		}
		if err != nil {
			return nil, err
		}
		if _, err := s.Alerts.Confirm(ctx, id); err != nil {
			return notPending(err, v)
		}
		v.Rows = append(v.Rows, row(a, v.T))
	}
	v.Manage = s.Links.Renew(alerts[0].Subscriber)
	return respond(http.StatusOK, "undone", v)
}

func (s *Service) mailList(ctx context.Context, typed string, v view) (*page.Response, error) {
	address, err := mail.ParseAddress(typed)
	if err != nil {
		v.Days, v.Faults = notify.ManageDays, pageTexts([]fault{{field: "email", text: "email"}}, v.T, false)
		return respond(http.StatusBadRequest, "mine", v)
	}
	if err := s.spend(ctx); err != nil {
		return nil, err
	}
	return s.renew(ctx, s.Links.Subscriber(address), v)
}

func (s *Service) pause(ctx context.Context, subscriber store.SubscriberID, ref store.Ref, form url.Values,
	v view) (*page.Response, error) {
	until := store.UntilResumed
	switch {
	case form.Has("snooze"):
		until = fare.DayOf(s.Now()) + notify.SnoozeDays
	case form.Has("resume"):
		until = 0
		tested, err := s.reopen(ctx, subscriber, ref)
		if err != nil {
			return nil, err
		}
		if tested {
			v.Confirmation = v.T.Text("alerts.hook.tested")
		}
	}
	return s.changed(ctx, subscriber, ref, v, func(a *store.Alert) { a.Paused = until })
}

func (s *Service) frequency(ctx context.Context, subscriber store.SubscriberID, ref store.Ref, form url.Values,
	v view) (*page.Response, error) {
	return s.changed(ctx, subscriber, ref, v, func(a *store.Alert) { a.Digest = form.Has("weekly") && a.MayDigest() })
}

// Route and trip cannot change, because they identify the alert.
func (s *Service) change(ctx context.Context, subscriber store.SubscriberID, ref store.Ref, form url.Values,
	v view) (*page.Response, error) {
	alert, err := s.Alerts.One(ctx, ref, subscriber)
	if err != nil {
		return endedBefore(err, v)
	}
	given, faults := readNumbers(alert, form)
	if len(faults) == 0 {
		if faults, err = s.convert(ctx, &given); err != nil && len(faults) == 0 {
			return nil, err
		}
	}
	if len(faults) > 0 {
		v.Faults = pageTexts(faults, v.T, alert.Trip.From != 0)
		return s.orNone(ctx, subscriber, http.StatusBadRequest, v)
	}
	return s.changed(ctx, subscriber, ref, v, given.number)
}

func (s *Service) changed(ctx context.Context, subscriber store.SubscriberID, ref store.Ref, v view,
	change func(*store.Alert)) (*page.Response, error) {
	_, err := s.Alerts.Change(ctx, ref, subscriber, change)
	if err != nil {
		return endedBefore(err, v)
	}
	v.Confirmation = strings.TrimSpace(v.T.Text("alerts.manage.saved") + " " + v.Confirmation)
	return s.orNone(ctx, subscriber, http.StatusOK, v)
}

// renewal shows no alerts, because the link is too old or has no date.
func (s *Service) renewal(subscriber store.SubscriberID, v view) (*page.Response, error) {
	v.Action, v.Days = s.Links.Renew(subscriber), notify.ManageDays
	return respond(http.StatusGone, "renew", v)
}

// The page is the same with and without alerts, so only the reader of the mailbox learns whether
// there are alerts.
func (s *Service) renew(ctx context.Context, subscriber store.SubscriberID, v view) (*page.Response, error) {
	job := notify.ManageJob(subscriber, s.Now())
	job.Caller, job.Network = httpapi.Subject(ctx), httpapi.MailNetwork(ctx)
	if err := s.Alerts.Outbox.Put(ctx, job); err != nil {
		return nil, err
	}
	s.signal()
	return respond(http.StatusOK, "renewed", v)
}

func (s *Service) endedPage(ctx context.Context, subscriber store.SubscriberID, v view) (*page.Response, error) {
	v.Confirmation = v.T.Text("alerts.manage.ended")
	response, err := s.list(ctx, subscriber, v)
	if err != nil {
		// If the remaining alerts cannot be listed, the page must still say that the others have
		// ended.
		s.Log.ErrorContext(ctx, "alerts were ended, but the others of the mailbox could not be listed", "error", err)
		v.Manage = s.Links.Manage(subscriber, s.Now())
	}
	if response != nil && err == nil {
		return response, nil
	}
	return respond(http.StatusOK, "ended", v)
}

func (s *Service) list(ctx context.Context, subscriber store.SubscriberID, v view) (*page.Response, error) {
	alerts, err := s.Alerts.BySubscriber(ctx, subscriber)
	if len(alerts) == 0 || err != nil {
		return nil, err
	}
	v.Action = s.Links.Manage(subscriber, s.Now())
	v.Export = v.Action + "&format=" + asJSON
	for _, a := range alerts {
		v.Rows = append(v.Rows, s.managed(a, v.T))
	}
	if v.Endpoints, err = s.endpoints(ctx, subscriber, alerts, v.T); err != nil {
		return nil, err
	}
	return respond(http.StatusOK, "manage", v)
}
