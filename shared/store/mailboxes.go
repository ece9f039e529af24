package store

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"
)

// Mailboxes stores which mails that any caller can cause a mailbox was sent in the
// last 24 hours, and what its reader has said about them (keys: MAILBOX).
type Mailboxes struct{ Table Table }

// Mailbox is what is stored of one.
type Mailbox struct {
	Mails   []MailboxMail `json:"mails,omitempty"`  // of the last 24 hours
	Stopped time.Time     `json:"stopped,omitzero"` // until then its reader wants no mails that others cause
	Reader  string        `json:"reader,omitempty"` // the caller who has shown to read it
	Until   time.Time     `json:"until,omitzero"`   // that the caller counts as its reader
}

// MailboxMail is a mail that was sent.
type MailboxMail struct {
	Job    string    `json:"job"`
	Caller string    `json:"caller,omitempty"` // who asked for it
	Own    bool      `json:"own,omitempty"`    // the caller was its reader
	At     time.Time `json:"at"`
}

// MailboxSpan is how long a mail counts.
const MailboxSpan = 24 * time.Hour

// Change reads a mailbox, without what is over by now, lets change alter it, and
// writes it where it was altered; where another writer came between, it begins again.
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
		op := over(Item{Key: key, Version: item.Version, Data: data, Expires: b.expires()})
		if op.Mode == Replace && op.Item.Expires.IsZero() {
			op.Mode = Remove
		}
		return m.Table.Write(ctx, op)
	})
	return wrap(err, "change a mailbox")
}

// forget drops what is over.
func (b *Mailbox) forget(now time.Time) {
	b.Mails = slices.DeleteFunc(b.Mails, func(m MailboxMail) bool { return now.Sub(m.At) >= MailboxSpan })
	if !now.Before(b.Stopped) {
		b.Stopped = time.Time{}
	}
	if !now.Before(b.Until) {
		b.Reader, b.Until = "", time.Time{}
	}
}

// expires is when all of it is over; zero where there is nothing.
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
