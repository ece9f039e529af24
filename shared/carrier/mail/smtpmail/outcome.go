package smtpmail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/emersion/go-smtp"

	"verdetto/shared/carrier/mail"
)

// step is how far a mail had come.
type step int

const (
	connecting step = iota
	greeting        // and TLS
	signingIn
	sender
	recipient
	content // everything but its end
	end
)

func (s step) String() string {
	return [...]string{"connect", "greeting and TLS", "sign in", "name the sender", "name the recipient",
		"hand over the message", "end of the message"}[s]
}

// outcome says what an error at a step means for the mail.
func outcome(at step, err error) error {
	var said *smtp.SMTPError
	switch {
	case errors.As(err, &said):
		return outcomeOf(at, said)
	case at == end:
		return mail.ErrUnavailable
	case interrupted(err):
		return mail.ErrThrottled
	}
	return mail.ErrBlocked // no TLS, no certificate that is good, no way to sign in: for every message alike
}

// interrupted tells whether there was no connection, or it broke off.
func interrupted(err error) bool {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Op != "remote error" && op.Op != "local error" // alerts of TLS: one does not want the other's
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// reply is what a server may say for good (5xx), and what that means. The first that fits holds.
type reply struct {
	from, to step
	codes    string // those that it may begin with, parted by spaces; empty is any
	text     string // that the reply holds, in lower case
	means    error
}

// replies are read so: whose fault is it? Before a recipient is named it is ours,
// for every mail. Of a recipient it is the address's, unless the server says that it
// does not know us. Of a message it is the message's, unless it is about who we
// are. What fits nothing is tried again later: in doubt nobody's alerts end, and
// nobody else's mail waits.
var replies = []reply{
	{connecting, signingIn, "", "", mail.ErrBlocked},
	{sender, sender, "552 5.3.4", "", mail.ErrRefused}, // larger than it takes
	{sender, sender, "", "", mail.ErrBlocked},
	{recipient, end, "530 535 5.7.8 5.7.9", "", mail.ErrBlocked}, // sign in first
	{recipient, recipient, "", "relay", mail.ErrBlocked},         // it delivers nothing for us
	{recipient, recipient, "5.1. 5.2.", "", mail.ErrRefused},
	{recipient, recipient, "5.", "", mail.ErrThrottled},
	{recipient, recipient, "550 551 552 553", "", mail.ErrRefused},
	{content, end, "5.3.4 5.6. 5.7.0 5.7.1", "", mail.ErrRefused}, // too large, malformed, taken for spam
	{content, end, "5.7.", "", mail.ErrBlocked},                   // SPF, DKIM, DMARC: 5.7.20 to 5.7.29
	{content, end, "5.", "", mail.ErrThrottled},
	{content, end, "550 552 554", "", mail.ErrRefused},
	{connecting, end, "", "", mail.ErrThrottled},
}

func outcomeOf(at step, said *smtp.SMTPError) error {
	if said.Code/100 != 5 {
		return mail.ErrThrottled // 4xx: not now; greylisted, busy, a quota of the day
	}
	codes := []string{fmt.Sprint(said.Code)}
	if e := said.EnhancedCode; e[0] == 5 {
		codes = append(codes, fmt.Sprintf("%d.%d.%d", e[0], e[1], e[2]))
	}
	text := strings.ToLower(said.Message)
	for _, r := range replies {
		if r.from <= at && at <= r.to && r.fits(codes) && strings.Contains(text, r.text) {
			return r.means
		}
	}
	return mail.ErrThrottled
}

// fits compares what ends in a dot with the beginning of a code, and all else with the whole of it.
func (r reply) fits(codes []string) bool {
	if r.codes == "" {
		return true
	}
	for _, want := range strings.Fields(r.codes) {
		for _, code := range codes {
			if code == want || strings.HasSuffix(want, ".") && strings.HasPrefix(code, want) {
				return true
			}
		}
	}
	return false
}
