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

// step is how far the SMTP dialogue has come.
type step int

const (
	connecting step = iota
	greeting        // includes the TLS handshake
	signingIn
	sender
	recipient
	content // the message without its end
	end
)

func (s step) String() string {
	return [...]string{"connect", "greeting and TLS", "sign in", "name the sender", "name the recipient",
		"hand over the message", "end of the message"}[s]
}

func outcome(at step, err error) error {
	var reply *smtp.SMTPError
	switch {
	case errors.As(err, &reply):
		return outcomeOf(at, reply)
	case at == end:
		return mail.ErrUnavailable
	case interrupted(err):
		return mail.ErrThrottled
	}
	return mail.ErrBlocked // no TLS, no valid certificate, no authentication: affects every message
}

func interrupted(err error) bool {
	var op *net.OpError
	if errors.As(err, &op) {
		// A TLS alert is no interruption: one side rejects the other.
		return op.Op != "remote error" && op.Op != "local error"
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// reply maps a permanent refusal (5xx) to an error of package mail. The first rule that matches
// applies.
type reply struct {
	from, to step
	codes    string // see fits; empty: any
	text     string // within the reply, in lower case
	means    error
}

// replies decides whether a permanent refusal is the fault of the service, the address or the
// message. A refusal before the recipient is named concerns every mail, so it is the service's,
// unless the message is too large. After that, the code and the text decide. A refusal whose cause
// they do not show is retried later, so that no alert ends and no other mail has to wait.
var replies = []reply{
	{connecting, signingIn, "", "", mail.ErrBlocked},
	{sender, sender, "552 5.3.4", "", mail.ErrRefused}, // larger than the server accepts
	{sender, sender, "", "", mail.ErrBlocked},
	{recipient, end, "530 535 5.7.8 5.7.9", "", mail.ErrBlocked}, // authentication needed
	{recipient, recipient, "", "relay", mail.ErrBlocked},         // the server does not relay
	{recipient, recipient, "5.1. 5.2.", "", mail.ErrRefused},
	{recipient, recipient, "5.", "", mail.ErrThrottled},
	{recipient, recipient, "550 551 552 553", "", mail.ErrRefused},
	{content, end, "5.3.4 5.6. 5.7.0 5.7.1", "", mail.ErrRefused}, // too large, malformed, spam
	{content, end, "5.7.", "", mail.ErrBlocked},                   // the sender's identity, such as its SPF and DKIM (RFC 7372)
	{content, end, "5.", "", mail.ErrThrottled},
	{content, end, "550 552 554", "", mail.ErrRefused},
	{connecting, end, "", "", mail.ErrThrottled},
}

func outcomeOf(at step, refusal *smtp.SMTPError) error {
	if refusal.Code/100 != 5 {
		return mail.ErrThrottled // 4xx: greylisted, busy, daily quota
	}
	codes := []string{fmt.Sprint(refusal.Code)}
	if e := refusal.EnhancedCode; e[0] == 5 {
		codes = append(codes, fmt.Sprintf("%d.%d.%d", e[0], e[1], e[2]))
	}
	text := strings.ToLower(refusal.Message)
	for _, r := range replies {
		if r.from <= at && at <= r.to && r.fits(codes) && strings.Contains(text, r.text) {
			return r.means
		}
	}
	return mail.ErrThrottled
}

// fits reports whether a code equals one of r.codes, which are separated by spaces, or begins with
// one that ends in a dot.
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
