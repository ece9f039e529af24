package stripepay

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"verdetto/shared/pay"
)

// ref is a field with the id of an object, or with the whole object if the field was expanded.
type ref struct {
	ID     string
	Object json.RawMessage
}

func (r *ref) UnmarshalJSON(b []byte) error {
	*r = ref{}
	if len(b) == 0 || b[0] != '{' {
		return json.Unmarshal(b, &r.ID) // null leaves the id empty
	}
	r.Object = append(json.RawMessage(nil), b...)
	var object struct {
		ID string `json:"id"`
	}
	err := json.Unmarshal(b, &object)
	r.ID = object.ID
	return err
}

func moment(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

func read[W any](body []byte, object string) (w W, err error) {
	var head struct{ Object, ID string }
	if err := json.Unmarshal(body, &head); err != nil {
		return w, err
	}
	if head.Object != object || head.ID == "" && object != "invoice" {
		return w, errors.New("not a " + object)
	}
	err = json.Unmarshal(body, &w)
	return w, err
}

type wireSession struct {
	ID              string `json:"id"`
	URL             string `json:"url"`
	Mode            string `json:"mode"`
	Status          string `json:"status"`
	PaymentStatus   string `json:"payment_status"`
	CustomerEmail   string `json:"customer_email"`
	CustomerDetails struct {
		Email string `json:"email"`
	} `json:"customer_details"`
	Subscription ref `json:"subscription"`
}

func (s wireSession) email() string {
	return cmp.Or(s.CustomerDetails.Email, s.CustomerEmail)
}

func (s wireSession) session(prices []string) (pay.Session, error) {
	answer := pay.Session{
		ID: s.ID, Email: s.email(), Status: pay.SessionStatus(s.Status), Subscription: s.Subscription.ID,
		Paid: s.PaymentStatus == "paid" || s.PaymentStatus == "no_payment_required",
	}
	switch answer.Status {
	case pay.Open, pay.Complete, pay.Expired:
	default:
		return pay.Session{}, fmt.Errorf("ask Stripe for a checkout: %w: status %q", pay.ErrUnavailable, s.Status)
	}
	if s.Subscription.Object != nil {
		held, err := read[wireSubscription](s.Subscription.Object, "subscription")
		if err != nil {
			return pay.Session{}, fmt.Errorf("ask Stripe for a checkout: %w: its subscription cannot be read", pay.ErrUnavailable)
		}
		answer.PaidUntil, answer.Ours = held.paidUntil(), held.has(prices)
	}
	return answer, nil
}

type period struct {
	CurrentPeriodStart int64 `json:"current_period_start"`
	CurrentPeriodEnd   int64 `json:"current_period_end"`
}

type wireSubscription struct {
	ID            string `json:"id"`
	Status        string `json:"status"`
	Customer      ref    `json:"customer"`
	LatestInvoice ref    `json:"latest_invoice"`
	EndedAt       int64  `json:"ended_at"`
	period               // Stripe sends these two fields in API versions before 2025-03-31
	Items         struct {
		Data []item `json:"data"`
	} `json:"items"`
}

type item struct {
	period     // Stripe sends these two fields since API version 2025-03-31
	Price  ref `json:"price"`
	Plan   ref `json:"plan"` // older name of the field price
}

func (s wireSubscription) has(prices []string) bool {
	return slices.ContainsFunc(s.Items.Data, func(i item) bool {
		id := cmp.Or(i.Price.ID, i.Plan.ID)
		return id != "" && slices.Contains(prices, id)
	})
}

func (s wireSubscription) current() period {
	p := s.period
	for _, item := range s.Items.Data {
		if item.CurrentPeriodEnd > p.CurrentPeriodEnd {
			p = item.period
		}
	}
	return p
}

// paidUntil prefers the newest invoice to the status, because a new period begins before its renewal
// is charged.
func (s wireSubscription) paidUntil() time.Time {
	if s.Status == "incomplete" || s.Status == "incomplete_expired" {
		return time.Time{}
	}
	paid := s.Status == "active" || s.Status == "trialing"
	var invoice struct {
		Status string `json:"status"`
	}
	if s.LatestInvoice.Object != nil && json.Unmarshal(s.LatestInvoice.Object, &invoice) == nil {
		paid = invoice.Status == "paid"
	}
	p := s.current()
	until := p.CurrentPeriodStart
	if paid {
		until = p.CurrentPeriodEnd
	}
	if s.EndedAt != 0 {
		until = min(until, s.EndedAt)
	}
	return moment(until)
}

func (s wireSubscription) subscription(prices []string) pay.Subscription {
	var customer struct {
		Email string `json:"email"`
	}
	if s.Customer.Object != nil {
		_ = json.Unmarshal(s.Customer.Object, &customer) // a deleted customer has no address
	}
	return pay.Subscription{
		Customer: s.Customer.ID, Email: customer.Email, Ours: s.has(prices),
		Ended:     s.Status == "canceled" || s.Status == "incomplete_expired",
		PaidUntil: s.paidUntil(), EndedAt: moment(s.EndedAt),
	}
}

type wireInvoice struct {
	CustomerEmail string `json:"customer_email"`
	Subscription  ref    `json:"subscription"` // sent in API versions before 2025-03-31
	Parent        struct {
		SubscriptionDetails struct {
			Subscription ref `json:"subscription"`
		} `json:"subscription_details"`
	} `json:"parent"` // sent since API version 2025-03-31
}

func (i wireInvoice) subscription() string {
	return cmp.Or(i.Subscription.ID, i.Parent.SubscriptionDetails.Subscription.ID)
}
