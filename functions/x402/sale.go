package x402

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/httpapi"
	"verdetto/shared/limit"
	"verdetto/shared/pay"
	"verdetto/shared/pay/x402pay"
	"verdetto/shared/routes"
	"verdetto/shared/store"
)

const (
	// answerWindow is how long after a payment its answer is given again to who has lost it, store.Answered times in all.
	answerWindow = 10 * time.Minute
	// underWay is how long a call may take: payments that were taken longer ago and not answered are credits.
	underWay = 2 * time.Minute
)

// What comes to nothing costs a caller nothing, and us a little: it has caps of its
// own, by address and by payer; what has cost us a fee has one for all together.
var (
	failedLimit = limit.Limit{Name: "x402-failed", Calls: 20, Window: time.Hour}
	burntLimit  = limit.Limit{Name: "x402-burnt", Calls: 500, Window: 24 * time.Hour}
)

// sold is an answer that was paid for.
type sold struct {
	ContentType string `header:"Content-Type"`
	Response    string `header:"PAYMENT-RESPONSE"`
	Body        []byte
}

// sell registers an endpoint that answers for a payment.
func sell[I any, P interface {
	*I
	presented() string
}](s *Service, api *httpapi.API, name, summary string, check func(context.Context, *I) error, answer func(context.Context, *I) (any, error)) {
	route := routes.Named(name)
	httpapi.JSON(api, name, httpapi.JSONDoc{Summary: summary, Problems: []httpapi.ProblemType{NotSold, Required, Refused}},
		func(ctx context.Context, in *I) error {
			if s.Seller == nil {
				return NotSold.Problem("This service does not sell answers one by one. GET " + route.Path[len("/x402"):] + " gives the same, up to a daily cap or with a Pro key.")
			}
			return check(ctx, in)
		}, func(ctx context.Context, in *I) (*sold, error) {
			asked, err := json.Marshal(in)
			if err != nil {
				return nil, fmt.Errorf("write question: %w", err)
			}
			call := sha256.Sum256(append([]byte(name+"\x00"), asked...))
			return (&sale{
				Service: s, units: route.Price, want: s.Seller.Requirements(route.Price),
				resource: x402pay.Resource{URL: s.BaseURL + route.Path, Description: summary, MimeType: "application/json"},
				call:     base64.RawURLEncoding.EncodeToString(call[:]),
				answer:   func(ctx context.Context) (any, error) { return answer(ctx, in) },
			}).serve(ctx, P(in).presented())
		})
}

// sale is a call that is to be paid.
type sale struct {
	*Service
	want     x402pay.Requirements
	resource x402pay.Resource
	units    int64  // what it costs
	call     string // what was asked
	answer   func(ctx context.Context) (any, error)
}

// serve is the way of a call, see the package comment.
func (s *sale) serve(ctx context.Context, header string) (*sold, error) {
	if err := s.funded(ctx); err != nil {
		return nil, err
	}
	if header == "" {
		return nil, s.required(Required.Problem("Pay "+s.price()+" with the header "+x402pay.SignatureHeader+": "+x402pay.RequiredHeader+" says how, in base64. Clients of x402 do both."), x402pay.SignatureHeader+" is missing")
	}
	payload, err := x402pay.ParsePayload(header)
	if err != nil {
		return nil, httpapi.BadRequest.Problem("The header " + x402pay.SignatureHeader + " cannot be read: " + err.Error() + ".")
	}
	payment, err := s.Seller.Verify(payload, s.want)
	if refused := new(x402pay.Refusal); errors.As(err, &refused) {
		return nil, s.required(Refused.Problem("Nothing was taken: "+refused.Detail+"."), refused.Reason)
	}
	if err != nil {
		return nil, err
	}
	if err := s.mayFail(ctx, payment.Payer); err != nil {
		return nil, err
	}
	answer, err := s.answer(ctx)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("write answer: %w", err)
	}
	given, err := s.take(ctx, payment)
	if err != nil {
		return nil, err
	}
	settled := x402pay.Settlement{Success: true, Payer: payment.Payer, Transaction: given, Network: s.want.Network, Amount: s.want.Amount}
	response, err := settled.Header()
	if err != nil {
		return nil, fmt.Errorf("write settlement: %w", err)
	}
	return &sold{"application/json", response, body}, nil
}

// take has the call be paid, and gives the transaction that paid it.
func (s *sale) take(ctx context.Context, payment x402pay.Payment) (string, error) {
	signature, wire := payment.Sign()
	height, err := s.Chain.Height(ctx)
	if err != nil {
		return "", s.later(ctx, err, "Nothing was taken, since the chain cannot be reached. Send the same payment again.")
	}
	taken, fresh, err := s.Payments.Take(ctx, store.Payment{
		Name: signature.String(), Call: s.call, Payer: payment.Payer, Units: payment.Units, At: s.Now().UTC(), Until: pay.LastHeight(height),
	})
	switch {
	case errors.Is(err, store.ErrOtherCall):
		return "", s.refused(ctx, payment, "payment_already_used", "It was taken for another call. Make a new one.")
	case err != nil:
		return "", err
	case taken.Given > 0:
		return s.again(ctx, payment, taken)
	}
	if fresh {
		if name, err := s.credited(ctx, taken); name != "" || err != nil {
			return name, err
		}
	}
	waiting, cancel := context.WithTimeout(ctx, pay.SettleTimeout)
	defer cancel()
	outcome, err := s.Chain.Settle(waiting, pay.Signed{Signature: signature, Wire: wire, Until: taken.Until})
	switch {
	case err == nil && outcome == pay.TookEffect:
		return s.give(ctx, payment, taken)
	case err == nil && outcome == pay.MovedNothing:
		s.count(ctx, burntLimit, "all")
		return "", s.refused(ctx, payment, "transaction_failed", "The network refused its transaction, which moved nothing.")
	case err == nil:
		return "", s.refused(ctx, payment, "transaction_expired", "Its transaction came to the network too late, and moved nothing.")
	case fresh && errors.Is(err, pay.ErrInsufficientFunds):
		return "", s.refused(ctx, payment, "insufficient_funds", "Its payer does not hold "+s.price()+".")
	case fresh && errors.Is(err, pay.ErrRefusedTransaction):
		return "", s.refused(ctx, payment, "transaction_simulation_failed", "Its transaction would not take effect: it may be too old, or its payer has no account of the coin.")
	}
	return "", s.later(ctx, err, "Whether the payment took effect is not known yet. Send the same call with the same "+x402pay.SignatureHeader+
		" again: it is answered once the payment is there, and it is not taken twice. If it is there and you make another, that is not taken: the next call of its payer is paid already.")
}

// give records that the answer is given.
func (s *sale) give(ctx context.Context, payment x402pay.Payment, taken store.Payment) (string, error) {
	err := s.Payments.Give(ctx, taken)
	for range store.Answered { // somebody shows the same payment at the same time
		if !errors.Is(err, store.ErrConflict) {
			break
		}
		if taken, err = s.Payments.Get(ctx, taken.Name); err != nil {
			break
		}
		if taken.Given > 0 {
			return s.again(ctx, payment, taken)
		}
		err = s.Payments.Give(ctx, taken)
	}
	if err != nil {
		return "", s.later(ctx, err, "The payment was taken, and your answer is waiting: send the same call with the same "+x402pay.SignatureHeader+" again.")
	}
	return paidBy(taken), nil
}

// again gives an answer that was given before, to who may have lost it.
func (s *sale) again(ctx context.Context, payment x402pay.Payment, taken store.Payment) (string, error) {
	if taken.Given >= store.Answered || s.Now().Sub(taken.At) > answerWindow {
		return "", s.refused(ctx, payment, "payment_already_used", "It has bought an answer. Make a new one.")
	}
	if err := s.Payments.Give(ctx, taken); err != nil && !errors.Is(err, store.ErrConflict) {
		return "", s.later(ctx, err, "The payment was taken, and your answer is waiting: send the same call with the same "+x402pay.SignatureHeader+" again.")
	} else if err != nil {
		return "", s.refused(ctx, payment, "payment_already_used", "The same payment is being answered at this moment. Look at that answer, or ask again.")
	}
	return paidBy(taken), nil
}

// paidBy names the transaction that a payment was settled by.
func paidBy(p store.Payment) string {
	if p.Instead != "" {
		return p.Instead
	}
	return p.Name
}

// credited answers a fresh payment with one of the same payer that was settled and
// not answered; "" where there is none. What came to nothing is no credit any more.
func (s *sale) credited(ctx context.Context, fresh store.Payment) (string, error) {
	credits, err := s.Payments.Credits(ctx, fresh.Payer, s.Now().Add(-underWay))
	if err != nil {
		return "", err
	}
	for _, credit := range credits {
		signature, err := pay.ParseSignature(credit.Name)
		if err != nil || credit.Given > 0 || credit.Units < fresh.Units {
			continue
		}
		outcome, err := s.Chain.Outcome(ctx, signature, credit.Until)
		switch {
		case err != nil: // it is not known, or is under way: this call is paid by its own
		case outcome != pay.TookEffect:
			err = s.Payments.Void(ctx, credit)
		default:
			if err = s.Payments.Use(ctx, credit, fresh); err == nil {
				return credit.Name, nil
			}
			if !errors.Is(err, store.ErrConflict) { // it may have been used: nothing is sent beside it
				return "", s.later(ctx, err, "Send the same call with the same "+x402pay.SignatureHeader+" again: it is not taken twice.")
			}
		}
		if err != nil {
			s.Log.ErrorContext(ctx, "payment that is owed for was passed over", "payment", credit.Name, "error", err)
		}
	}
	return "", nil
}

// price is what the call costs, in words.
func (s *sale) price() string { return pay.FormatUnits(s.units) + " USDC" }

// required puts what has to be paid beside a problem.
func (s *sale) required(p *httpapi.Problem, reason string) error {
	header, err := x402pay.Required{X402Version: x402pay.Version, Error: reason, Resource: s.resource, Accepts: []x402pay.Requirements{s.want}}.Header()
	if err != nil {
		return fmt.Errorf("write requirements: %w", err)
	}
	return p.With(x402pay.RequiredHeader, header)
}

// refused tells that a payment came to nothing, and counts that.
func (s *sale) refused(ctx context.Context, payment x402pay.Payment, reason, detail string) error {
	s.count(ctx, failedLimit, httpapi.Subject(ctx))
	s.count(ctx, failedLimit, payment.Payer)
	header, err := x402pay.Settlement{ErrorReason: reason, Payer: payment.Payer, Network: s.want.Network}.Header()
	if err != nil {
		return fmt.Errorf("write settlement: %w", err)
	}
	return s.required(Refused.Problem("The payment bought nothing. "+detail).With(x402pay.ResponseHeader, header), reason)
}

// later tells that nobody knows yet, and how to go on.
func (s *sale) later(ctx context.Context, err error, detail string) error {
	s.Log.ErrorContext(ctx, "payment not settled", "error", err)
	return notNow(detail, "5")
}

// mayFail refuses who has shown too many payments that came to nothing, and everybody
// where they have cost us too many fees today.
func (s *sale) mayFail(ctx context.Context, payer string) error {
	for _, who := range []string{httpapi.Subject(ctx), payer} {
		if _, full := s.Limiter.Full(failedLimit, who); full {
			return httpapi.TooMany.Problem("Too many payments of yours came to nothing. Try again in an hour.").With("Retry-After", "3600")
		}
	}
	if _, full := s.Limiter.Full(burntLimit, "all"); full {
		s.Log.ErrorContext(ctx, "too many payments failed on the chain today")
		return notNow("Payments cannot be taken just now, so nothing is sold. Try again tomorrow (UTC); the free endpoints answer as ever.", "3600")
	}
	return nil
}

func (s *sale) count(ctx context.Context, l limit.Limit, subject string) {
	if _, err := s.Limiter.Join(ctx, l, subject); err != nil {
		s.Log.ErrorContext(ctx, "failed payment not counted", "error", err)
	}
}
