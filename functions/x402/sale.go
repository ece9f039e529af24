package x402

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"verdetto/shared/pay"
	"verdetto/shared/pay/x402pay"
	"verdetto/shared/published"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/routes"
)

// A payment without an answer is a credit only after underWay, because until then its call may
// still be running.
const underWay = store.OpenFor

type paidAnswer struct {
	ContentType string `header:"Content-Type"`
	Response    string `header:"PAYMENT-RESPONSE"`
	Body        []byte
}

var ofAnswers = []httpapi.ProblemType{httpapi.UnknownCity, httpapi.NotCovered, published.NoLiveFare,
	published.StopsUnknown, httpapi.SameCity, httpapi.UnknownCurrency}

func sell[I, Q any, P interface {
	*I
	presented() string
	Question() (Q, error)
}](s *Service, api *httpapi.API, name, summary string, gives any, check func(context.Context, Q) error,
	answer func(context.Context, Q) (any, error)) {
	route := routes.Named(name)
	free := route.Path[len("/x402"):]
	doc := httpapi.JSONDoc{
		Summary: summary, Answer: gives, Problems: append([]httpapi.ProblemType{NotSold, Required, Refused},
			ofAnswers...),
		Description: "Returns the answer of GET " + free + " for a payment of " + route.PriceText() +
			" USDC by x402. A call without a payment returns the amount to pay.",
	}
	httpapi.Ask(api, name, doc, func(in *I) (q Q, err error) {
		if s.Seller == nil {
			return q, NotSold.Problem("This service does not sell single answers. GET " + free +
				" gives the same answer, within a daily quota or with a Pro key.")
		}
		return P(in).Question()
	}, check, func(ctx context.Context, in *I, q Q) (*paidAnswer, error) {
		asked, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("write question: %w", err)
		}
		call := sha256.Sum256(append([]byte(name+"\x00"), asked...))
		return (&sale{
			Service: s, units: route.Price, want: s.Seller.Requirements(route.Price),
			resource: x402pay.Resource{URL: s.BaseURL + route.Path, Description: summary, MimeType: "application/json"},
			call:     base64.RawURLEncoding.EncodeToString(call[:]),
			answer:   func(ctx context.Context) (any, error) { return answer(ctx, q) },
		}).serve(ctx, P(in).presented())
	})
}

type sale struct {
	*Service
	want     x402pay.Requirements
	resource x402pay.Resource
	units    int64  // price in millionths of a USDC
	call     string // hash of the endpoint's name and the question
	answer   func(ctx context.Context) (any, error)
}

func (s *sale) serve(ctx context.Context, header string) (*paidAnswer, error) {
	if err := s.funded(ctx); err != nil {
		return nil, err
	}
	if header == "" {
		return nil, s.required(Required.Problem(
			"Pay "+s.price()+" with the header "+x402pay.SignatureHeader+": "+x402pay.RequiredHeader+" says how, in "+
				"base64. Clients of x402 do both."), x402pay.SignatureHeader+" is missing")
	}
	payload, err := x402pay.ParsePayload(header)
	if err != nil {
		return nil, httpapi.Invalid(httpapi.Fault{Name: x402pay.SignatureHeader, Detail: "cannot be read: " +
			err.Error()})
	}
	payment, err := s.Seller.Verify(payload, s.want)
	if refused := new(x402pay.Refusal); errors.As(err, &refused) {
		return nil, s.required(Refused.Problem("Nothing was taken: "+refused.Detail+"."), refused.Reason)
	}
	if err != nil {
		return nil, err
	}
	bought, err := s.build(ctx)
	if err != nil {
		return s.replayOr(ctx, payment, err)
	}
	return s.charge(ctx, payment, bought)
}

func (s *sale) build(ctx context.Context) ([]byte, error) {
	answer, err := s.answer(ctx)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("write answer: %w", err)
	}
	return pack(body)
}

func (s *sale) charge(ctx context.Context, payment x402pay.Payment, bought []byte) (*paidAnswer, error) {
	signature, wire := payment.Sign()
	height, err := s.Chain.Height(ctx)
	if err != nil {
		return nil, s.retryLater(ctx, err, "Nothing was taken, since the chain cannot be reached. Send the same "+
			"payment again.")
	}
	asked := store.Payment{
		Name: signature.String(), Call: s.call, Payer: payment.Payer, Units: payment.Units, Fee: payment.Fee,
		At: s.Now().UTC(), Until: pay.LastHeight(height),
	}
	taken, fresh, err := s.Payments.Take(ctx, asked, s.slots(ctx, payment)...)
	if full := new(store.Full); errors.As(err, &full) && s.freed(ctx, full.Old) {
		taken, fresh, err = s.Payments.Take(ctx, asked, s.slots(ctx, payment)...)
	}
	switch {
	case errors.Is(err, store.ErrOtherCall):
		return nil, s.refuseTaken(ctx, payment, "payment_already_used", "It was taken for another call. Make a new one.")
	case err != nil:
		return nil, s.notTaken(ctx, err)
	case taken.Given > 0 || taken.FailReason != "":
		return s.replay(ctx, payment, taken)
	}
	if fresh {
		if given, err := s.useCredit(ctx, taken, bought); given != nil || err != nil {
			return given, err
		}
	}
	outcome, err := s.settle(ctx, taken, wire)
	switch {
	case err == nil && outcome == pay.TookEffect:
		return s.record(ctx, payment, taken, bought)
	case err == nil:
		return nil, s.refuseFailed(ctx, payment, taken, outcome, fresh)
	case fresh && errors.Is(err, pay.ErrRefusedTransaction):
		if fault := s.Payments.FreeFees(ctx, taken, s.Now()); fault != nil {
			s.Log.ErrorContext(ctx, "the refusal of a payment by x402 could not be stored; its fee counts as used for now", "payment", taken.Name, "error", fault)
		}
		if errors.Is(err, pay.ErrInsufficientFunds) {
			return nil, s.refusal(payment, "insufficient_funds", "Its payer does not hold "+s.price()+".")
		}
		return nil, s.refusal(payment, "transaction_simulation_failed",
			"Its transaction would not take effect: it may be too old, or its payer has no account of the coin.")
	}
	return nil, s.retryLater(ctx, err, "Whether the payment took effect is not known yet. Send the same call with "+
		"the same "+x402pay.SignatureHeader+
		" again: it is answered once the payment is there, and it is not taken twice. If it is there and you make "+
		"another, that is not taken: the next call of its payer is paid already.")
}

// settle does not send a payment without slots, because that could cost another fee.
func (s *sale) settle(ctx context.Context, taken store.Payment, wire []byte) (pay.Outcome, error) {
	signature, err := pay.ParseSignature(taken.Name)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, pay.SettleTimeout)
	defer cancel()
	if len(taken.Fees) == 0 {
		return s.Chain.Outcome(ctx, signature, taken.Until)
	}
	return s.Chain.Settle(ctx, pay.Signed{Signature: signature, Wire: wire, Until: taken.Until})
}

func (s *sale) record(ctx context.Context, payment x402pay.Payment, taken store.Payment, bought []byte) (*paidAnswer,
	error) {
	err := s.Payments.Give(ctx, taken, bought, s.Now())
	if errors.Is(err, store.ErrConflict) { // a parallel call with the same payment was faster
		if taken, err = s.Payments.Get(ctx, taken.Name); err == nil {
			return s.replay(ctx, payment, taken)
		}
	}
	if err != nil {
		return nil, s.retryLater(ctx, err, "The payment was taken, and your answer is waiting: send the same call "+
			"with the same "+x402pay.SignatureHeader+" again.")
	}
	return s.deliver(taken, bought)
}

func (s *sale) replayOr(ctx context.Context, payment x402pay.Payment, err error) (*paidAnswer, error) {
	signature, _ := payment.Sign()
	taken, unknown := s.Payments.Get(ctx, signature.String())
	if unknown != nil || taken.Given == 0 || taken.Call != s.call {
		return nil, err
	}
	return s.replay(ctx, payment, taken)
}

// A caller that lost the response can get the answer again. Replays are limited, because anyone can
// copy a payment from the chain.
func (s *sale) replay(ctx context.Context, payment x402pay.Payment, taken store.Payment) (*paidAnswer, error) {
	if taken.FailReason != "" {
		return nil, s.refuseTaken(ctx, payment, "transaction_"+taken.FailReason,
			"Its transaction moved nothing. Make a new one.")
	}
	bought, err := s.Payments.Answer(ctx, taken.Name)
	if errors.Is(err, store.ErrNotFound) {
		return nil, s.refuseTaken(ctx, payment, "payment_already_used", "It has bought an answer. Make a new one.")
	}
	if err != nil {
		return nil, s.retryLater(ctx, err, "The payment was taken, and your answer is kept: send the same call with "+
			"the same "+x402pay.SignatureHeader+" again.")
	}
	shown, err := s.Limiter.Take(ctx, againLimit, httpapi.Subject(ctx)+"#"+taken.Name)
	if err != nil {
		s.Log.ErrorContext(ctx, "an answer by x402 that was shown again could not be counted; look at the store if this lasts", "error", err)
	}
	if !shown.Allowed {
		return nil, s.refuseTaken(ctx, payment, "payment_already_used",
			"It has bought an answer, which was shown to you again as often as it is in a day. Make a new one.")
	}
	return s.deliver(taken, bought)
}

func (s *sale) deliver(taken store.Payment, bought []byte) (*paidAnswer, error) {
	body, err := unpack(bought)
	if err != nil {
		return nil, err
	}
	settled := x402pay.Settlement{Success: true, Payer: taken.Payer, Transaction: cmp.Or(taken.Instead, taken.Name),
		Network: s.want.Network, Amount: s.want.Amount}
	response, err := settled.Header()
	if err != nil {
		return nil, fmt.Errorf("write settlement: %w", err)
	}
	return &paidAnswer{"application/json", response, body}, nil
}

// useCredit pays for this call with a credit: an earlier payment of the same payer that bought no
// answer.
func (s *sale) useCredit(ctx context.Context, fresh store.Payment, bought []byte) (*paidAnswer, error) {
	credits, err := s.Payments.Credits(ctx, fresh.Payer, s.Now().Add(-underWay))
	if err != nil {
		return nil, err
	}
	for _, credit := range credits {
		signature, err := pay.ParseSignature(credit.Name)
		if err != nil || credit.Given > 0 || credit.Units < fresh.Units {
			continue
		}
		outcome, err := s.Chain.Outcome(ctx, signature, credit.Until)
		switch {
		case err != nil:
		case outcome != pay.TookEffect:
			err = s.fail(ctx, credit, outcome)
		default:
			if err = s.Payments.Use(ctx, credit, fresh, bought, s.Now()); err == nil {
				fresh.Instead = credit.Name
				return s.deliver(fresh, bought)
			}
			// Unless the error is a conflict, the credit may have been used for this call, so no
			// second payment is sent.
			if !errors.Is(err, store.ErrConflict) {
				return nil, s.retryLater(ctx, err,
					"Send the same call with the same "+x402pay.SignatureHeader+" again: it is not taken twice.")
			}
		}
		if err != nil {
			s.Log.ErrorContext(ctx, "a payment by x402 that bought nothing yet could not be used for this call; the next call tries again", "payment", credit.Name, "error", err)
		}
	}
	return nil, nil
}

func (s *sale) price() string { return pay.FormatUnits(s.units) + " USDC" }

func (s *sale) required(p *httpapi.Problem, reason string) error {
	header, err := x402pay.Required{X402Version: x402pay.Version, Error: reason, Resource: s.resource,
		Accepts: []x402pay.Requirements{s.want}}.Header()
	if err != nil {
		return fmt.Errorf("write requirements: %w", err)
	}
	return p.With(x402pay.RequiredHeader, header)
}

func (s *sale) retryLater(ctx context.Context, err error, detail string) error {
	s.Log.ErrorContext(ctx, "the outcome of a payment by x402 is not known; the caller may send the same payment again, which is taken once", "error", err)
	return notNow(detail, "5")
}
