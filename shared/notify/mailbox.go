package notify

import (
	"context"
	"strings"
	"time"

	"verdetto/shared/store"
)

// Mailboxes decides which mails that any caller can cause are sent: those that ask to confirm,
// bring a link, or bring a fresh key. A mailbox is sent at most MailsPerDay of them in any 24 hours,
// and none while its reader has stopped them. What the reader asks for counts apart, and is sent in
// spite of both.
type Mailboxes struct {
	Store store.Mailboxes
	Links Links
	Now   func() time.Time
}

const (
	// MailsPerDay is how many mails all callers together can cause in 24 hours, and as many again the reader.
	MailsPerDay = 6
	// firstMails are for any caller; the others of the day are for callers who have caused none.
	firstMails = 3
	// StoppedDays is how many days a reader who stops such mails gets none.
	StoppedDays = 180
	readerTime  = 24 * time.Hour
)

// Allow reports whether the mail of a job, which a caller has asked for, is to be
// sent to an address, and counts it. A job that is done again is counted once.
func (m Mailboxes) Allow(ctx context.Context, email, caller, job string) (allowed bool, err error) {
	err = m.Store.Change(ctx, m.Links.Mailbox(email), m.Now(), func(b *store.Mailbox) {
		allowed = false // it may be the second try
		own, sent, his := caller != "" && caller == b.Reader, 0, 0
		for _, mail := range b.Mails {
			if allowed = mail.Job == job; allowed {
				return
			}
			if mail.Own == own {
				sent++
			}
			if mail.Caller != "" && mail.Caller == caller {
				his++
			}
		}
		switch {
		case sent >= MailsPerDay, !own && !b.Stopped.IsZero(), !own && his > 0 && sent >= firstMails:
			return
		}
		b.Mails = append(b.Mails, store.MailboxMail{Job: job, Caller: caller, Own: own, At: m.Now().UTC()})
		allowed = true
	})
	return allowed && err == nil, err
}

// Stop sends a mailbox no more mails that others cause, for StoppedDays; it gives until when.
func (m Mailboxes) Stop(ctx context.Context, id store.SubscriberID) (until time.Time, err error) {
	until = m.Now().AddDate(0, 0, StoppedDays).UTC().Truncate(time.Second)
	return until, m.Store.Change(ctx, id, m.Now(), func(b *store.Mailbox) {
		b.Stopped, b.Reader, b.Until = until, "", time.Time{}
	})
}

// Read has a caller, who has shown to read a mailbox, count as its reader for a day.
func (m Mailboxes) Read(ctx context.Context, id store.SubscriberID, caller string) error {
	return m.read(ctx, id, caller, func(*store.Mailbox) {})
}

// Resume takes back Stop, and has the caller count as the reader.
func (m Mailboxes) Resume(ctx context.Context, id store.SubscriberID, caller string) error {
	return m.read(ctx, id, caller, func(b *store.Mailbox) { b.Stopped = time.Time{} })
}

func (m Mailboxes) read(ctx context.Context, id store.SubscriberID, caller string, change func(*store.Mailbox)) error {
	return m.Store.Change(ctx, id, m.Now(), func(b *store.Mailbox) {
		b.Reader, b.Until = caller, m.Now().Add(readerTime).UTC().Truncate(time.Second)
		change(b)
	})
}

// Mailbox derives the pseudonym of the mailbox that an address is delivered to. Most
// providers deliver ada+anything to ada, and Google passes over dots: whoever makes
// up such addresses fills one mailbox. Where they are two people after all, they
// share a quota and no more.
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
