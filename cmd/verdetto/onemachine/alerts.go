package onemachine

import (
	"crypto/rand"
	"errors"

	"verdetto/functions/alerts"
	"verdetto/shared/answer"
	"verdetto/shared/carrier/ntfy"
	"verdetto/shared/carrier/outbound"
	"verdetto/shared/carrier/telegram"
	"verdetto/shared/notify"
	"verdetto/shared/notify/push"
	"verdetto/shared/notify/webhook"
	"verdetto/shared/store"
	"verdetto/shared/web/limit"
)

// openAlerts makes the price-drop alerts.
func (s *Service) openAlerts(carrier Carrier) error {
	o := s.options
	hooks, deliver := newSignal()
	s.hooksSignal = hooks
	records := store.Alerts{Table: o.Table, Outbox: store.Outbox{Table: o.Table, Name: "alerts", Delay: o.JobDelay}}
	confirmations := &notify.Confirmations{
		Alerts: records, Mail: carrier, Limiter: limit.New(o.Table, o.Now), Links: o.links(), Now: o.Now, Log: o.Log, Push: o.pushOutbox(), AtOnce: jobsAtOnce,
	}
	carriers, err := o.carriers()
	if err != nil {
		return err
	}
	s.Alerts = &alerts.Service{
		Alerts: records, Confirmations: confirmations, Links: o.links(), Random: rand.Reader, Now: o.Now, Log: o.Log,
		SignalWorker: deliver,
		Pushes:       &notify.Pushes{Alerts: records, Outbox: o.pushOutbox(), Carriers: carriers, Links: o.links(), Now: o.Now, Log: o.Log},
		Webhooks: &webhook.Worker{
			Deliveries: store.Deliveries{Table: o.Table, Outbox: records.Outbox}, Alerts: records, Client: o.outbound(),
			Secrets: webhook.Secrets{Pepper: o.Pepper}, Limiter: confirmations.Limiter, Now: o.Now, Log: o.Log,
		},
		Telegram: alerts.TelegramBot{Name: o.Telegram.Bot, Secret: o.Telegram.Secret},
	}
	return nil
}

func (o Options) pushOutbox() store.Outbox {
	return store.Outbox{Table: o.Table, Name: notify.PushOutbox}
}

// carriers are those that deliver to phones.
func (o Options) carriers() (map[string]notify.Carrier, error) {
	bot := o.Telegram
	if fault := bot.Fault(); fault != "" {
		return nil, errors.New(fault)
	}
	carriers := map[string]notify.Carrier{store.Ntfy: push.Ntfy{Publisher: ntfy.Publisher{Outbound: o.outbound()}, BaseURL: o.BaseURL}}
	if bot.Bot != "" {
		client, err := telegram.New(telegram.Config{Token: bot.Token, URL: bot.URL})
		if err != nil {
			return nil, err
		}
		carriers[store.Telegram] = push.Telegram{Bot: client, BaseURL: o.BaseURL}
	}
	return carriers, nil
}

// outbound asks servers whose addresses strangers give.
func (o Options) outbound() outbound.Poster {
	if o.Outbound != nil {
		return o.Outbound
	}
	return outbound.New(outbound.Config{})
}

func (o Options) links() notify.Links { return notify.Links{Pepper: o.Pepper, BaseURL: o.BaseURL} }

// NewSender makes what sends subscribers the notifications that refreshes leave, through a carrier.
func (o Options) NewSender(carrier Carrier) *notify.Sender {
	carriers := notify.Queued(o.pushOutbox(), o.Now)
	carriers[store.Webhook] = webhook.Carrier{Deliveries: store.Deliveries{Table: o.Table}, Now: o.Now}
	fares := store.Fares{Table: o.Table}
	return &notify.Sender{
		Alerts: store.Alerts{Table: o.Table}, Notifications: store.Notifications{Table: o.Table}, Mail: carrier,
		Answers:  answer.NewUnrecorded(fares, o.Now, o.Log),
		Carriers: carriers, Links: o.links(), Rate: carrier.Rate, Now: o.Now, Log: o.Log,
	}
}
