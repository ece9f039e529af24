package onemachine

import (
	"crypto/rand"

	"verdetto/functions/alerts"
	"verdetto/shared/limit"
	"verdetto/shared/notify"
	"verdetto/shared/store"
)

// openAlerts makes the price-drop alerts.
func (s *Service) openAlerts(carrier Carrier) {
	o := s.options
	signalled, signal := newSignal()
	s.alertsSignal = signalled
	records := store.Alerts{Table: o.Table, Outbox: store.Outbox{Table: o.Table, Name: "alerts"}}
	confirmations := &notify.Confirmations{
		Alerts: records, Mail: carrier, Limiter: limit.New(o.Table, o.Now), Links: o.links(), Now: o.Now, Log: o.Log,
	}
	s.Alerts = &alerts.Service{
		Alerts: records, Confirmations: confirmations, Links: o.links(), Random: rand.Reader, Now: o.Now, Log: o.Log, SignalWorker: signal,
	}
}

func (o Options) links() notify.Links { return notify.Links{Pepper: o.Pepper, BaseURL: o.BaseURL} }

// NewSender makes what sends subscribers the notifications that refreshes leave, through a carrier.
func (o Options) NewSender(carrier Carrier) *notify.Sender {
	return &notify.Sender{
		Alerts: store.Alerts{Table: o.Table}, Notifications: store.Notifications{Table: o.Table}, Mail: carrier,
		Links: o.links(), Rate: carrier.Rate, Now: o.Now, Log: o.Log,
	}
}
