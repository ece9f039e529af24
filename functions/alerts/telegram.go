package alerts

import (
	"context"
	"errors"
	"net/http"

	"verdetto/shared/carrier/telegram"
	"verdetto/shared/notify"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

// The zero value of TelegramBot means that the service has no bot.
type TelegramBot struct {
	Name   string // without @
	Secret string
}

var NotTelegram = httpapi.ProblemType{Status: http.StatusForbidden, Code: "non-da-telegram",
	Title: "The call does not come from Telegram"}

type updateInput struct {
	Secret  string `header:"X-Telegram-Bot-Api-Secret-Token"`
	RawBody []byte `contentType:"application/json"`
}

// Telegram repeats an update that the service did not accept, so a command may run twice.
func (s *Service) update(ctx context.Context, in *updateInput) (*page.Response, error) {
	if s.Telegram.Name == "" {
		return nil, NotTelegram.Problem("This service has no Telegram bot. Choose another channel.")
	}
	if !telegram.IsSecret(in.Secret, s.Telegram.Secret) {
		return nil, NotTelegram.Problem("X-Telegram-Bot-Api-Secret-Token is not the secret of the webhook. Set the webhook " +
			"again with TELEGRAM_SECRET.")
	}
	command, ok, err := telegram.ReadUpdate(in.RawBody)
	if err != nil {
		// After an error status Telegram would deliver the malformed update again.
		s.Log.WarnContext(ctx, "an update of Telegram cannot be read", "error", err)
		return telegramAnswer(nil), nil
	}
	if !ok {
		return telegramAnswer(nil), nil
	}
	message, err := s.obey(ctx, command)
	if err != nil || message == nil {
		return telegramAnswer(nil), err
	}
	reply, err := telegram.Reply(command.Chat, *message)
	return telegramAnswer(reply), err
}

func telegramAnswer(reply []byte) *page.Response {
	if reply == nil {
		reply = []byte("{}")
	}
	return &page.Response{Status: http.StatusOK, ContentType: "application/json", Body: reply}
}

func (s *Service) obey(ctx context.Context, command telegram.Command) (*telegram.Message, error) {
	l := i18n.ForHeader(command.Language)
	subscriber := s.Links.SubscriberAt(store.Telegram, command.Chat)
	switch {
	case command.Name == telegram.Blocked:
		_, err := s.Alerts.Remove(ctx, subscriber)
		return nil, err
	case !command.Private:
		if command.Name == "" {
			return nil, nil
		}
		return &telegram.Message{Text: l.Text("telegram.private")}, nil
	case command.Name == "start" && command.Argument != "":
		return s.start(ctx, command)
	case command.Name == "stop":
		return s.stop(ctx, subscriber, l)
	case command.Name == "list":
		return s.alertsOf(ctx, subscriber, l)
	}
	return s.answer(l, "help"), nil
}

// Pressing the button proves consent, so start also lifts an earlier stop.
func (s *Service) start(ctx context.Context, command telegram.Command) (*telegram.Message, error) {
	l := i18n.ForHeader(command.Language)
	if !isID(command.Argument) {
		return s.answer(l, "expired"), nil
	}
	subscriber := s.Links.SubscriberAt(store.Telegram, command.Chat)
	pending, err := s.Alerts.Pending(ctx, command.Argument)
	if err == nil && pending.Channel != store.Telegram {
		err = store.ErrNotFound // the alert is for another channel, so this chat may not confirm it
	}
	if err == nil {
		l = i18n.ForCode(pending.Language)
		if err = s.Alerts.Resume(ctx, subscriber); err == nil {
			pending, err = s.Alerts.ConfirmAs(ctx, command.Argument, subscriber, command.Chat)
		}
	}
	switch {
	case errors.Is(err, store.ErrUsed):
		return s.answer(l, "used"), nil
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrStopped):
		return s.answer(l, "expired"), nil
	case errors.Is(err, store.ErrTooMany):
		m := s.manageable(l, subscriber)
		m.Title, m.Text = l.Text("telegram.full_title", "Most", store.MaxAlerts), l.Text("telegram.full")
		return m, nil
	case err != nil:
		return nil, err
	}
	m := s.manageable(l, subscriber)
	m.Title = l.Text("telegram.started_title", "Route", row(pending, l).Names)
	m.Text = l.Text("telegram.started", "When", notify.PlainWhen(pending, l)) + "\n\n" + l.Text("telegram.commands")
	return m, nil
}

func (s *Service) stop(ctx context.Context, subscriber store.SubscriberID,
	l *i18n.Language) (*telegram.Message, error) {
	ended, err := s.Alerts.Remove(ctx, subscriber)
	if err != nil {
		return nil, err
	}
	if ended == 0 {
		return s.answer(l, "none"), nil
	}
	return s.answer(l, "ended"), nil
}

func (s *Service) alertsOf(ctx context.Context, subscriber store.SubscriberID,
	l *i18n.Language) (*telegram.Message, error) {
	alerts, err := s.Alerts.BySubscriber(ctx, subscriber)
	if err != nil {
		return nil, err
	}
	if len(alerts) == 0 {
		return s.answer(l, "none"), nil
	}
	m := s.manageable(l, subscriber)
	m.Title = l.Text("telegram.list_title")
	for _, a := range alerts {
		m.Text += row(a, l).Names + ", " + notify.PlainWhen(a, l) + "\n"
	}
	m.Text += "\n" + l.Text("telegram.commands")
	return m, nil
}

func (s *Service) manageable(l *i18n.Language, subscriber store.SubscriberID) *telegram.Message {
	return &telegram.Message{Buttons: []telegram.Button{{Label: l.Text("telegram.change"),
		URL: s.Links.BaseURL + s.Links.Manage(subscriber, s.Now())}}}
}

func (s *Service) answer(l *i18n.Language, text string) *telegram.Message {
	return &telegram.Message{
		Title: l.Text("telegram." + text + "_title"), Text: l.Text("telegram." + text),
		Buttons: []telegram.Button{{Label: l.Text("telegram.page"), URL: s.Links.BaseURL + "/"}},
	}
}
