package main

import (
	"context"
	"crypto/rand"
	"fmt"

	"verdetto/functions/alerts"
	"verdetto/shared/limit"
	"verdetto/shared/mail/maildir"
	"verdetto/shared/store"
)

// openAlerts makes the price-drop alerts over a table, for a service that is
// reached at base; their mail goes into a folder.
func (c *choices) openAlerts(ctx context.Context, table store.Table, pepper []byte, base string) (*alerts.Service, error) {
	sender, err := maildir.Open(c.mail, c.now)
	if err != nil {
		return nil, err
	}
	woken, wake := bell()
	service := &alerts.Service{
		Alerts: store.Alerts{Table: table, Outbox: store.Outbox{Table: table, Name: "alerts"}},
		Sender: sender, Limiter: limit.New(table, c.now), Pepper: pepper, BaseURL: base,
		Random: rand.Reader, Now: c.now, Log: c.log, SignalWorker: wake,
	}
	go c.keepWorking(ctx, service, woken)
	return service, nil
}

// alertExamples says how to ask for an alert here.
func alertExamples(address, mail string) {
	fmt.Printf(`
ask for an alert, and open the link of the mail that lands in %[2]s

  curl -H 'Content-Type: application/json' -d '{"route":"MIL-BUH","email":"ada@example.com","threshold":40}' http://%[1]s/api/v1/alerts
`, address, mail)
}
