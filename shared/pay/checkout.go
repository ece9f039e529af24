package pay

import (
	"context"
	"time"
)

// Checkout sells a subscription by card.
type Checkout interface {
	// Price returns what a payer is charged now. It fails with ErrNoPrice if the price is not one
	// fixed amount per period.
	Price(ctx context.Context) (Price, error)

	// Start creates a hosted checkout for an e-mail address and returns the URL of its page. For
	// one day, the same idempotency key returns the same page for the same request, and fails with
	// ErrKeyReused for another one. Start fails with ErrBadEmail if the processor rejects the
	// address.
	Start(ctx context.Context, request StartRequest) (url string, err error)

	// Session returns the current state of a checkout. It fails with ErrNoSuchSession if the id is
	// unknown or malformed.
	Session(ctx context.Context, id string) (Session, error)

	// Subscription returns the current state of a subscription, which is authoritative: a webhook
	// delivery only says that it may have changed. It fails with ErrNoSuchSubscription if the id is
	// unknown or malformed.
	Subscription(ctx context.Context, id string) (Subscription, error)

	// Event verifies and parses a webhook delivery without a network call. It fails with
	// ErrBadSignature, ErrStale or ErrMalformed. Deliveries arrive late, repeated and in any order,
	// and Event does not remember earlier ones.
	Event(payload []byte, signature string, now time.Time) (Event, error)

	// Portal creates a hosted page where a customer sees invoices, changes the card and cancels.
	// Its address is a secret and expires after some minutes. It fails with ErrNoSuchCustomer if
	// the customer is unknown or deleted.
	Portal(ctx context.Context, customer, returnURL string) (url string, err error)

	// Readdress changes the e-mail address of a customer. It fails with ErrNoSuchCustomer if the
	// customer is unknown or deleted.
	Readdress(ctx context.Context, customer, email string) error

	// Forget deletes a customer and ends the customer's subscriptions at once. The processor keeps
	// the data that the law requires, such as invoices. An unknown or already deleted customer is
	// no error.
	Forget(ctx context.Context, customer string) error
}

type Price struct {
	Amount   string // decimal, such as "12.99"
	Currency string // ISO 4217, upper case
	Every    string // day, week, month or year
	Count    int    // number of these between two charges
	PlusTax  bool   // tax is added at the checkout
}

type StartRequest struct {
	Email          string // the payer cannot change it on the page
	IdempotencyKey string // at most 255 bytes; empty: every call creates another page
	// SuccessURL is the page to which the payer returns. The processor replaces
	// "{CHECKOUT_SESSION_ID}" by the session id.
	SuccessURL string
	CancelURL  string
}

type SessionStatus string

const (
	Open     SessionStatus = "open"
	Complete SessionStatus = "complete"
	Expired  SessionStatus = "expired"
)

type Session struct {
	ID           string
	Email        string // as entered on the page
	Status       SessionStatus
	Paid         bool // the money has arrived, or nothing was due
	Subscription string
	Ours         bool      // the subscription has a price from the configuration
	PaidUntil    time.Time // end of the current paid period; zero: no subscription yet
}

func (s Session) Sold() bool { return s.Status == Complete && s.Paid && s.Ours }

// Foreign reports whether the completed checkout sold something else, which the processor's account
// may do.
func (s Session) Foreign() bool { return s.Status == Complete && !s.Ours }

type Subscription struct {
	Customer string
	Email    string // empty if the customer was deleted
	Ours     bool   // one of its items has a price from the configuration
	Ended    bool
	// PaidUntil is the end of the last paid period. The end of the current period is no proof: it
	// advances when a renewal falls due, even before it is paid.
	PaidUntil time.Time
	EndedAt   time.Time // zero: not ended
}

// Event is a verified webhook delivery. It proves no payment, because deliveries arrive out of
// order: only Checkout.Subscription returns the current state.
type Event struct {
	ID   string // the same for every delivery of one event
	Type string
	// Subscription is the id of a subscription whose state may have changed. If it is empty, the
	// event does not concern a plan, and the webhook must answer with success and do nothing.
	Subscription string
	Email        string // may be empty
}
