// Package pro sells the paid plan: by card through a hosted checkout, or in USDC on Solana. Package
// pro also recovers and rotates keys, and moves and erases customers.
//
// Start reading at Service.Register. The files card.go and usdc.go sell, and worker.go sends mails.
package pro

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/pay"
	"verdetto/shared/runtime/metrics"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

type Service struct {
	Keys       store.Customers
	Outbox     store.Outbox
	Checkout   pay.Checkout // pay.Unsold if nothing is sold by card
	Chain      pay.Chain    // nil if nothing is sold in USDC
	Wallet     Wallet
	Sender     mail.Sender
	Limiter    *limit.Limiter
	Refused    *apikey.Refused
	Pepper     []byte
	BaseURL    string // public URL of the service, without a trailing slash
	Random     io.Reader
	Now        func() time.Time
	Log        *slog.Logger
	Operator   Operator
	Processors Processors
	// SignalWorker, if set, is called when an outbox may have a new job.
	SignalWorker func()
	JobsAtOnce   int // jobs that run in parallel; 0 means 1
	Metrics      metrics.Source
	// OnDelivery, if set, learns whether Stripe's webhook works. If a valid delivery arrived, err is
	// nil. Otherwise todo says what to do.
	OnDelivery func(err error, todo string)

	priceMemo store.Memo[*pay.Price]
	unknown   unknownPayments

	signature struct {
		sync.Mutex
		next        time.Time // no wrong signature is logged before this time
		heard, sold time.Time // times of the last valid delivery and of a sale; see noteSale
	}

	kept struct {
		sync.Mutex
		after string    // name of the claim after which the next batch begins, or empty at the start
		next  time.Time // no claim is judged before this time
	}
}

// Processors are companies that process personal data for the operator.
type Processors struct {
	AWS       bool
	Mail      string
	Simulated bool
}

type Wallet struct {
	Owner        string
	TokenAccount string
	Mint         string
	Network      string // mainnet-beta or devnet
	Units        int64  // the price, in millionths of a USDC
}

// CryptoDays is the number of days that one payment in USDC buys.
const CryptoDays = 30

var (
	NoSuchSession  = httpapi.ProblemType{Status: http.StatusNotFound, Code: "sessione-sconosciuta", Title: "Unknown checkout"}
	NotPro         = httpapi.ProblemType{Status: http.StatusUnprocessableEntity, Code: "checkout-non-pro", Title: "The checkout sold something else"}
	NotPaid        = httpapi.ProblemType{Status: http.StatusConflict, Code: "pagamento-in-attesa", Title: "The payment has not arrived", Wait: true}
	SessionExpired = httpapi.ProblemType{Status: http.StatusGone, Code: "sessione-scaduta", Title: "The checkout has expired"}
	KeyIssued      = httpapi.ProblemType{Status: http.StatusConflict, Code: "chiave-gia-emessa", Title: "The key has already been issued"}
	BadSignature   = httpapi.ProblemType{Status: http.StatusBadRequest, Code: "firma-non-valida", Title: "The signature of the delivery is not valid"}
	NoPayment      = httpapi.ProblemType{Status: http.StatusNotFound, Code: "pagamento-non-trovato", Title: "Unknown payment", Wait: true}
	WrongProof     = httpapi.ProblemType{Status: http.StatusUnprocessableEntity, Code: "prova-non-valida", Title: "The proof is not from the paying wallet"}
	NotFinal       = httpapi.ProblemType{Status: http.StatusConflict, Code: "pagamento-non-definitivo", Title: "The payment is not final yet", Wait: true}
	Unjudged       = httpapi.ProblemType{Status: http.StatusConflict, Code: "pagamento-da-esaminare", Title: "The payment cannot be read yet"}
	PaymentFailed  = httpapi.ProblemType{Status: http.StatusUnprocessableEntity, Code: "pagamento-fallito", Title: "The transaction failed"}
	TooLittle      = httpapi.ProblemType{Status: http.StatusUnprocessableEntity, Code: "importo-insufficiente", Title: "The payment is too small"}
	TooOld         = httpapi.ProblemType{Status: http.StatusUnprocessableEntity, Code: "pagamento-scaduto", Title: "The payment is too old"}
	NotYours       = httpapi.ProblemType{Status: http.StatusForbidden, Code: "pagamento-di-altri", Title: "The payment is bound to another address"}
	NoCard         = httpapi.ProblemType{Status: http.StatusConflict, Code: "nessuna-carta", Title: "The plan is not paid by card"}
	NotOffered     = httpapi.ProblemType{Status: http.StatusNotFound, Code: "piano-non-offerto", Title: "Not sold here"}
	PaymentUsed    = httpapi.ProblemType{Status: http.StatusConflict, Code: "pagamento-gia-usato", Title: "The payment has already been used"}
)

func (s *Service) Register(api *httpapi.API) {
	s.registerPages(api)
	s.registerOffer(api)
	s.registerCard(api)
	s.registerCrypto(api)
	s.registerRecover(api)
	s.registerKey(api)
	s.registerManage(api)
}

func (s *Service) byCard() bool { _, unsold := s.Checkout.(pay.Unsold); return !unsold }
func (s *Service) inUSDC() bool { return s.Chain != nil }

func (s *Service) sells() bool { return s.byCard() || s.inUSDC() }

func offered[I any](isOffered func() bool, check func(context.Context, *I) error) func(context.Context, *I) error {
	return func(ctx context.Context, in *I) error {
		if !isOffered() {
			return NotOffered.Problem("This service does not sell the plan in this way. GET /v1/pro says what is " +
				"sold here.")
		}
		return check(ctx, in)
	}
}

type emailBody struct {
	Body struct {
		Email string `json:"email" maxLength:"254" doc:"Email address" example:"ada@example.com"`
	} `contentType:"application/json"`
}

type faults []httpapi.Fault

func (f *faults) add(wrong bool, fault httpapi.Fault) {
	if wrong {
		*f = append(*f, fault)
	}
}

func (f faults) err() error {
	if len(f) == 0 {
		return nil
	}
	return httpapi.Invalid(f...)
}

var (
	badEmail       = httpapi.Fault{Name: "email", Detail: "is not an email address such as ada@example.com"}
	badTransaction = httpapi.Fault{Name: "signature",
		Detail: "is not a transaction signature: 64 bytes in base58, as wallets and explorers show it"}
)

func address(email string) (string, error) {
	a, err := mail.ParseAddress(email)
	if err != nil {
		return "", httpapi.Invalid(badEmail)
	}
	return a, nil
}

const (
	noStripe = "Stripe gave no usable answer; the caller may repeat the call; if this lasts, see status.stripe.com"
	noNode   = "no Solana node gave a usable answer; the caller may repeat the call; if this lasts, set other SOLANA_NODES"
)

func (s *Service) unavailable(ctx context.Context, which string, err error) error {
	s.Log.ErrorContext(ctx, which, "error", err)
	return httpapi.Unavailable.Problem("The payment could not be checked; nothing is lost. Call again in "+
		"a few seconds.").With("Retry-After", "5")
}

func (s *Service) customer(email string) apikey.CustomerID {
	return apikey.CustomerIDOf(s.Pepper, email)
}

type issued struct {
	APIKey    string    `json:"apiKey,omitempty" doc:"The key, for the payer to store. Absent if status is esteso"`
	Status    string    `json:"status,omitempty" enum:"esteso" doc:"esteso: the plan of an address with a valid key, which stays, was extended; its owner gets a mail"`
	Plan      string    `json:"plan" enum:"pro"`
	ExpiresAt time.Time `json:"expiresAt" doc:"End of the plan unless it is renewed, UTC"`
}

const extended = "esteso"

// buy returns an existing key only to a caller who presents the key, because the payer may be a
// stranger. With the parameter secret, the result can be read again for 10 minutes.
func (s *Service) buy(ctx context.Context, email, presented, secret string, mailed bool, once store.Once) (issued, error) {
	now := s.Now()
	if secret != "" {
		once.Note = s.noteKey(secret, s.customer(email))
	}
	key, ok := apikey.Parse(presented)
	holds := func(c store.Customer) bool { return ok && key.Customer == c.ID && c.HasKey(key) }
	once.Keep = func(c store.Customer) bool { return holds(c) || c.HasLiveKey(now) }
	once.Job = func(c store.Customer) (string, store.Job) {
		switch {
		case c.HasLiveKey(now) && !holds(c):
			return s.noticesBox().Name, store.Job{Kind: extendedKind, Email: email, At: now}
		case mailed:
			return s.Outbox.Name, store.Job{Kind: agreedKind, Email: email, Ref: firstKey, At: now}
		}
		return "", store.Job{}
	}
	text, c, err := s.Keys.IssueOnce(ctx, s.Random, s.customer(email), now, once)
	if err != nil {
		return issued{}, err
	}
	bought := issued{APIKey: text, Plan: "pro", ExpiresAt: c.Plan().Until}
	switch {
	case text != "":
	case holds(c):
		bought.APIKey = presented
	default:
		bought.Status = extended
		s.signal()
	}
	return bought, nil
}

func (s *Service) signal() {
	if s.SignalWorker != nil {
		s.SignalWorker()
	}
}

// onceFailed gives every caller the same answer about a used payment: payments are public, but who
// used a payment is secret.
func onceFailed(err error, kind httpapi.ProblemType) error {
	if !errors.Is(err, store.ErrIssued) {
		return err
	}
	return kind.Problem("It was already used for a key or to extend a plan. If it is yours, request a " +
		"new key with POST /api/v1/pro/recupera and the email address of the plan.")
}
