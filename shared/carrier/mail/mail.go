// Package mail is the interface to e-mail: the message, the sender's guarantees, the accepted
// addresses, and the MIME format. It also writes the mails about Pro keys, and holds the templates
// of mails.
//
// The output of a Composer is well formed: no field of a message can add a header, a recipient or a
// MIME part.
package mail

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

type Message struct {
	// ID identifies the message; a retry uses the same ID. It has only letters, digits, - and _. If
	// empty, each send gets a new ID.
	ID      string
	To      string // as ParseAddress returns it
	Subject string // one line, at most MaxSubject bytes
	Text    string // required, for readers without HTML
	HTML    string // may be empty
	Inline  []Attachment
	// Unsubscribe is the URL at which one POST ends mails of this kind (RFC 8058): https, or http
	// on this machine. It is empty if the mail has nothing to unsubscribe from.
	Unsubscribe string
	// Tag is the kind of the mail, for metrics; recipients do not see it. It has only letters,
	// digits, - and _.
	Tag string
}

// Attachment is a file that the HTML shows by <img src="cid:ContentID">.
type Attachment struct {
	ContentID   string // only letters, digits and ._@-
	ContentType string // such as image/png
	Name        string // for a reader who saves it; may be empty
	Data        []byte
}

const AlertTag = "alert"

type Picture struct {
	PNG           []byte
	Width, Height int // display size
	Weeks         int
}

type Sender interface {
	// Send gives one message to the carrier. If it returns nil, the carrier has accepted the
	// message, but may not have delivered it: a bounce reports an unknown mailbox later. Sending is
	// not idempotent: two calls can cause two mails.
	//
	// An error is one of the four below and says whether the mail may have been sent. It never
	// contains the recipient's address, so it may be logged. Send ends no later than the context.
	Send(context.Context, Message) error
}

var (
	// ErrRefused means that the mail was not sent and never will be, because of its address or
	// content. A retry does not help.
	ErrRefused = errors.New("mail refused")
	// ErrThrottled means that the mail was not sent now. A later retry may succeed.
	ErrThrottled = errors.New("mail not sent for now")
	// ErrBlocked is an ErrThrottled that waiting does not end: the service's own account, identity,
	// permission or disk blocks every message until the operator corrects the cause.
	ErrBlocked = fmt.Errorf("%w: the operator has to act", ErrThrottled)
	// ErrUnavailable means that it is unknown whether the mail was sent. A retry may send it twice;
	// without one it may be lost.
	ErrUnavailable = errors.New("mail may or may not have been sent")
)

var anyAddress = regexp.MustCompile(`[^\s<>"',;:()\[\]]+@[^\s<>"',;:()\[\]]+`)

// Redact removes all e-mail addresses from an error text, because carriers repeat them.
func Redact(text, to string) string {
	return anyAddress.ReplaceAllString(strings.ReplaceAll(text, to, "(address)"), "(address)")
}
