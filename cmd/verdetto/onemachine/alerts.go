package onemachine

import (
	"verdetto/functions/alerts"
	"verdetto/shared/answer"
	"verdetto/shared/notify"
	"verdetto/shared/notify/webhook"
	"verdetto/shared/store"
)

func (s *Service) openAlerts(carrier Carrier) (err error) {
	o := s.options
	s.Alerts, err = alerts.New(alerts.Parts{
		Table: o.Table, Limiter: s.limiter(), Pepper: o.Pepper, BaseURL: o.BaseURL, Mail: carrier,
		Delay: o.JobDelay, AtOnce: jobsAtOnce, Outbound: o.Outbound, Bot: o.Telegram, Now: o.Now, Log: o.Log,
	})
	if err == nil {
		s.hooksSignal, s.Alerts.SignalWorker = newSignal()
	}
	return err
}

// NewSender returns the sender of the notifications that refreshes create.
func (o Options) NewSender(carrier Carrier) *notify.Sender {
	carriers := notify.Queued(store.Outbox{Table: o.Table, Name: notify.PushOutbox}, o.Now)
	carriers[store.Webhook] = webhook.Carrier{Deliveries: store.Deliveries{Table: o.Table}, Now: o.Now}
	fares := store.Fares{Table: o.Table}
	return &notify.Sender{
		Alerts: store.Alerts{Table: o.Table}, Notifications: store.Notifications{Table: o.Table}, Mail: carrier,
		Answers:  answer.NewUnrecorded(fares, o.Now, o.Log),
		Carriers: carriers, Links: notify.Links{Pepper: o.Pepper, BaseURL: o.BaseURL}, Rate: carrier.Rate, Now: o.Now,
		Log: o.Log,
	}
}
