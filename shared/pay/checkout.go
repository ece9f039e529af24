package pay

import (
	"context"
	"time"
)

// Checkout sells a subscription by card through a hosted page.
type Checkout interface {
	// Price tells what the subscription costs now. An answer is what a payer is
	// charged; what cannot be said in one amount for each period is ErrNoPrice.
	Price(ctx context.Context) (Price, error)

	// Start makes a hosted checkout for an address. The same idempotency key with
	// the same request gives the same page for a day; with another request,
	// ErrKeyReused. ErrBadEmail for an address that cannot be one.
	Start(ctx context.Context, request StartRequest) (Page, error)

	// Session tells how a checkout stands now; ErrNoSuchSession for an id that is
	// unknown or is no id at all.
	Session(ctx context.Context, id string) (Session, error)

	// Subscription tells how a subscription stands now: the truth that webhooks
	// only point at. ErrNoSuchSubscription as above.
	Subscription(ctx context.Context, id string) (Subscription, error)

	// Event verifies and reads a webhook delivery, without asking anybody:
	// ErrBadSignature, ErrStale or ErrMalformed. Deliveries come late, twice and in
	// any order; Event does not remember them.
	Event(payload []byte, signature string, now time.Time) (Event, error)

	// Portal makes a hosted page on which a customer of the processor sees the
	// invoices, changes the card and cancels. Its address is a secret for some
	// minutes. ErrNoSuchCustomer for one that is unknown or was deleted.
	Portal(ctx context.Context, customer, returnURL string) (address string, err error)

	// Readdress has the processor write to another address from now on; ErrNoSuchCustomer as above.
	Readdress(ctx context.Context, customer, email string) error

	// Forget deletes a customer, which ends the subscriptions at once. What the
	// processor has to keep by law, such as invoices, it keeps. A customer that is
	// deleted already, or was never there, is no error.
	Forget(ctx context.Context, customer string) error
}

// Price is what a subscription costs.
type Price struct {
	Amount   string // in decimals, such as "12.99"
	Currency string // ISO 4217, in capitals
	Every    string // day, week, month or year
	Count    int    // of those, from one charge to the next
	PlusTax  bool   // tax is added at the checkout
}

// StartRequest asks for a hosted checkout.
type StartRequest struct {
	Email          string // the page does not let the payer change it
	IdempotencyKey string // at most 255 bytes; empty: every call makes another page
	// SuccessURL is where the payer comes back to. "{CHECKOUT_SESSION_ID}" in it
	// is replaced by the session's id.
	SuccessURL string
	CancelURL  string
}

// Page is a hosted checkout to send a payer to.
type Page struct {
	ID      string // of the session
	URL     string
	Expires time.Time
}

// SessionStatus is how far a checkout has come.
type SessionStatus string

// The states of a checkout.
const (
	Open     SessionStatus = "open"
	Complete SessionStatus = "complete"
	Expired  SessionStatus = "expired"
)

// Session is a checkout. A key may be given for it when Sold.
type Session struct {
	ID           string
	Email        string // of the payer, as the page was filled in
	Status       SessionStatus
	Paid         bool // the money has arrived, or nothing was due
	Subscription string
	Ours         bool // the subscription has a price that the configuration names
	Customer     string
	PaidUntil    time.Time // of the subscription, now; zero while there is none
	Created      time.Time
}

// Sold tells whether the checkout ended in a subscription of ours that was paid.
func (s Session) Sold() bool { return s.Status == Complete && s.Paid && s.Ours }

// Foreign tells whether the checkout ended in something that is not ours: an
// account of the processor may sell other things too.
func (s Session) Foreign() bool { return s.Status == Complete && !s.Ours }

// SubscriptionStatus is how a subscription stands.
type SubscriptionStatus string

// The states of a subscription.
const (
	Pending SubscriptionStatus = "pending" // the first payment has not arrived
	Active  SubscriptionStatus = "active"
	Late    SubscriptionStatus = "late" // a renewal has not been paid, or collection is paused
	Ended   SubscriptionStatus = "ended"
)

// Subscription is what a payer holds.
type Subscription struct {
	ID       string
	Customer string
	Email    string // of the customer; empty when the customer was deleted
	Ours     bool   // one of its items has a price that the configuration names
	Status   SubscriptionStatus
	// PaidUntil is the end of the last period that was paid for. It is not the end
	// of the current period: that one moves on when a renewal falls due, paid or not.
	PaidUntil time.Time
	CancelAt  time.Time // it will end then; zero: it renews
	EndedAt   time.Time // zero while it has not
}

// EventKind is what a webhook delivery is about.
type EventKind string

// The kinds of events that matter to a plan.
const (
	CheckoutCompleted   EventKind = "checkout completed"
	InvoicePaid         EventKind = "invoice paid"
	InvoiceFailed       EventKind = "invoice failed"
	SubscriptionChanged EventKind = "subscription changed"
	SubscriptionEnded   EventKind = "subscription ended"
	// Other is anything else, which includes checkouts and invoices that are not of
	// a subscription. Answer it with success and do nothing.
	Other EventKind = "other"
)

// Event is a verified webhook delivery. Every kind but Other names a subscription.
type Event struct {
	ID           string // the same for every delivery of the event
	Kind         EventKind
	Type         string // in the processor's words, for logs
	Created      time.Time
	Session      string // of CheckoutCompleted
	Subscription string
	Customer     string
	Email        string // may be empty
	// PaidUntil is set for InvoicePaid, the only kind that proves it. It was true at
	// Created: with events out of order, Subscription has the last word.
	PaidUntil time.Time
	Live      bool // real money
}
