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

type step int

const (
	connecting step = iota
	greeting        // includes the TLS handshake
	signingIn
	sender
	recipient
	content
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
	return mail.ErrBlocked // such as a TLS fault, which affects every message
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

type reply struct {
	from, to step
	codes    string // separated by spaces; a code that ends in a dot is a prefix; if empty, any code fits
	text     string // in lower case; part of the server's reply
	means    error
}

// The first match in replies decides.
var replies = []reply{
	{connecting, signingIn, "", "", mail.ErrBlocked},
	{sender, sender, "552 5.3.4", "", mail.ErrRefused}, // the message is too large
	{sender, sender, "", "", mail.ErrBlocked},
	{recipient, end, "530 535 5.7.8 5.7.9", "", mail.ErrBlocked}, // authentication is required or failed
	{recipient, recipient, "", "relay", mail.ErrBlocked},
	{recipient, recipient, "5.1. 5.2.", "", mail.ErrRefused},
	{recipient, recipient, "5.", "", mail.ErrThrottled},
	{recipient, recipient, "550 551 552 553", "", mail.ErrRefused},
	{content, end, "5.3.4 5.6. 5.7.0 5.7.1", "", mail.ErrRefused}, // too large, malformed, or rejected as spam
	{content, end, "5.7.", "", mail.ErrBlocked},                   // such as failed SPF or DKIM (RFC 7372)
	{content, end, "5.", "", mail.ErrThrottled},
	{content, end, "550 552 554", "", mail.ErrRefused},
	{connecting, end, "", "", mail.ErrThrottled},
}

func outcomeOf(at step, refusal *smtp.SMTPError) error {
	if refusal.Code/100 != 5 {
		return mail.ErrThrottled // such as greylisting or a daily quota
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
