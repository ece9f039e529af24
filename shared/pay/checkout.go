package pay

import (
	"context"
	"time"
)

type Checkout interface {
	Price(ctx context.Context) (Price, error)

	// Start returns the URL of a checkout page. A second call within a day with the same request
	// returns the same page, unless the idempotency key is empty.
	Start(ctx context.Context, request StartRequest) (url string, err error)

	Session(ctx context.Context, id string) (Session, error)

	// Subscription returns the current state, which an Event does not contain.
	Subscription(ctx context.Context, id string) (Subscription, error)

	// Event verifies a webhook delivery. Deliveries may be repeated and arrive in any order.
	Event(payload []byte, signature string, now time.Time) (Event, error)

	// Portal returns a URL that must stay secret: whoever opens it acts as the customer.
	Portal(ctx context.Context, customer, returnURL string) (url string, err error)

	Readdress(ctx context.Context, customer, email string) error

	// Forget deletes a customer and ends the customer's subscriptions at once. For an unknown
	// customer, Forget returns nil.
	Forget(ctx context.Context, customer string) error
}

type Price struct {
	Amount   string // decimal, such as "12.99"
	Currency string // ISO 4217, upper case
	Every    string // day, week, month or year
	Count    int    // days, weeks, months or years between two charges
	PlusTax  bool   // Amount excludes tax
}

type StartRequest struct {
	Email          string
	IdempotencyKey string
	// SuccessURL may contain {CHECKOUT_SESSION_ID}, which the processor replaces by the session id.
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
	Email        string
	Status       SessionStatus
	Paid         bool // also true if nothing was due
	Subscription string
	Ours         bool // the subscription has a price from the configuration
	PaidUntil    time.Time
}

func (s Session) Sold() bool { return s.Status == Complete && s.Paid && s.Ours }

func (s Session) Foreign() bool { return s.Status == Complete && !s.Ours }

type Subscription struct {
	Customer  string
	Email     string // empty if the customer was deleted
	Ours      bool
	Ended     bool
	PaidUntil time.Time
	EndedAt   time.Time
}

type Event struct {
	ID           string // the same for every delivery of one event
	Type         string
	Subscription string
	Email        string
}
