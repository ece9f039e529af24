package alerts

import (
	"context"
	"net/http"

	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/store"
	"verdetto/shared/web/page"
)

// snoozePage lists no other alerts, because the link is for one alert.
func (s *Service) snoozePage(ctx context.Context, subscriber store.SubscriberID, ref store.Ref,
	v view) (*page.Response, error) {
	alert, err := s.Alerts.One(ctx, ref, subscriber)
	return s.snoozing(alert, err, "snooze", v)
}

// Pressing the button again on the same day does not extend the pause.
func (s *Service) snooze(ctx context.Context, subscriber store.SubscriberID, ref store.Ref,
	v view) (*page.Response, error) {
	until := fare.DayOf(s.Now()) + notify.SnoozeDays
	alert, err := s.Alerts.Change(ctx, ref, subscriber, func(a *store.Alert) { a.Paused = max(a.Paused, until) })
	return s.snoozing(alert, err, "snoozed", v)
}

func (s *Service) snoozing(alert store.Alert, err error, block string, v view) (*page.Response, error) {
	if err != nil {
		return endedBefore(err, v)
	}
	v.Row = row(alert, v.T)
	v.Until = v.T.Date(max(fare.DayOf(s.Now())+notify.SnoozeDays, alert.Paused))
	v.Action, v.Manage = s.Links.Snooze(alert.Subscriber, alert.Ref()), s.Links.Renew(alert.Subscriber)
	return respond(http.StatusOK, block, v)
}
