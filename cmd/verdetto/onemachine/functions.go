package onemachine

import (
	"crypto/rand"
	"strings"

	"verdetto/cmd/verdetto/monitor"
	"verdetto/functions/alerts"
	"verdetto/functions/pro"
	"verdetto/functions/pro/plan"
	"verdetto/shared/answer"
	"verdetto/shared/notify"
	"verdetto/shared/notify/webhook"
	"verdetto/shared/pay"
	"verdetto/shared/runtime/config"
	"verdetto/shared/store"
)

const (
	RealMoney = "real"
	NoMoney   = "none"
)

func (s *Service) openPro(carrier Carrier) (err error) {
	o := s.options
	var payments config.Pay
	var operator config.Operator
	if err = config.Load(&operator); err != nil {
		return err
	}
	switch o.Money {
	case NoMoney:
	case RealMoney:
		err = config.Load(payments.Groups()...)
	default:
		if s.Payments = o.StandIns; s.Payments == nil {
			s.Payments, err = StartStandIns(o.Now, o.LocalURL)
		}
		if err == nil {
			payments = s.Payments.config()
		}
	}
	if err != nil {
		return err
	}
	s.Pro = &pro.Service{
		Keys:     store.Customers{Table: o.Table, Changed: s.refused.Forget},
		Checkout: pay.Unsold{},
		Outbox:   store.Outbox{Table: o.Table, Name: "pro", Delay: o.JobDelay},
		Sender:   carrier,
		Limiter:  s.limiter(), Refused: s.refused, Pepper: o.Pepper, BaseURL: o.BaseURL,
		Random: rand.Reader, Now: o.Now, Log: o.Log,
		JobsAtOnce: jobsAtOnce, Operator: pro.Operator(operator),
		Processors: pro.Processors{Mail: mailHost(o.Mail), Simulated: s.Payments != nil},
		OnDelivery: func(err error, todo string) {
			const subject = "Stripe's webhook"
			if err == nil {
				o.resolved(subject)
			} else {
				o.troubled(monitor.Trouble{Of: subject, Error: err.Error(), Todo: strings.ToUpper(todo[:1]) + todo[1:]})
			}
		},
	}
	return plan.Sell(s.Pro, payments)
}

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
