// Package alerts serves the endpoints of price alerts; package notify sends the notifications. The
// owner of an address confirms an alert with a button, because some mail programs open links by
// themselves. The answer to a request for an alert does not reveal whether an address has alerts.
package alerts

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"verdetto/shared/notify"
	"verdetto/shared/notify/webhook"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
)

type Service struct {
	Alerts        store.Alerts
	Confirmations *notify.Confirmations // must have the same Alerts as the Service
	Pushes        *notify.Pushes
	Links         notify.Links
	Webhooks      *webhook.Worker
	Random        io.Reader
	Now           func() time.Time
	Log           *slog.Logger
	Telegram      TelegramBot
	SignalWorker  func()

	spend func(context.Context) error
}

func (s *Service) signal() {
	if s.SignalWorker != nil {
		s.SignalWorker()
	}
}

func (s *Service) Register(api *httpapi.API) {
	s.spend = func(ctx context.Context) error { return api.ConsumeQuota(ctx, "alerts") }
	httpapi.JSON(api, "alerts", httpapi.JSONDoc{
		Summary: "Request a price alert",
		Description: "Stores the request and sends a link to confirm it; for Telegram, the answer has the " +
			"link. Without confirmation nothing else is sent, and the request expires after 48 hours. Fares " +
			"are checked once a day, and a message is sent at most once a day, from the day after the " +
			"request. An alert whose last departure is on that day or before it is refused. The answer is " +
			"the same for every address. A new request for the same route, trip, kind, channel and address " +
			"changes the alert once it is confirmed; kinds threshold and verdict count as the same.",
		Problems: []httpapi.ProblemType{httpapi.UnknownCity, httpapi.SameCity, TooSoon},
		Body:     wanted{}, Answer: accepted{}, Status: http.StatusAccepted, ConsumesQuota: true,
		Pages: []int{http.StatusAccepted, http.StatusBadRequest, http.StatusNotFound, http.StatusTooManyRequests},
	}, nil, s.subscribe)
	httpapi.Page(api, "alerts-confirm-page", httpapi.PageDoc{
		Summary: "Page of the link that confirms an alert", Statuses: []int{200, 400, 410}}, s.confirmPage)
	httpapi.Page(api, "alerts-confirm", httpapi.PageDoc{
		Summary: "Confirm an alert", Statuses: []int{200, 400, 409, 410}}, s.confirm)
	httpapi.Page(api, "alerts-unsubscribe-page", httpapi.PageDoc{
		Summary: "Page of the link that ends an alert", Statuses: []int{200, 400, 410}}, s.unsubscribePage)
	httpapi.Page(api, "alerts-unsubscribe", httpapi.PageDoc{
		Summary:  "End an alert: by the page's button, or by a mail provider in one click (RFC 8058)",
		Statuses: []int{200, 400, 410}}, s.unsubscribe)
	httpapi.JSON(api, "alerts-telegram", httpapi.JSONDoc{
		Summary:     "Messages to the Telegram bot",
		Description: "Receives Telegram's calls. The answer holds the bot's reply.",
		Problems:    []httpapi.ProblemType{NotTelegram},
		Answer:      map[string]any{},
	}, nil, s.update)
	httpapi.Page(api, "alerts-manage-page", httpapi.PageDoc{
		Summary: "The alerts of a subscriber, as a page or as JSON, or a page with a button to pause one",
		Answer:  kept{}, Statuses: []int{200, 400, 410}}, s.managePage)
	httpapi.Page(api, "alerts-manage", httpapi.PageDoc{
		Summary: "Change, pause, resume or end one alert of a subscriber, or end all", Statuses: []int{200, 400, 410},
		Form: removal{}}, s.manage)
}
