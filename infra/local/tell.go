package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"verdetto/functions/refresh"
	"verdetto/shared/mail/maildir"
	"verdetto/shared/store"
)

// deskRate is how fast mail goes into a folder, which has no quota.
const deskRate = 1000

// openSender makes what tells subscribers the news, into the folder for mail.
func (c *choices) openSender(table store.Table, pepper []byte, base string) (*refresh.Sender, error) {
	folder, err := maildir.Open(c.mail, c.now)
	if err != nil {
		return nil, err
	}
	return &refresh.Sender{
		Alerts: store.Alerts{Table: table}, Notifications: store.Notifications{Table: table}, Mail: folder,
		Pepper: pepper, BaseURL: base, Rate: deskRate, Now: c.now, Log: c.log,
	}, nil
}

// keepTelling tells what refreshes have left, now and then until the process ends.
func keepTelling(ctx context.Context, log *slog.Logger, sender *refresh.Sender) {
	for {
		if _, err := sender.Work(ctx); err != nil && ctx.Err() == nil {
			log.Error("telling the news failed; it is tried again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Minute):
		}
	}
}

// tellOnce tells what there is to tell and reports.
func (c *choices) tellOnce(ctx context.Context, table store.Table, base string) error {
	pepper, err := pepperOf(ctx, table)
	if err != nil {
		return err
	}
	sender, err := c.openSender(table, pepper, base)
	if err != nil {
		return err
	}
	sent, err := sender.Work(ctx)
	fmt.Printf("mail          %d sent, %d refused for good\n", sent.Sent, sent.Refused)
	switch {
	case err != nil:
		return err
	case sent.Busy:
		return fmt.Errorf("another process is telling the news, or died at it less than 3 minutes ago; run this again then")
	case sent.Left:
		return fmt.Errorf("not all news was told; run this again")
	}
	return nil
}
