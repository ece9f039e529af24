// Package x402 sells single verdicts, calendars and lists of deals to programs without a key. The
// programs pay in USDC on Solana by the protocol x402, version 2, scheme exact.
//
// A call without a payment gets the price, with status 402. A call with a new payment usually takes these
// steps:
//
//  1. Verify the payment.
//  2. Build the answer, so that no payment is taken for a missing answer.
//  3. Record the payment as taken for this call.
//  4. Settle the payment on the chain.
//  5. Record the answer as given, and return it.
//
// A settled payment without an answer is a credit, which can pay for a later call of the same payer.
//
// Start reading at sale.serve.
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
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

type Service struct {
	*published.Answers
	Seller   *x402pay.Seller // nil if nothing is sold
	Chain    pay.Settler
	Payments store.Payments
	Limiter  *limit.Limiter
	BaseURL  string // public URL of the service, without a trailing slash
	Now      func() time.Time
	Log      *slog.Logger
	Metrics  metrics.Source

	balance store.Memo[balance]
}

var (
	NotSold  = httpapi.ProblemType{Status: http.StatusNotFound, Code: "vendita-non-attiva", Title: "Single answers are not sold here"}
	Required = httpapi.ProblemType{Status: http.StatusPaymentRequired, Code: "pagamento-richiesto", Title: "A payment is required"}
	Refused  = httpapi.ProblemType{Status: http.StatusPaymentRequired, Code: "pagamento-rifiutato", Title: "The payment was not accepted"}
)

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
	published.DealsInput
	Presented
}

func (s *Service) Register(api *httpapi.API) {
	sell[verdictInput](s, api, "x402-analisi", "A verdict, paid by itself", published.Analysis{}, s.Check,
		func(ctx context.Context, q answer.Question) (any, error) { return s.Verdict(ctx, q) })
	sell[calendarInput](s, api, "x402-calendario", "A calendar, paid by itself", published.Calendario{}, s.Check,
		func(ctx context.Context, q answer.Question) (any, error) {
			return s.Calendar(ctx, q, httpapi.AllFares(ctx))
		})
	sell[dealsInput](s, api, "x402-occasioni", "A list of deals, paid by itself", published.Occasioni{}, s.CheckDeals,
		func(ctx context.Context, q published.DealsQuestion) (any, error) { return s.Deals(ctx, q) })
}

const (
	// LeastFunds is the balance in lamports that the fee payer needs for a sale. LeastFunds covers the
	// 890,880 lamports that an account must keep, and the highest fee of 50 calls.
	LeastFunds = 890_880 + 50*x402pay.MaxFee
	fundsKnown = time.Minute
)

type balance struct {
	lamports int64
	err      error
}

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
	case ctx.Err() != nil: // the request has ended, which says nothing about the chain
		return ctx.Err()
	case held.err != nil:
		s.Log.ErrorContext(ctx, "no Solana node says how much SOL is left for fees, so nothing is sold by x402; if this lasts, set other SOLANA_NODES", "error", held.err)
	case held.lamports < LeastFunds:
		s.Log.ErrorContext(ctx, "too little SOL is left for fees, so nothing is sold by x402: send SOL to the address", "address", s.Seller.FeePayer(), "lamports", held.lamports, "least",
			LeastFunds)
	default:
		return nil
	}
	return notNow("Payments cannot be taken just now, so nothing is sold. Try again in a minute; the free endpoints "+
		"answer as ever.", "60")
}

func notNow(detail, seconds string) error {
	return httpapi.Unavailable.Problem(detail).With("Retry-After", seconds)
}
