package store

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"
)

type Mailboxes struct{ Table Table }

type Mailbox struct {
	Mails   []MailboxMail `json:"mails,omitempty"`
	Stopped time.Time     `json:"stopped,omitzero"`
	// Reader is a caller who has proved to read the mailbox, and whom Stopped does not block.
	Reader string    `json:"reader,omitempty"`
	Until  time.Time `json:"until,omitzero"`
}

type MailboxMail struct {
	Job     string    `json:"job"`
	Caller  string    `json:"caller,omitempty"`
	Own     bool      `json:"own,omitempty"`
	At      time.Time `json:"at"`
	Network string    `json:"network,omitempty"`
}

// MailboxSpan is how long a mail counts towards the quota of a mailbox.
const MailboxSpan = 24 * time.Hour

// Change removes expired data before it calls change. After a conflict, Change calls change again.
func (m Mailboxes) Change(ctx context.Context, id SubscriberID, now time.Time, change func(*Mailbox)) error {
	err := RetryConflicts(ctx, func() error {
		key := Key{"MAILBOX#" + string(id), "MAILS"}
		b, item, err := get[Mailbox](ctx, m.Table, key, Strong)
		if err := unless(err, ErrNotFound); err != nil {
			return err
		}
		b.forget(now)
		change(&b)
		data, err := json.Marshal(b)
		if err != nil || bytes.Equal(data, item.Data) || item.Version == 0 && b.expires().IsZero() {
			return err
		}
		op := replace(Item{Key: key, Version: item.Version, Data: data, Expires: b.expires()})
		if op.Mode == Replace && op.Item.Expires.IsZero() {
			op.Mode = Remove
		}
		return m.Table.Write(ctx, op)
	})
	return wrap(err, "change a mailbox")
}

func (b *Mailbox) forget(now time.Time) {
	b.Mails = slices.DeleteFunc(b.Mails, func(m MailboxMail) bool { return now.Sub(m.At) >= MailboxSpan })
	if !now.Before(b.Stopped) {
		b.Stopped = time.Time{}
	}
	if !now.Before(b.Until) {
		b.Reader, b.Until = "", time.Time{}
	}
}

func (b *Mailbox) expires() time.Time {
	last := b.Stopped
	if b.Until.After(last) {
		last = b.Until
	}
	for _, m := range b.Mails {
		if end := m.At.Add(MailboxSpan); end.After(last) {
			last = end
		}
	}
	return last
}
