package x402

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"verdetto/shared/pay"
	"verdetto/shared/pay/x402pay"
	"verdetto/shared/runtime/metrics"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

// What comes to nothing costs a caller nothing, and us a little: it is bounded by address, and by
// payer where it is certain that it is the payer who shows it, since what has been on the chain can
// be shown by anybody. What may cost us a fee is bounded by payer and address, and for all
// together: that bounds what is lost in a day. Every bound is exact, whatever is sent at once and
// to how many processes: a payment is sent only while it holds a slot of each.
const (
	day = 24 * time.Hour

	mostNothing = 20  // in an hour, of one
	mostFees    = 5   // in a day, of one
	mostGuarded = 50  // in a day, of all
	mostOfAll   = 500 // in a day, of all
)

var (
	againLimit = limit.Limit{Name: "x402-again", Calls: 3, Window: day} // of one answer, to one address

	slotsGuarded = store.Slots{Of: "all", Name: "GUARDED", Most: mostGuarded, Per: day, Fees: true}
	slotsOfAll   = store.Slots{Of: "all", Name: "DAY", Most: mostOfAll, Per: day, Fees: true}
)

// nothingOf are the slots for what comes to nothing of a payer or an address.
func nothingOf(who string) store.Slots {
	return store.Slots{Of: who, Name: "HOUR", Most: mostNothing, Per: time.Hour}
}

func addressOf(ctx context.Context) string { return "address-" + httpapi.Subject(ctx) }

// slots are those that a payment holds while it may be sent. Payments with assertions
// can be made to fail at will, once the node has tried them: they end before all others do.
func slots(ctx context.Context, payment x402pay.Payment) []store.Slots {
	var all []store.Slots
	for _, who := range []string{"payer-" + payment.Payer, addressOf(ctx)} {
		all = append(all, nothingOf(who), store.Slots{Of: who, Name: "DAY", Most: mostFees, Per: day, Fees: true})
	}
	if payment.Guarded {
		all = append(all, slotsGuarded)
	}
	return append(all, slotsOfAll)
}

// notTaken is the answer to a payment that was not taken, so that nothing was sent.
func (s *sale) notTaken(ctx context.Context, err error) error {
	full := new(store.Full)
	switch {
	case errors.Is(err, store.ErrOpen):
		return httpapi.TooMany.Problem("Nothing was taken: another payment of this payer is open. Send this one "+
			"again once that one is answered.").With("Retry-After", "5")
	case !errors.As(err, &full):
		return s.retryLater(ctx, err, "Nothing was taken, since payments cannot be recorded just now. Send the same "+
			"payment again.")
	case full.Slots == slotsGuarded:
		return s.required(Refused.Problem("Nothing was taken: payments with assertions of the program Lighthouse "+
			"are not taken today. Send one without."), "guarded_payments_not_accepted")
	case full.Slots == slotsOfAll:
		s.Log.ErrorContext(ctx, "too many payments failed on the chain today")
		return notNow("Payments cannot be taken just now, so nothing is sold. Try again tomorrow (UTC); the free "+
			"endpoints answer as ever.", "3600")
	case !full.Fees:
		return httpapi.TooMany.Problem("Too many payments of yours came to nothing. Try again in an hour.").With(
			"Retry-After", "3600")
	case full.IsOpen:
		return httpapi.TooMany.Problem(fmt.Sprintf(
			"Nothing was taken: %d payments of yours are open, or failed on the chain today. Send this one "+
				"again once one is answered.", mostFees)).With("Retry-After", "5")
	}
	return httpapi.TooMany.Problem("Too many payments of yours failed on the chain, each at our cost. Try again "+
		"tomorrow (UTC).").With("Retry-After", "3600")
}

// freed looks at what became of payments that were left open, and reports whether one of them freed its slots.
func (s *sale) freed(ctx context.Context, names []string) (freed bool) {
	for _, name := range names {
		signature, err := pay.ParseSignature(name)
		if err != nil {
			continue
		}
		p, err := s.Payments.Get(ctx, name)
		if err != nil || len(p.Fees) == 0 {
			continue
		}
		outcome, err := s.Chain.Outcome(ctx, signature, p.Until)
		switch {
		case err != nil: // it may still take effect, or nobody knows
			continue
		case outcome == pay.TookEffect:
			err = s.Payments.Free(ctx, p, s.Now())
		default:
			err = s.fail(ctx, p, outcome)
		}
		if err != nil {
			s.Log.ErrorContext(ctx, "payment that was left open was passed over", "payment", name, "error", err)
		}
		freed = freed || err == nil && outcome != pay.MovedNothing
	}
	return freed
}

// fail records that the transaction of a payment moved nothing and never will. What it
// has cost us is logged once, however often it is shown.
func (s *sale) fail(ctx context.Context, p store.Payment, outcome pay.Outcome) error {
	cost := outcome == pay.MovedNothing
	err := s.Payments.Fail(ctx, p, string(outcome), cost, s.Now())
	if cost && !errors.Is(err, store.ErrConflict) {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "payment failed on the chain",
			append([]slog.Attr{slog.String("payment", p.Name)},
				s.Metrics.Attrs(s.Now(), metrics.Metric{Name: "FeesLost", Unit: metrics.None,
					Value: float64(p.Fee)})...)...)
	}
	return err
}

// failed records that a payment failed, and tells it.
func (s *sale) failed(ctx context.Context, payment x402pay.Payment, taken store.Payment, outcome pay.Outcome,
	fresh bool) error {
	if err := s.fail(ctx, taken, outcome); err != nil && !errors.Is(err, store.ErrConflict) {
		s.Log.ErrorContext(ctx, "failed payment not recorded", "payment", taken.Name, "error", err)
	}
	detail := "The network refused its transaction, which moved nothing."
	if outcome == pay.TooLate {
		detail = "Its transaction came to the network too late, and moved nothing."
	}
	if fresh { // its own slots count it
		return s.refused(payment, "transaction_"+string(outcome), detail)
	}
	return s.shown(ctx, payment, "transaction_"+string(outcome), detail)
}

// shown refuses a payment that was taken before, and counts that of the address.
func (s *sale) shown(ctx context.Context, payment x402pay.Payment, reason, detail string) error {
	err := s.Payments.Count(ctx, nothingOf(addressOf(ctx)), s.Now())
	if errors.As(err, new(*store.Full)) {
		return s.notTaken(ctx, err)
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "refused payment not counted", "error", err)
	}
	return s.refused(payment, reason, detail)
}

// refused is the answer to a payment that came to nothing.
func (s *sale) refused(payment x402pay.Payment, reason, detail string) error {
	header, err := x402pay.Settlement{ErrorReason: reason, Payer: payment.Payer, Network: s.want.Network}.Header()
	if err != nil {
		return fmt.Errorf("write settlement: %w", err)
	}
	return s.required(Refused.Problem("The payment bought nothing. "+detail).With(x402pay.ResponseHeader, header),
		reason)
}
