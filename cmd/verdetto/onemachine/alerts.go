package onemachine

import (
	"crypto/rand"

	"verdetto/functions/alerts"
	"verdetto/shared/limit"
	"verdetto/shared/mail/maildir"
	"verdetto/shared/notify"
	"verdetto/shared/store"
)

// openAlerts makes the price-drop alerts.
func (s *Service) openAlerts() error {
	o := s.options
	sender, err := maildir.Open(o.Mail, o.Now)
	if err != nil {
		return err
	}
	signalled, signal := newSignal()
	s.alertsSignal = signalled
	records := store.Alerts{Table: o.Table, Outbox: store.Outbox{Table: o.Table, Name: "alerts"}}
	confirmations := &notify.Confirmations{
		Alerts: records, Mail: sender, Limiter: limit.New(o.Table, o.Now), Links: o.links(), Now: o.Now, Log: o.Log,
	}
	s.Alerts = &alerts.Service{
		Alerts: records, Confirmations: confirmations, Links: o.links(), Random: rand.Reader, Now: o.Now, Log: o.Log, SignalWorker: signal,
	}
	return nil
}

func (o Options) links() notify.Links { return notify.Links{Pepper: o.Pepper, BaseURL: o.BaseURL} }

// folderRate is how many mails a second go into a folder, which has no quota.
const folderRate = 1000

// NewSender makes what sends subscribers the notifications that refreshes leave, into the folder for mail.
func (o Options) NewSender() (*notify.Sender, error) {
	folder, err := maildir.Open(o.Mail, o.Now)
	if err != nil {
		return nil, err
	}
	return &notify.Sender{
		Alerts: store.Alerts{Table: o.Table}, Notifications: store.Notifications{Table: o.Table}, Mail: folder,
		Links: o.links(), Rate: folderRate, Now: o.Now, Log: o.Log,
	}, nil
}
