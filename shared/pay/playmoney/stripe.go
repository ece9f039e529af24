package playmoney

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"
)

type Stripe struct {
	wrapped

	Key      string
	Price    string
	Amount   int64
	Currency string
	Inactive bool
	Secret   string
	// If Webhook is set, the imitated pages deliver events to this URL.
	Webhook string
	// Basil selects the form that subscriptions and invoices have from API version 2025-03-31 on.
	Basil bool

	now func() time.Time

	mu            sync.Mutex
	counter       int
	sessions      map[string]*checkout
	subscriptions map[string]*stripeSubscription
	portals       map[string]string
	answers       map[string]storedAnswer
	events        []Event
	reported      int
	calls         int
}

const (
	TestKey     = "sk_test_0123456789abcdef"
	TestPrice   = "price_pro_monthly"
	TestSecret  = "whsec_0123456789abcdef"
	sessionLife = 24 * time.Hour
)

func NewStripe(now func() time.Time) *Stripe {
	return &Stripe{
		Key: TestKey, Price: TestPrice, Amount: 1299, Currency: "usd", Secret: TestSecret, now: now,
		sessions: map[string]*checkout{}, subscriptions: map[string]*stripeSubscription{},
		answers: map[string]storedAnswer{}, portals: map[string]string{},
	}
}

type checkout struct {
	id, email, success, cancel string
	status                     string // open, complete or expired
	paid                       bool
	subscription               string
	created, expires           time.Time
}

type stripeSubscription struct {
	id, customer, email string
	price               string
	status              string
	begin, end          time.Time
	paid                bool
	invoices            int
	created, ended      time.Time
	cancels             bool
	deletedCustomer     bool
}

// The caller of id must hold mu.
func (s *Stripe) id(prefix string) string {
	s.counter++
	sum := sha256.Sum256([]byte(fmt.Sprint(prefix, s.counter)))
	return prefix + hex.EncodeToString(sum[:12])
}

func (s *Stripe) session(id string) *checkout {
	c := s.sessions[id]
	if c.status == "open" && !s.now().Before(c.expires) {
		c.status = "expired"
	}
	return c
}

func (s *Stripe) Sessions() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.sessions))
}

func (s *Stripe) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

func (s *Stripe) Pay(session string) (subscription string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.complete(session, true)
}

// PayLater leaves the payment pending until Settle is called.
func (s *Stripe) PayLater(session string) (subscription string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.complete(session, false)
}

func (s *Stripe) complete(session string, paid bool) string {
	return s.subscribe(s.session(session), s.Price, paid)
}

func (s *Stripe) SellOther(email, price string) (session, subscription string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &checkout{id: s.id("cs_test_"), email: email, status: "open", created: s.now(),
		expires: s.now().Add(sessionLife)}
	s.sessions[c.id] = c
	return c.id, s.subscribe(c, price, true)
}

func (s *Stripe) change(subscription string, how func(*stripeSubscription), invoice ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.subscriptions[subscription]
	how(h)
	s.happen("customer.subscription.updated", s.subscriptionObject(h, nil))
	s.invoiced(h, invoice...)
}

func (s *Stripe) invoiced(h *stripeSubscription, kinds ...string) {
	for _, kind := range kinds {
		s.happen(kind, s.invoiceObject(h))
	}
}

func (s *Stripe) Reprice(subscription, price string) {
	s.change(subscription, func(h *stripeSubscription) { h.price = price })
}

func (s *Stripe) subscribe(c *checkout, price string, paid bool) string {
	now := s.now()
	h := &stripeSubscription{
		id: s.id("sub_"), customer: s.id("cus_"), email: c.email, price: price, status: "active",
		begin: now, end: now.AddDate(0, 1, 0), paid: paid, invoices: 1, created: now,
	}
	s.subscriptions[h.id] = h
	c.status, c.paid, c.subscription = "complete", paid, h.id
	s.happen("checkout.session.completed", s.sessionObject(c, nil))
	s.happen("customer.subscription.created", s.subscriptionObject(h, nil))
	if paid {
		s.invoiced(h, "invoice.paid", "invoice.payment_succeeded")
	}
	return h.id
}

func (s *Stripe) Settle(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.session(session)
	c.paid = true
	h := s.subscriptions[c.subscription]
	h.paid = true
	s.happen("checkout.session.async_payment_succeeded", s.sessionObject(c, nil))
	s.invoiced(h, "invoice.paid", "invoice.payment_succeeded")
}

func (s *Stripe) Expire(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.session(session)
	c.status = "expired"
	s.happen("checkout.session.expired", s.sessionObject(c, nil))
}

func (s *Stripe) Renew(subscription string) {
	s.change(subscription, func(h *stripeSubscription) {
		if h.paid {
			h.advance()
		}
		h.paid, h.status = true, "active"
	}, "invoice.paid", "invoice.payment_succeeded")
}

// FallDue starts the next period without a charge. A real subscription is active but unpaid for about
// the first hour of a period.
func (s *Stripe) FallDue(subscription string) { s.change(subscription, (*stripeSubscription).advance) }

func (s *Stripe) FailRenewal(subscription string) {
	s.change(subscription, func(h *stripeSubscription) {
		if h.paid {
			h.advance()
		}
		h.status = "past_due"
	}, "invoice.payment_failed")
}

func (h *stripeSubscription) advance() {
	h.begin, h.end = h.end, h.end.AddDate(0, 1, 0)
	h.paid = false
	h.invoices++
}

func (s *Stripe) CancelAtPeriodEnd(subscription string) {
	s.change(subscription, func(h *stripeSubscription) { h.cancels = true })
}

func (s *Stripe) End(subscription string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(s.subscriptions[subscription])
}

func (s *Stripe) end(h *stripeSubscription) {
	h.status, h.ended = "canceled", s.now()
	s.happen("customer.subscription.deleted", s.subscriptionObject(h, nil))
}

func (s *Stripe) DeleteCustomer(subscription string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(s.subscriptions[subscription].customer)
}

func (s *Stripe) forget(customer string) {
	for _, id := range slices.Sorted(maps.Keys(s.subscriptions)) {
		h := s.subscriptions[id]
		if h.customer != customer {
			continue
		}
		if h.ended.IsZero() {
			s.end(h)
		}
		h.deletedCustomer = true
	}
}

func (s *Stripe) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/checkout/sessions", s.api(s.createSession))
	mux.HandleFunc("GET /v1/checkout/sessions/{id}", s.api(s.getSession))
	mux.HandleFunc("GET /v1/subscriptions/{id}", s.api(s.getSubscription))
	mux.HandleFunc("GET /v1/prices/{id}", s.api(s.getPrice))
	mux.HandleFunc("POST /v1/billing_portal/sessions", s.api(s.createPortal))
	mux.HandleFunc("POST /v1/customers/{id}", s.api(s.updateCustomer))
	mux.HandleFunc("DELETE /v1/customers/{id}", s.api(s.deleteCustomer))
	mux.HandleFunc("/v1/", s.api(func(r *http.Request) (int, object) {
		return fault(http.StatusNotFound, "invalid_request_error", "", "",
			"Unrecognized request URL ("+r.Method+": "+r.URL.Path+").")
	}))
	mux.HandleFunc("GET /c/pay/{id}", s.checkoutPage)
	mux.HandleFunc("POST /c/pay/{id}", s.checkoutForm)
	for _, path := range []string{"/{$}", "/p/session/{id}"} {
		mux.HandleFunc("GET "+path, s.index)
		mux.HandleFunc("POST "+path, s.indexForm)
	}
	s.serve(w, r, mux)
}
