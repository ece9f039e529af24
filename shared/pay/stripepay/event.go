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

// tolerance is the maximum difference between the time of a delivery and the service's clock. It
// prevents the replay of a recorded delivery.
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

// verify checks the signature of a delivery and returns the time that was signed with the payload.
// The library's own check takes the machine's clock and accepts only one secret.
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

// wireEvent is the outer JSON object of every event, in every API version.
type wireEvent struct {
	Object   string `json:"object"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	Created  int64  `json:"created"`
	Livemode bool   `json:"livemode"`
	Data     struct {
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
	event := pay.Event{ID: w.ID, Kind: pay.Other, Type: w.Type, Created: moment(w.Created), Live: w.Livemode}
	var err error
	switch w.Type {
	case "checkout.session.completed", "checkout.session.async_payment_succeeded":
		err = aboutSession(&event, w.Data.Object)
	case "invoice.paid", "invoice.payment_succeeded", "invoice.payment_failed":
		err = aboutInvoice(&event, w.Data.Object)
	case "customer.subscription.created", "customer.subscription.updated", "customer.subscription.deleted",
		"customer.subscription.paused", "customer.subscription.resumed":
		err = aboutSubscription(&event, w.Data.Object)
	}
	if err != nil {
		return pay.Event{}, fmt.Errorf("%w: %s: %w", pay.ErrMalformed, w.Type, err)
	}
	return event, nil
}

// aboutSession fills in an event about a checkout. One for a single payment keeps the kind
// pay.Other.
func aboutSession(event *pay.Event, object []byte) error {
	s, err := read[wireSession](object, "checkout.session")
	if err != nil {
		return err
	}
	if s.Mode != "subscription" {
		return nil
	}
	if s.Subscription.ID == "" {
		return errors.New("a subscription without its id")
	}
	event.Kind = pay.CheckoutCompleted
	event.Session, event.Subscription, event.Customer, event.Email = s.ID, s.Subscription.ID, s.Customer.ID, s.email()
	return nil
}

// aboutInvoice fills in an event about an invoice. One without a subscription keeps the kind
// pay.Other.
func aboutInvoice(event *pay.Event, object []byte) error {
	i, err := read[wireInvoice](object, "invoice")
	if err != nil {
		return err
	}
	if i.subscription() == "" {
		return nil
	}
	event.Kind = pay.InvoicePaid
	if event.Type == "invoice.payment_failed" {
		event.Kind = pay.InvoiceFailed
	} else {
		event.PaidUntil = i.paysUntil()
	}
	event.Subscription, event.Customer, event.Email = i.subscription(), i.Customer.ID, i.CustomerEmail
	return nil
}

func aboutSubscription(event *pay.Event, object []byte) error {
	s, err := read[wireSubscription](object, "subscription")
	if err != nil {
		return err
	}
	event.Kind = pay.SubscriptionChanged
	if s.status() == pay.Ended {
		event.Kind = pay.SubscriptionEnded
	}
	event.Subscription, event.Customer = s.ID, s.Customer.ID
	return nil
}
