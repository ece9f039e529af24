// Package stripepay implements pay.Checkout with Stripe's API. Secrets and e-mail addresses must not
// appear in logs or errors.
//
// Answers are parsed from their JSON, not into the library's types, because the form of subscriptions
// and invoices depends on the API version.
//
// Start reading at New.
package stripepay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v76"

	"verdetto/shared/pay"
)

type Config struct {
	Key   string
	Price string
	// FormerPrices are ids of prices that were sold earlier and whose subscriptions stay valid.
	FormerPrices []string
	// WebhookSecrets are the current secret and, during a rotation, the former one.
	WebhookSecrets []string
	URL            string // base URL of the API; by default Stripe's
	Client         *http.Client
}

const (
	retries = 2
	// longestPause is the longest pause between two attempts, during which the library does not check
	// the deadline.
	longestPause   = time.Second
	attemptTimeout = 3 * time.Second
	maxBody        = 4 << 20
)

type Checkout struct {
	key     string
	price   string
	prices  []string // Config.Price and Config.FormerPrices
	secrets []string
	backend stripe.Backend
}

var _ pay.Checkout = (*Checkout)(nil)

func New(config Config) (*Checkout, error) {
	switch {
	case config.Key == "":
		return nil, errors.New("no API key")
	case config.Price == "":
		return nil, errors.New("no price")
	case len(config.WebhookSecrets) == 0:
		return nil, errors.New("no webhook secret")
	}
	for i, price := range config.FormerPrices { // a mistyped price would end paid plans
		if price == "" || price != strings.TrimSpace(price) {
			return nil, fmt.Errorf("former price %d is empty or has a space beside it", i+1)
		}
	}
	for i, secret := range config.WebhookSecrets {
		if secret == "" {
			return nil, fmt.Errorf("webhook secret %d is empty", i+1)
		}
	}
	address := config.URL
	if address == "" {
		address = stripe.APIURL
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || u.Hostname() != "127.0.0.1") {
		return nil, fmt.Errorf("address %q is neither https nor on this machine", address)
	}
	client := http.Client{Timeout: attemptTimeout}
	if config.Client != nil {
		client = *config.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client.Transport = discreet{client.Transport}
	backend := stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{
		URL:               stripe.String(address),
		HTTPClient:        &client,
		MaxNetworkRetries: stripe.Int64(retries),
		EnableTelemetry:   stripe.Bool(false),
		LeveledLogger:     &stripe.LeveledLogger{Level: stripe.LevelNull},
	})
	return &Checkout{
		key: config.Key, price: config.Price, prices: append([]string{config.Price}, config.FormerPrices...),
		secrets: config.WebhookSecrets, backend: backend,
	}, nil
}

// discreet removes the header that describes this machine.
type discreet struct{ next http.RoundTripper }

func (d discreet) RoundTrip(r *http.Request) (*http.Response, error) {
	next := d.next
	if next == nil {
		next = http.DefaultTransport
	}
	r = r.Clone(r.Context())
	r.Header.Del("X-Stripe-Client-User-Agent")
	response, err := next.RoundTrip(r)
	if err == nil {
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(response.Body, maxBody), response.Body}
	}
	return response, err
}

// The parameter missing is the error for an object that does not exist.
func (c *Checkout) call(ctx context.Context, what, method, path string, params stripe.ParamsContainer,
	missing error) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, pay.Timeout-longestPause)
	defer cancel()
	params.GetParams().Context = ctx
	var answer stripe.APIResource
	if err := c.backend.Call(method, path, c.key, params, &answer); err != nil {
		return nil, translate(ctx, what, err, missing)
	}
	return answer.LastResponse.RawJSON, nil
}

func (c *Checkout) Start(ctx context.Context, request pay.StartRequest) (string, error) {
	params := &stripe.CheckoutSessionParams{
		Mode:          stripe.String(string(stripe.CheckoutSessionModeSubscription)),
		LineItems:     []*stripe.CheckoutSessionLineItemParams{{Price: &c.price, Quantity: stripe.Int64(1)}},
		CustomerEmail: &request.Email,
		SuccessURL:    &request.SuccessURL,
		CancelURL:     &request.CancelURL,
	}
	if request.IdempotencyKey != "" {
		params.SetIdempotencyKey(request.IdempotencyKey)
	}
	body, err := c.call(ctx, "ask Stripe to start a checkout", http.MethodPost, "/v1/checkout/sessions", params, pay.ErrRefused)
	if err != nil {
		return "", err
	}
	s, err := read[wireSession](body, "checkout.session")
	if err != nil || s.URL == "" {
		return "", fmt.Errorf("ask Stripe to start a checkout: %w: the answer is not a page", pay.ErrUnavailable)
	}
	return s.URL, nil
}

func (c *Checkout) Session(ctx context.Context, id string) (pay.Session, error) {
	const what = "ask Stripe for a checkout"
	if !isID(id, "cs_") {
		return pay.Session{}, fmt.Errorf("%s: %w", what, pay.ErrNoSuchSession)
	}
	params := &stripe.CheckoutSessionParams{}
	params.AddExpand("subscription.latest_invoice")
	body, err := c.call(ctx, what, http.MethodGet, "/v1/checkout/sessions/"+id, params, pay.ErrNoSuchSession)
	if err != nil {
		return pay.Session{}, err
	}
	s, err := read[wireSession](body, "checkout.session")
	if err != nil || s.ID != id {
		return pay.Session{}, fmt.Errorf("%s: %w: the answer is not that session", what, pay.ErrUnavailable)
	}
	answer, err := s.session(c.prices)
	if err != nil || answer.Subscription == "" || s.Subscription.Object != nil {
		return answer, err
	}
	held, err := c.Subscription(ctx, answer.Subscription)
	if err != nil {
		//nolint:errorlint // not wrapped: the session exists even if its subscription cannot be read
		return pay.Session{}, fmt.Errorf("%s: %w: its subscription: %v", what, pay.ErrUnavailable, err)
	}
	answer.PaidUntil, answer.Ours = held.PaidUntil, held.Ours
	return answer, nil
}

func (c *Checkout) Subscription(ctx context.Context, id string) (pay.Subscription, error) {
	const what = "ask Stripe for a subscription"
	if !isID(id, "sub_") {
		return pay.Subscription{}, fmt.Errorf("%s: %w", what, pay.ErrNoSuchSubscription)
	}
	params := &stripe.SubscriptionParams{}
	params.AddExpand("customer")
	params.AddExpand("latest_invoice")
	body, err := c.call(ctx, what, http.MethodGet, "/v1/subscriptions/"+id, params, pay.ErrNoSuchSubscription)
	if err != nil {
		return pay.Subscription{}, err
	}
	s, err := read[wireSubscription](body, "subscription")
	if err != nil || s.ID != id {
		return pay.Subscription{}, fmt.Errorf("%s: %w: the answer is not that subscription", what, pay.ErrUnavailable)
	}
	return s.subscription(c.prices), nil
}

func isID(text, prefix string) bool {
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
	return len(text) > len(prefix) && len(text) <= 255 && strings.HasPrefix(text, prefix) &&
		strings.Trim(text, letters) == ""
}

// translate omits Stripe's message, which can quote the request.
func translate(ctx context.Context, what string, err, missing error) error {
	var refusal *stripe.Error
	if !errors.As(err, &refusal) {
		if errors.Is(ctx.Err(), context.Canceled) {
			return fmt.Errorf("%s: %w", what, context.Canceled)
		}
		return fmt.Errorf("%s: %w: it cannot be reached, or is too slow", what, pay.ErrUnavailable)
	}
	code := refusal.HTTPStatusCode
	kind := pay.ErrRefused
	switch {
	case refusal.Code == stripe.ErrorCodeIdempotencyKeyInUse, code == http.StatusTooManyRequests, code >= 500:
		kind = pay.ErrUnavailable
	case refusal.Type == stripe.ErrorTypeIdempotency:
		kind = pay.ErrKeyReused
	case code == http.StatusConflict:
		kind = pay.ErrUnavailable
	case code == http.StatusNotFound:
		kind = missing
	// If a parameter names an unknown customer, Stripe answers 400, not 404.
	case refusal.Code == stripe.ErrorCodeResourceMissing && refusal.Param == "customer":
		kind = pay.ErrNoSuchCustomer
	case refusal.Code == stripe.ErrorCodeEmailInvalid, refusal.Param == "customer_email":
		kind = pay.ErrBadEmail
	}
	if code == http.StatusUnauthorized {
		kind = fmt.Errorf("%w: set a valid STRIPE_KEY", kind)
	}
	return fmt.Errorf("%s: %w: status %d, type %q, code %q, parameter %q, request %q",
		what, kind, code, refusal.Type, refusal.Code, refusal.Param, refusal.RequestID)
}
