package onemachine

import (
	"crypto/rand"

	"verdetto/functions/alerts"
	"verdetto/functions/refresh"
	"verdetto/shared/limit"
	"verdetto/shared/mail/maildir"
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
	s.Alerts = &alerts.Service{
		Alerts: store.Alerts{Table: o.Table, Outbox: store.Outbox{Table: o.Table, Name: "alerts"}},
		Sender: sender, Limiter: limit.New(o.Table, o.Now), Pepper: o.Pepper, BaseURL: o.BaseURL,
		Random: rand.Reader, Now: o.Now, Log: o.Log, SignalWorker: signal,
	}
	return nil
}

// folderRate is how many mails a second go into a folder, which has no quota.
const folderRate = 1000

// NewSender makes what sends subscribers the notifications that refreshes leave, into the folder for mail.
func (o Options) NewSender() (*refresh.Sender, error) {
	folder, err := maildir.Open(o.Mail, o.Now)
	if err != nil {
		return nil, err
	}
	return &refresh.Sender{
		Alerts: store.Alerts{Table: o.Table}, Notifications: store.Notifications{Table: o.Table}, Mail: folder,
		Pepper: o.Pepper, BaseURL: o.BaseURL, Rate: folderRate, Now: o.Now, Log: o.Log,
	}, nil
}
