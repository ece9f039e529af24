// Package mail is the interface to e-mail: the message, the sender's guarantees, the accepted
// addresses, and the MIME format. It also writes the mails about Pro keys, and holds the templates
// of mails.
package mail

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

type Message struct {
	// ID is the same at each attempt to send a mail. It has only ASCII letters, digits, - and _,
	// and may be empty.
	ID      string
	To      string // as ParseAddress returns it
	Subject string // one line, at most MaxSubject bytes
	Text    string
	HTML    string
	Inline  []Attachment
	// Unsubscribe is the URL for one-click unsubscription (RFC 8058). It may be empty.
	Unsubscribe string
	// Tag is the kind of mail, for metrics. It has only ASCII letters, digits, - and _.
	Tag string
}

// Attachment is a file that the HTML shows by <img src="cid:ContentID">.
type Attachment struct {
	ContentID   string // only ASCII letters, digits and ._@-
	ContentType string
	Name        string
	Data        []byte
}

const AlertTag = "alert"

type Picture struct {
	PNG           []byte
	Width, Height int // as displayed, in CSS pixels
	Weeks         int
}

type Sender interface {
	// Send is not idempotent. After nil the carrier has accepted the message, which may still
	// bounce. An error wraps ErrRefused, ErrThrottled, ErrBlocked or ErrUnavailable, and never
	// contains the recipient's address.
	Send(context.Context, Message) error
}

var (
	// ErrRefused means that the mail was not sent and that a retry does not help.
	ErrRefused = errors.New("mail refused")
	// ErrThrottled means that the mail was not sent, but a later retry may succeed.
	ErrThrottled = errors.New("mail not sent for now")
	// ErrBlocked is an ErrThrottled that lasts until the operator corrects the cause.
	ErrBlocked = fmt.Errorf("%w: the operator has to act", ErrThrottled)
	// ErrUnavailable means that it is unknown whether the mail was sent, so a retry may send a
	// second mail.
	ErrUnavailable = errors.New("mail may or may not have been sent")
)

var anyAddress = regexp.MustCompile(`[^\s<>"',;:()\[\]]+@[^\s<>"',;:()\[\]]+`)

func Redact(text, to string) string {
	return anyAddress.ReplaceAllString(strings.ReplaceAll(text, to, "(address)"), "(address)")
}
