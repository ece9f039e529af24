// Package x402 sells verdicts, calendars and lists of deals one by one, to programs
// without a key: by the protocol x402, version 2, scheme exact, in USDC on Solana.
// The answers are those of the free endpoints, to the same questions.
//
// Who asks without a payment is told the price (402). Who asks with one is answered in this order:
// the payment is verified, which costs nothing; the answer is made, so that nothing is taken for
// one that there is not; the payment is recorded as taken for this call, once and for ever; it is
// settled on the chain; the answer is recorded as given, and given. Wherever that breaks off, the
// same payment for the same call goes on from there, and a payment that was settled and not
// answered is good for its payer's next call of as much: see sale and store.Payments.
package x402

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/pay"
	"verdetto/shared/pay/x402pay"
	"verdetto/shared/published"
	"verdetto/shared/runtime/metrics"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

// Service sells answers.
type Service struct {
	*published.Answers
	Seller   *x402pay.Seller // nil: nothing is sold
	Chain    pay.Settler
	Payments store.Payments
	Limiter  *limit.Limiter
	BaseURL  string // where the service is reached, without a slash at the end
	Now      func() time.Time
	Log      *slog.Logger
	Metrics  metrics.Source

	balance store.Memo[balance]
}

// The problems of paying.
var (
	NotSold = httpapi.ProblemType{Status: http.StatusNotFound, Code: "vendita-non-attiva",
		Title: "Answers are not sold one by one here"}
	Required = httpapi.ProblemType{Status: http.StatusPaymentRequired, Code: "pagamento-richiesto",
		Title: "The answer is to be paid for"}
	Refused = httpapi.ProblemType{Status: http.StatusPaymentRequired, Code: "pagamento-rifiutato",
		Title: "The payment was not accepted"}
)

// Presented is where a payment is.
type Presented struct {
	Payment string `header:"PAYMENT-SIGNATURE" json:"-"`
}

func (p *Presented) presented() string { return p.Payment }

type verdictInput struct {
	published.VerdictInput
	Presented
}

type calendarInput struct {
	published.CalendarInput
	Presented
}

type dealsInput struct {
	published.CheapInput
	Presented
}

// Register adds the endpoints to an API.
func (s *Service) Register(api *httpapi.API) {
	sell[verdictInput](s, api, "x402-analisi", "A verdict, paid by itself", verdict.Analysis{}, s.Check,
		func(ctx context.Context, q answer.Question) (any, error) { return s.Verdict(ctx, q) })
	sell[calendarInput](s, api, "x402-calendario", "A calendar, paid by itself", verdict.Calendario{}, s.Check,
		func(ctx context.Context, q answer.Question) (any, error) {
			return s.Calendar(ctx, q, httpapi.AllFares(ctx))
		})
	sell[dealsInput](s, api, "x402-occasioni", "A list of deals, paid by itself", published.Occasioni{}, s.CheckDeals,
		func(ctx context.Context, q published.DealsQuestion) (any, error) { return s.Deals(ctx, q) })
}

const (
	// LeastFunds is what the address that pays the network's fees has to hold for anything to be
	// sold, in lamports: 890,880 have to stay on an account, and 50 calls may cost the most.
	LeastFunds = 890_880 + 50*x402pay.MaxFee
	// fundsKnown is how long a process goes by what it has asked.
	fundsKnown = time.Minute
)

// balance is what the address that pays the network's fees holds, or why that is not known.
type balance struct {
	lamports int64
	err      error
}

// funded refuses to sell while the network's fee could not be paid. It asks the chain
// once a minute at most, and tells the metric FeeLamports.
func (s *Service) funded(ctx context.Context) error {
	now := s.Now()
	held, _ := s.balance.Get(now, func() (held balance, use time.Duration, err error) {
		held.lamports, held.err = s.Chain.Balance(ctx, s.Seller.FeePayer())
		if held.err == nil {
			lamports := metrics.Metric{Name: "FeeLamports", Unit: metrics.None, Value: float64(held.lamports)}
			s.Log.LogAttrs(ctx, slog.LevelInfo, "fees", s.Metrics.Attrs(now, lamports)...)
		}
		return held, fundsKnown, ctx.Err()
	})
	switch {
	case ctx.Err() != nil: // the caller has gone: that says nothing of the chain
		return ctx.Err()
	case held.err != nil:
		s.Log.ErrorContext(ctx, "fees not known", "error", held.err)
	case held.lamports < LeastFunds:
		s.Log.ErrorContext(ctx, "fees used up", "address", s.Seller.FeePayer(), "lamports", held.lamports, "least",
			LeastFunds)
	default:
		return nil
	}
	return notNow("Payments cannot be taken just now, so nothing is sold. Try again in a minute; the free endpoints "+
		"answer as ever.", "60")
}

// notNow is a problem of ours: nobody has to pay for it.
func notNow(detail, seconds string) error {
	return httpapi.Unavailable.Problem(detail).With("Retry-After", seconds)
}
