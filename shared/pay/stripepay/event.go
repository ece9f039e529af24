package stripepay

import (
	"crypto/hmac"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v76/webhook"

	"verdetto/shared/pay"
)

// tolerance limits how long a recorded delivery can be replayed.
const tolerance = 5 * time.Minute

func (c *Checkout) Event(payload []byte, signature string, now time.Time) (pay.Event, error) {
	signed, err := c.verify(payload, signature)
	if err != nil {
		return pay.Event{}, fmt.Errorf("verify webhook: %w", err)
	}
	if age := now.Sub(signed); age > tolerance || age < -tolerance {
		return pay.Event{}, fmt.Errorf("verify webhook: %w: by %v", pay.ErrStale, age.Round(time.Second))
	}
	event, err := readEvent(payload)
	if err != nil {
		return pay.Event{}, fmt.Errorf("read webhook: %w", err)
	}
	return event, nil
}

// verify replaces the library's check, which uses the machine's clock and accepts only one secret.
func (c *Checkout) verify(payload []byte, header string) (time.Time, error) {
	var signed time.Time
	var offered [][]byte
	for field := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		switch name {
		case "t":
			seconds, err := strconv.ParseInt(value, 10, 64)
			if err != nil || !signed.IsZero() {
				return time.Time{}, fmt.Errorf("%w: its time cannot be read", pay.ErrBadSignature)
			}
			signed = time.Unix(seconds, 0)
		case "v1":
			if mac, err := hex.DecodeString(value); err == nil && len(offered) < 10 {
				offered = append(offered, mac)
			}
		}
	}
	if signed.IsZero() {
		return time.Time{}, fmt.Errorf("%w: it has no time", pay.ErrBadSignature)
	}
	good := false
	for _, secret := range c.secrets {
		want := webhook.ComputeSignature(signed, payload, secret)
		for _, mac := range offered {
			good = hmac.Equal(want, mac) || good
		}
	}
	if !good {
		return time.Time{}, pay.ErrBadSignature
	}
	return signed, nil
}

type wireEvent struct {
	Object  string `json:"object"`
	ID      string `json:"id"`
	Type    string `json:"type"`
	Created int64  `json:"created"`
	Data    struct {
		Object json.RawMessage `json:"object"`
	} `json:"data"`
}

func readEvent(payload []byte) (pay.Event, error) {
	var w wireEvent
	if err := json.Unmarshal(payload, &w); err != nil {
		return pay.Event{}, fmt.Errorf("%w: %w", pay.ErrMalformed, err)
	}
	if w.Object != "event" || w.ID == "" || w.Type == "" || w.Created <= 0 || len(w.Data.Object) == 0 ||
		w.Data.Object[0] != '{' {
		return pay.Event{}, fmt.Errorf("%w: no event", pay.ErrMalformed)
	}
	subscription, email, err := about(w.Type, w.Data.Object)
	if err != nil {
		return pay.Event{}, fmt.Errorf("%w: %s: %w", pay.ErrMalformed, w.Type, err)
	}
	return pay.Event{ID: w.ID, Type: w.Type, Subscription: subscription, Email: email}, nil
}

func about(kind string, object []byte) (subscription, email string, err error) {
	switch kind {
	case "checkout.session.completed", "checkout.session.async_payment_succeeded":
		s, err := read[wireSession](object, "checkout.session")
		if err != nil || s.Mode != "subscription" {
			return "", "", err
		}
		if s.Subscription.ID == "" {
			return "", "", errors.New("a subscription without its id")
		}
		return s.Subscription.ID, s.email(), nil
	case "invoice.paid", "invoice.payment_succeeded", "invoice.payment_failed":
		i, err := read[wireInvoice](object, "invoice")
		return i.subscription(), i.CustomerEmail, err
	case "customer.subscription.created", "customer.subscription.updated", "customer.subscription.deleted",
		"customer.subscription.paused", "customer.subscription.resumed":
		s, err := read[wireSubscription](object, "subscription")
		return s.ID, "", err
	}
	return "", "", nil
}
