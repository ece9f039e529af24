// Package mail is the interface to e-mail: what a message is, what a sender promises,
// which addresses the service accepts, and how a message is written as MIME. The
// mails that bring a Pro key, and those that alerts send, are written here too.
//
// It promises that whatever a Composer writes is well formed: nothing that a
// caller puts into a message can add a header, a recipient or a part.
package mail

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Message is one mail to one address.
type Message struct {
	// ID tells the message from every other: what is sent again under the same ID
	// is the same message. Letters, digits, - and _ only; empty: one of its own.
	ID      string
	To      string // an address as ParseAddress gives it
	Subject string // one line, at most MaxSubject bytes
	Text    string // always present: what is read where HTML is not
	HTML    string // may be empty
	Inline  []Attachment
	// Unsubscribe is where one POST ends the mails of this kind (RFC 8058); https,
	// or http on this machine. Empty where there is nothing to unsubscribe from.
	Unsubscribe string
	// Tag says what kind of mail it is, for metrics: letters, digits, - and _ only.
	// Those who get the mail do not see it.
	Tag string
}

// Attachment is a part that the HTML shows by <img src="cid:ContentID">.
type Attachment struct {
	ContentID   string // letters, digits and ._@- only
	ContentType string // image/png
	Name        string // of the file, where a reader saves it; may be empty
	Data        []byte
}

// Sender hands mails over for delivery.
type Sender interface {
	// Send hands one message over. Without an error the carrier has taken charge
	// of it, which is not yet delivery: a mailbox that does not exist is known
	// later, by a bounce. Sending is not idempotent: two calls may be two mails.
	//
	// An error is one of the four below, and says what is known of the mail. Its
	// text never holds the recipient's address, so it may be logged. Send ends when
	// the context does, or sooner.
	Send(context.Context, Message) error
}

var (
	// ErrRefused: not sent, and never will be: the address or the message itself is
	// at fault. Do not try again.
	ErrRefused = errors.New("mail refused")
	// ErrThrottled: not sent. The same message may be sent later.
	ErrThrottled = errors.New("mail not sent for now")
	// ErrBlocked is the ErrThrottled that waiting does not cure: the service's own
	// account, identity, permission or disk stands in the way, for every message
	// alike. The operator has to act; the message is good and may be sent then.
	ErrBlocked = fmt.Errorf("%w: the operator has to act", ErrThrottled)
	// ErrUnavailable: the outcome is unknown. The mail may or may not have been sent:
	// sending it again may send it twice, not doing so may lose it.
	ErrUnavailable = errors.New("mail may or may not have been sent")
)

var anyAddress = regexp.MustCompile(`[^\s<>"',;:()\[\]]+@[^\s<>"',;:()\[\]]+`)

// Redact takes addresses out of what a carrier said, that of the recipient and any other: carriers repeat them.
func Redact(text, to string) string {
	return anyAddress.ReplaceAllString(strings.ReplaceAll(text, to, "(address)"), "(address)")
}
