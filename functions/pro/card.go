package pro

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/pay"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

func (s *Service) registerCard(api *httpapi.API) {
	httpapi.JSON(api, "pro-checkout", httpapi.JSONDoc{
		Summary: "Buy Pro by card",
		Description: "Returns the address of a hosted checkout: the same one for the same caller, email " +
			"address, language and Idempotency-Key, while the card processor remembers it.",
		Problems: []httpapi.ProblemType{NotOffered},
		Answer:   checkoutBegun{},
		Pages:    []int{http.StatusOK},
	}, offered(s.byCard, s.checkCheckout), s.checkout)
	if !s.byCard() {
		return
	}
	httpapi.JSON(api, "pro-conferma", httpapi.JSONDoc{
		Summary: "Get the key after paying by card",
		Description: "The hosted checkout sends the payer here. It shows the key once, as JSON or as a " +
			"page; the page can be opened again for 10 minutes. If the address already has a valid key, no " +
			"key is shown, that key stays valid, and `status` is `esteso`.",
		Problems: []httpapi.ProblemType{NoSuchSession, NotPro, NotPaid, SessionExpired, KeyIssued},
		Answer:   issued{},
		Pages:    []int{http.StatusOK, NoSuchSession.Status, NotPro.Status, NotPaid.Status, SessionExpired.Status},
	}, nil, s.confirm)
	httpapi.JSON(api, "pro-webhook", httpapi.JSONDoc{
		Summary: "Deliveries of the card processor",
		Description: "Receives the card processor's signed deliveries. Their order and number do not " +
			"change the result.",
		Problems: []httpapi.ProblemType{BadSignature},
	}, nil, s.webhook)
}

type checkoutInput struct {
	Accept string `header:"Accept"`
	Reader
	httpapi.Repeatable
	Body struct {
		Email string `json:"email" maxLength:"254" doc:"Email address" example:"ada@example.com"`
		Token string `json:"t,omitempty" nullable:"true" format:"hex32-or-empty" doc:"Random field of a page's form, which works as an Idempotency-Key" example:"000102030405060708090a0b0c0d0e0f"`
	} `contentType:"application/json"`
}

type checkoutBegun struct {
	URL string `json:"url" format:"uri" doc:"URL to send the payer to"`
}

func (s *Service) checkCheckout(_ context.Context, in *checkoutInput) error {
	_, err := address(in.Body.Email)
	if err == nil && in.Body.Token != "" && !isToken(in.Body.Token) {
		err = httpapi.Invalid(badToken)
	}
	return err
}

func (s *Service) checkout(ctx context.Context, in *checkoutInput) (*page.Response, error) {
	email, err := address(in.Body.Email)
	if err != nil {
		return nil, err
	}
	idempotency, err := s.checkoutKey(ctx, in, email)
	if err != nil {
		return nil, err
	}
	l := in.language()
	if err := mayAskCard(ctx); err != nil {
		return nil, err
	}
	url, err := s.Checkout.Start(ctx, pay.StartRequest{
		Email:          apikey.Normalize(email),    // so that every spelling gets the same checkout
		IdempotencyKey: idempotency + "-" + l.Code, // the request's URLs differ by language
		SuccessURL:     s.BaseURL + page.AddressIn(l, "/api/v1/pro/conferma?session_id={CHECKOUT_SESSION_ID}"),
		CancelURL:      s.BaseURL + page.AddressIn(l, "/v1/pro"),
	})
	switch {
	case errors.Is(err, pay.ErrBadEmail):
		return nil, httpapi.Invalid(httpapi.Fault{Name: "email",
			Detail: "is not an address that the card checkout takes"})
	case errors.Is(err, pay.ErrUnavailable):
		return nil, s.unavailable(ctx, noStripe, err)
	case err != nil:
		return nil, err
	}
	return showCheckout(in.Accept, l, checkoutBegun{url})
}

// The idempotency key must be hard to guess, because whoever gets the same checkout page can read the
// bought Pro key.
func (s *Service) checkoutKey(ctx context.Context, in *checkoutInput, email string) (string, error) {
	secret := httpapi.Repeatable{IdempotencyKey: cmp.Or(in.IdempotencyKey, in.Body.Token)}
	var derived [16]byte
	_, err := io.ReadFull(secret.Random(ctx, s.Random, "pro checkout", httpapi.Subject(ctx), apikey.Normalize(email)),
		derived[:])
	return hex.EncodeToString(derived[:]), err
}

type confirmInput struct {
	Session string `query:"session_id" required:"true" doc:"ID of the checkout"`
	Accept  string `header:"Accept"`
	Reader
}

// The id of a checkout is a secret of the payer: whoever presents the id may see the key.
func (s *Service) confirm(ctx context.Context, in *confirmInput) (*page.Response, error) {
	l, person := in.language(), page.WantsHTML(in.Accept)
	if person {
		bought, until, ok, err := s.lookAgain(ctx, in.Session)
		if err != nil {
			return nil, err
		}
		if ok {
			return s.showIssued(l, bought, until, true)
		}
	}
	bought, err := s.confirmed(ctx, in.Session)
	switch {
	case err != nil:
		return confirmProblem(in.Accept, l, in.Session, err)
	case person:
		return s.showIssued(l, bought, s.Now().Add(againTime), true)
	}
	return asJSON(http.StatusOK, bought)
}

// confirmed succeeds at most once per checkout.
func (s *Service) confirmed(ctx context.Context, id string) (issued, error) {
	if err := mayAskCard(ctx); err != nil {
		return issued{}, err
	}
	session, err := s.Checkout.Session(ctx, id)
	switch {
	case errors.Is(err, pay.ErrNoSuchSession):
		return issued{}, NoSuchSession.Problem(
			"No checkout has that session_id. Open the complete link that the checkout gave you.")
	case err != nil:
		return issued{}, s.unavailable(ctx, noStripe, err)
	case session.Status == pay.Expired:
		return issued{}, SessionExpired.Problem(
			"The checkout expired before it was paid. Begin a new one with POST /api/v1/pro/checkout.")
	case session.Foreign():
		return issued{}, NotPro.Problem("The checkout did not sell Pro, so it has no key. Begin one for " +
			"Pro with POST /api/v1/pro/checkout.")
	case !session.Sold() || session.Email == "":
		return issued{}, NotPaid.Problem("The checkout is not paid yet. Finish it, or wait for the "+
			"seconds in Retry-After and call again.").With("Retry-After", "5")
	}
	bought, err := s.buy(ctx, session.Email, "", session.ID, false, store.Once{
		What: "checkout/" + session.ID, Subscription: session.Subscription,
		Change: func(c *store.Customer) { recordPaidUntil(c, session.Subscription, session.PaidUntil) },
	})
	if err != nil {
		return issued{}, onceFailed(err, KeyIssued)
	}
	s.noteSale()
	return bought, nil
}

// noteSale reports a webhook that was silent for a day after a sale, because renewals depend on the
// webhook. A delivery may precede the sale by up to an hour.
func (s *Service) noteSale() {
	now := s.Now()
	s.signature.Lock()
	silent := !s.signature.sold.IsZero() && s.signature.heard.Before(s.signature.sold.Add(-time.Hour))
	if !silent {
		s.signature.sold = now
	}
	silent = silent && now.Sub(s.signature.sold) >= 24*time.Hour
	s.signature.Unlock()
	if silent && s.OnDelivery != nil {
		s.OnDelivery(errSilent, "look in Stripe's dashboard, under Developers and Webhooks, whether the webhook is there and enabled")
	}
}

var errSilent = errors.New("no delivery came about a sale by card")

func recordPaidUntil(c *store.Customer, subscription string, until time.Time) {
	if c.Cards == nil {
		c.Cards = map[string]time.Time{}
	}
	c.Cards[subscription] = until.UTC()
}

type webhookInput struct {
	Signature string `header:"Stripe-Signature"`
	RawBody   []byte `contentType:"application/json"`
}

type webhookOutput struct {
	Body struct {
		Received bool `json:"received"`
	}
}

// webhook reads the current state from the card processor, so that late, repeated and misordered
// deliveries lead to the same state.
func (s *Service) webhook(ctx context.Context, in *webhookInput) (*webhookOutput, error) {
	event, err := s.Checkout.Event(in.RawBody, in.Signature, s.Now())
	s.noteSignature(ctx, in.Signature, err)
	if err != nil {
		return nil, BadSignature.Problem("The delivery was refused: " + reason(err) + ".")
	}
	out := &webhookOutput{}
	out.Body.Received = true
	if event.Subscription == "" {
		return out, nil
	}
	id, err := s.subscriber(ctx, event)
	if err == nil {
		// follow reads the subscription after Change has read the customer, so that an older state cannot
		// overwrite a newer one.
		err = s.Keys.Change(ctx, id, func(c *store.Customer) error { return s.follow(ctx, c, event.Subscription) })
	}
	switch {
	case errors.Is(err, errForeign):
		s.Log.WarnContext(ctx, "Stripe's webhook told of a subscription to another price than Pro's, which the service leaves alone", "event", event.ID, "type", event.Type)
	case errors.Is(err, pay.ErrNoSuchSubscription), errors.Is(err, store.ErrNotFound):
		s.Log.WarnContext(ctx, "Stripe's webhook told of a subscription that nobody here has; a subscription made by hand gets no key", "event", event.ID, "type", event.Type)
	case errors.Is(err, pay.ErrUnavailable):
		return nil, s.unavailable(ctx, noStripe, err)
	case err != nil:
		return nil, err
	}
	return out, nil
}

// secretTodo begins with a condition, because strangers can send wrong signatures too.
const secretTodo = "if Stripe's dashboard shows failed deliveries, set STRIPE_WEBHOOK_SECRETS to the secret that " +
	"it shows for the webhook"

// noteSignature ignores deliveries that are refused for another reason than the signature, or have
// no v1 signature.
func (s *Service) noteSignature(ctx context.Context, signature string, err error) {
	wrong := errors.Is(err, pay.ErrBadSignature) && strings.Contains(signature, "v1=")
	if err != nil && !wrong {
		return
	}
	if s.OnDelivery != nil {
		s.OnDelivery(err, secretTodo)
	}
	now := s.Now()
	s.signature.Lock()
	defer s.signature.Unlock()
	if !wrong {
		s.signature.heard = now
	}
	if !wrong || now.Before(s.signature.next) {
		return
	}
	s.signature.next = now.Add(time.Hour)
	s.Log.ErrorContext(ctx, "a delivery of Stripe's webhook has a wrong signature: "+secretTodo)
}

var errForeign = errors.New("the subscription is not of Pro")

func (s *Service) follow(ctx context.Context, c *store.Customer, id string) error {
	subscription, err := s.Checkout.Subscription(ctx, id)
	if err != nil {
		return err
	}
	if !subscription.Ours {
		return errForeign
	}
	until := subscription.PaidUntil
	if !subscription.EndedAt.IsZero() && subscription.EndedAt.Before(until) {
		until = subscription.EndedAt
	}
	if !until.IsZero() {
		recordPaidUntil(c, id, until)
	}
	return nil
}

func (s *Service) dropForeign(ctx context.Context, c *store.Customer) error {
	for id, until := range c.Cards {
		if !(apikey.Plan{Until: until.Add(apikey.Grace)}).Live(s.Now()) {
			continue
		}
		err := s.follow(ctx, c, id)
		if errors.Is(err, errForeign) {
			s.Log.WarnContext(ctx, "a subscription now has another price than Pro's, so it no longer counts for its plan")
			delete(c.Cards, id)
			continue
		}
		if err != nil && !errors.Is(err, pay.ErrNoSuchSubscription) {
			return fmt.Errorf("ask for a subscription: %w", err)
		}
	}
	return nil
}

// A stored link takes precedence over the subscription's e-mail address, which may have changed.
func (s *Service) subscriber(ctx context.Context, event pay.Event) (apikey.CustomerID, error) {
	known, err := s.Keys.SubscriptionOwner(ctx, event.Subscription)
	if !errors.Is(err, store.ErrNotFound) {
		return known, err
	}
	subscription, err := s.Checkout.Subscription(ctx, event.Subscription)
	if err != nil {
		return "", err
	}
	if !subscription.Ours {
		return "", errForeign
	}
	if subscription.Ended {
		// The end of a subscription must not create an erased customer again.
		return "", pay.ErrNoSuchSubscription
	}
	email := cmp.Or(subscription.Email, event.Email)
	if email == "" {
		return "", store.ErrNotFound
	}
	id := s.customer(email)
	return id, s.Keys.LinkSubscription(ctx, event.Subscription, id)
}

func reason(err error) string {
	for _, known := range []error{pay.ErrBadSignature, pay.ErrStale, pay.ErrMalformed} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return "it cannot be read"
}
