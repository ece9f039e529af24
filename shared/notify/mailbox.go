package notify

import (
	"context"
	"strings"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/web/limit"
)

// Mailboxes limits the mails that callers can cause to a mailbox. Mails that the reader of the
// mailbox requests have a quota of their own.
type Mailboxes struct {
	Store   store.Mailboxes
	Links   Links
	Now     func() time.Time
	Limiter *limit.Limiter
}

var perMailbox = limit.Limit{Name: "mailbox", Calls: MailsPerDay, Window: readerTime}

const (
	MailsPerDay = 6
	StoppedDays = 180
	readerTime  = 24 * time.Hour
)

func (m Mailboxes) Most() int { return int(m.Limiter.Set(perMailbox).Calls) }

// Allow counts a mail towards the quota of its mailbox. A job that is retried counts only once in
// 24 hours.
func (m Mailboxes) Allow(ctx context.Context, email string, j store.Job) (allowed bool, err error) {
	caller, job := j.Caller, j.Name()
	// Once callers other than the reader have used half of their quota, the rest is for callers
	// without an earlier mail to this mailbox.
	most := m.Most()
	first := (most + 1) / 2
	err = m.Store.Change(ctx, m.Links.Mailbox(email), m.Now(), func(b *store.Mailbox) {
		allowed = false // Change calls this function again after a conflict
		byReader, sent, his := caller != "" && caller == b.Reader, 0, 0
		for _, mail := range b.Mails {
			if allowed = mail.Job == job; allowed {
				return
			}
			if mail.Own == byReader {
				sent++
			}
			if mail.Caller != "" && mail.Caller == caller {
				his++
			}
		}
		switch {
		case sent >= most, !byReader && !b.Stopped.IsZero(), !byReader && his > 0 && sent >= first:
			return
		}
		b.Mails = append(b.Mails, store.MailboxMail{Job: job, Caller: caller, Own: byReader, At: m.Now().UTC(),
			Network: j.Network})
		allowed = true
	})
	return allowed && err == nil, err
}

// Stop blocks the mails that other callers cause, for StoppedDays days.
func (m Mailboxes) Stop(ctx context.Context, id store.SubscriberID) (until time.Time, err error) {
	until = m.Now().AddDate(0, 0, StoppedDays).UTC().Truncate(time.Second)
	return until, m.Store.Change(ctx, id, m.Now(), func(b *store.Mailbox) {
		b.Stopped, b.Reader, b.Until = until, "", time.Time{}
	})
}

// Read stores, for 24 hours, that the caller has proved to be the reader of the mailbox.
func (m Mailboxes) Read(ctx context.Context, id store.SubscriberID, caller string) error {
	return m.read(ctx, id, caller, func(*store.Mailbox) {})
}

func (m Mailboxes) Resume(ctx context.Context, id store.SubscriberID, caller string) error {
	return m.read(ctx, id, caller, func(b *store.Mailbox) { b.Stopped = time.Time{} })
}

func (m Mailboxes) read(ctx context.Context, id store.SubscriberID, caller string, change func(*store.Mailbox)) error {
	return m.Store.Change(ctx, id, m.Now(), func(b *store.Mailbox) {
		b.Reader, b.Until = caller, m.Now().Add(readerTime).UTC().Truncate(time.Second)
		change(b)
	})
}

// Variants of an address share a quota: most providers deliver ada+tag to ada, and Google ignores
// dots.
func (l Links) Mailbox(email string) store.SubscriberID {
	local, domain, _ := strings.Cut(strings.ToLower(strings.TrimSpace(email)), "@")
	if name, _, tagged := strings.Cut(local, "+"); tagged && name != "" {
		local = name
	}
	if domain == "googlemail.com" {
		domain = "gmail.com"
	}
	if domain == "gmail.com" {
		local = strings.ReplaceAll(local, ".", "")
	}
	return l.Subscriber(local + "@" + domain)
}

const (
	refusedDays    = 180
	complaintYears = 10
)

func RefusedUntil(now time.Time) time.Time { return now.AddDate(0, 0, refusedDays) }

func ComplainedUntil(now time.Time) time.Time { return now.AddDate(complaintYears, 0, 0) }
