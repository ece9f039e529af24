// Package alerts serves the endpoints of price alerts; package notify sends the notifications.
// Anyone can ask for an alert. The reader of the mailbox confirms it by a button, so that programs
// that follow links confirm nothing. One click ends an alert, on a page or in the mail program.
//
// Answers and work are the same for every address, so they reveal nothing about it. No caller can
// change another subscriber's alert. Personal data are deleted with the last alert. Every step is
// idempotent: it can fail before or after its effect and be retried.
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

// Service serves the endpoints of alerts.
type Service struct {
	Alerts        store.Alerts
	Confirmations *notify.Confirmations // uses the same Alerts
	Pushes        *notify.Pushes
	Links         notify.Links
	Webhooks      *webhook.Worker
	Random        io.Reader
	Now           func() time.Time
	Log           *slog.Logger
	Telegram      TelegramBot
	// SignalWorker, if set, is called when the outbox has new jobs.
	SignalWorker func()

	spend func(context.Context) error // counts a call that asks for an alert
}

func (s *Service) signal() {
	if s.SignalWorker != nil {
		s.SignalWorker()
	}
}

// Register adds the endpoints to an API.
func (s *Service) Register(api *httpapi.API) {
	s.spend = func(ctx context.Context) error { return api.ConsumeQuota(ctx, "alerts") }
	httpapi.JSON(api, "alerts", httpapi.JSONDoc{
		Summary: "Ask for a price-drop alert",
		Description: "A mail goes to the address with a link to confirm; until then nothing is sent, and after 48 hours it is forgotten. " +
			"The answer is the same for every address. Asking again for the same route, trip and kind changes its numbers, once that is confirmed.",
		Problems: []httpapi.ProblemType{httpapi.UnknownCity, httpapi.SameCity},
		Body:     wanted{}, Answer: accepted{}, Status: http.StatusAccepted, ConsumesQuota: true,
		Pages: []int{http.StatusAccepted, http.StatusBadRequest, http.StatusNotFound, http.StatusTooManyRequests},
	}, nil, s.subscribe)
	httpapi.Page(api, "alerts-confirm-page", httpapi.PageDoc{
		Summary: "The page that a link to confirm leads to", Statuses: []int{200, 400, 410}}, s.confirmPage)
	httpapi.Page(api, "alerts-confirm", httpapi.PageDoc{
		Summary: "Confirm an alert", Statuses: []int{200, 400, 409, 410}}, s.confirm)
	httpapi.Page(api, "alerts-unsubscribe-page", httpapi.PageDoc{
		Summary: "The page that a link to unsubscribe leads to", Statuses: []int{200, 400, 410}}, s.unsubscribePage)
	httpapi.Page(api, "alerts-unsubscribe", httpapi.PageDoc{
		Summary:  "End an alert: by the page's button, or by a mail provider in one click (RFC 8058)",
		Statuses: []int{200, 400, 410}}, s.unsubscribe)
	httpapi.JSON(api, "alerts-telegram", httpapi.JSONDoc{
		Summary:     "What people tell the bot of Telegram",
		Description: "Called by Telegram alone. The answer says what the bot says in the chat.",
		Problems:    []httpapi.ProblemType{NotTelegram},
		Answer:      map[string]any{},
	}, nil, s.update)
	httpapi.Page(api, "alerts-manage-page", httpapi.PageDoc{
		Summary: "The alerts of a subscriber, as a page or all that is kept of them as JSON; or with a link to pause one the page that does it",
		Answer:  kept{}, Statuses: []int{200, 400, 410}}, s.managePage)
	httpapi.Page(api, "alerts-manage", httpapi.PageDoc{
		Summary: "Change, pause, resume or end one alert of a subscriber, or end all", Statuses: []int{200, 400, 410},
		Form: removal{}}, s.manage)
}
