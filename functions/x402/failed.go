package x402

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"verdetto/shared/httpapi"
	"verdetto/shared/limit"
	"verdetto/shared/metrics"
	"verdetto/shared/pay"
	"verdetto/shared/pay/x402pay"
	"verdetto/shared/store"
)

// What comes to nothing costs a caller nothing, and us a little: it has caps of its
// own, by address, and by payer where it is certain that it is the payer who shows it,
// since what has been on the chain can be shown by anybody. What has cost us a fee is
// counted by payer and address, and for all together: that bounds what is lost in a day.
var (
	failedLimit = limit.Limit{Name: "x402-failed", Calls: 20, Window: time.Hour}
	againLimit  = limit.Limit{Name: "x402-again", Calls: 3, Window: 24 * time.Hour} // of one answer, to one address

	burntByOne   = limit.Limit{Name: "x402-burnt-by", Calls: 5, Window: 24 * time.Hour}
	burntGuarded = limit.Limit{Name: "x402-burnt-guarded", Calls: 50, Window: 24 * time.Hour}
	burntByAll   = limit.Limit{Name: "x402-burnt", Calls: 500, Window: 24 * time.Hour}
)

const all = "all"

// mayFail refuses who has shown too many payments that came to nothing, and everybody
// where they have cost us too many fees today. Payments with assertions can be made to
// fail at will, once the node has tried them: they are refused before all others are.
func (s *sale) mayFail(ctx context.Context, payment x402pay.Payment) error {
	for _, who := range []string{httpapi.Subject(ctx), payment.Payer} {
		if _, full := s.Limiter.Full(failedLimit, who); full {
			return httpapi.TooMany.Problem("Too many payments of yours came to nothing. Try again in an hour.").With("Retry-After", "3600")
		}
		if _, full := s.Limiter.Full(burntByOne, who); full {
			return httpapi.TooMany.Problem("Too many payments of yours failed on the chain, each at our cost. Try again tomorrow (UTC).").With("Retry-After", "3600")
		}
	}
	if _, full := s.Limiter.Full(burntGuarded, all); full && payment.Guarded {
		return s.required(Refused.Problem("Nothing was taken: payments with assertions of the program Lighthouse are not taken today. Send one without."), "guarded_payments_not_accepted")
	}
	if _, full := s.Limiter.Full(burntByAll, all); full {
		s.Log.ErrorContext(ctx, "too many payments failed on the chain today")
		return notNow("Payments cannot be taken just now, so nothing is sold. Try again tomorrow (UTC); the free endpoints answer as ever.", "3600")
	}
	return nil
}

// failed records that the transaction of a payment moved nothing and never will, and
// tells it. What it has cost us is counted once, however often it is shown.
func (s *sale) failed(ctx context.Context, payment x402pay.Payment, taken store.Payment, outcome pay.Outcome, fresh bool) error {
	err := s.Payments.Fail(ctx, taken, string(outcome))
	if err != nil && !errors.Is(err, store.ErrConflict) {
		s.Log.ErrorContext(ctx, "failed payment not recorded", "payment", taken.Name, "error", err)
	}
	if fresh {
		s.count(ctx, failedLimit, payment.Payer)
	}
	if outcome != pay.MovedNothing {
		return s.refused(ctx, payment, "transaction_"+string(outcome), "Its transaction came to the network too late, and moved nothing.")
	}
	if !errors.Is(err, store.ErrConflict) {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "payment failed on the chain", append([]slog.Attr{slog.String("payment", taken.Name)},
			s.Metrics.Attrs(s.Now(), metrics.Metric{Name: "FeesLost", Unit: metrics.None, Value: float64(payment.Fee)})...)...)
		s.count(ctx, burntByAll, all)
		s.count(ctx, burntByOne, payment.Payer)
		s.count(ctx, burntByOne, httpapi.Subject(ctx))
		if payment.Guarded {
			s.count(ctx, burntGuarded, all)
		}
	}
	return s.refused(ctx, payment, "transaction_"+string(outcome), "The network refused its transaction, which moved nothing.")
}

// refused tells that a payment came to nothing, and counts that of the address.
func (s *sale) refused(ctx context.Context, payment x402pay.Payment, reason, detail string) error {
	s.count(ctx, failedLimit, httpapi.Subject(ctx))
	header, err := x402pay.Settlement{ErrorReason: reason, Payer: payment.Payer, Network: s.want.Network}.Header()
	if err != nil {
		return fmt.Errorf("write settlement: %w", err)
	}
	return s.required(Refused.Problem("The payment bought nothing. "+detail).With(x402pay.ResponseHeader, header), reason)
}

func (s *sale) count(ctx context.Context, l limit.Limit, subject string) {
	if _, err := s.Limiter.Join(ctx, l, subject); err != nil {
		s.Log.ErrorContext(ctx, "failed payment not counted", "error", err)
	}
}
