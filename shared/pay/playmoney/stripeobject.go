package playmoney

import (
	"fmt"
	"strings"
	"time"
)

type object = map[string]any

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func orNever(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.Unix()
}

func (s *Stripe) sessionObject(c *checkout, expand []string) object {
	o := object{
		"id": c.id, "object": "checkout.session", "mode": "subscription", "status": c.status,
		"payment_status": "unpaid",
		"amount_total":   s.Amount, "currency": s.Currency, "livemode": false, "metadata": object{},
		"customer": nil, "customer_email": c.email, "customer_details": object{"email": c.email, "name": nil},
		"subscription": nil, "created": c.created.Unix(), "expires_at": c.expires.Unix(),
		"success_url": c.success, "cancel_url": c.cancel, "url": nil,
	}
	if c.paid {
		o["payment_status"] = "paid"
	}
	if h := s.subscriptions[c.subscription]; h != nil {
		o["subscription"], o["customer"] = h.id, h.customer
		if within, ok := expanded(expand, "subscription"); ok {
			o["subscription"] = s.subscriptionObject(h, within)
		}
	}
	return o
}

func expanded(expand []string, field string) (within []string, ok bool) {
	for _, path := range expand {
		if path == field {
			ok = true
		} else if rest, found := strings.CutPrefix(path, field+"."); found {
			within, ok = append(within, rest), true
		}
	}
	return within, ok
}

func (s *Stripe) subscriptionObject(h *stripeSubscription, expand []string) object {
	item := object{"id": "si_" + h.id, "object": "subscription_item", "quantity": 1, "subscription": h.id,
		"price": object{"id": h.price, "object": "price"}}
	o := object{
		"id": h.id, "object": "subscription", "status": h.status, "customer": h.customer, "latest_invoice": h.invoice(),
		"cancel_at": nil, "cancel_at_period_end": h.cancels, "created": h.created.Unix(), "ended_at": orNever(h.ended),
		"canceled_at": orNever(h.ended), "livemode": false, "metadata": object{},
		"items": object{"object": "list", "data": []object{item}, "has_more": false},
	}
	if h.cancels {
		o["cancel_at"] = h.end.Unix()
	}
	period := o
	if s.Basil {
		period = item
	}
	period["current_period_start"], period["current_period_end"] = h.begin.Unix(), h.end.Unix()
	if _, ok := expanded(expand, "customer"); ok {
		customer := object{"id": h.customer, "object": "customer", "email": h.email}
		if h.deletedCustomer {
			customer = object{"id": h.customer, "object": "customer", "deleted": true}
		}
		o["customer"] = customer
	}
	if _, ok := expanded(expand, "latest_invoice"); ok {
		o["latest_invoice"] = s.invoiceObject(h)
	}
	return o
}

func (h *stripeSubscription) invoice() string {
	return fmt.Sprintf("in_%s%d", strings.TrimPrefix(h.id, "sub_"), h.invoices)
}

// As with the real Stripe, an invoice's period_end is the start of its line's period.
func (s *Stripe) invoiceObject(h *stripeSubscription) object {
	line := object{"id": "il_" + h.id, "object": "line_item", "amount": s.Amount,
		"period": object{"start": h.begin.Unix(), "end": h.end.Unix()}}
	o := object{
		"id": h.invoice(), "object": "invoice", "customer": h.customer, "customer_email": orNull(h.email),
		"amount_due": s.Amount, "currency": s.Currency,
		"created": h.begin.Unix(), "period_start": h.begin.Unix(), "period_end": h.begin.Unix(), "livemode": false,
		"lines": object{"object": "list", "data": []object{line}, "has_more": false},
	}
	switch {
	case h.paid:
		o["status"] = "paid"
	case h.status == "active":
		o["status"] = "draft"
	default:
		o["status"] = "open"
	}
	if s.Basil {
		o["parent"] = object{"type": "subscription_details",
			"subscription_details": object{"subscription": h.id, "metadata": object{}}}
		line["parent"] = object{"type": "subscription_item_details",
			"subscription_item_details": object{"subscription": h.id}}
	} else {
		o["subscription"], line["subscription"], line["type"] = h.id, h.id, "subscription"
		o["paid"] = h.paid
	}
	return o
}
