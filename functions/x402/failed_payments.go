package x402

import (
	"context"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/pay"
	"verdetto/shared/pay/x402pay"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

// A failed payment may cost the service a network fee. So slots are reserved before a payment is sent,
// which makes the limits hold across processes.
const (
	day = 24 * time.Hour

	allPayers    = "all"
	slotsGuarded = "GUARDED"
)

var (
	againLimit = limit.Limit{Name: "x402-again", Calls: 3, Window: day} // counted per payment and caller

	// failedHour and failedDay are counted per payer and per address.
	failedHour = limit.Limit{Name: "x402-failed-hour", Calls: 20, Window: time.Hour}
	failedDay  = limit.Limit{Name: "x402-failed-day", Calls: 5, Window: day}
	// guardedDay and feesDay are counted for all payers together.
	guardedDay = limit.Limit{Name: "x402-guarded-day", Calls: 50, Window: day}
	feesDay    = limit.Limit{Name: "x402-fees-day", Calls: 500, Window: day}
)

func (s *Service) slotsOf(l limit.Limit, who, name string) store.Slots {
	return store.Slots{Subject: who, Name: name, Most: int(s.Limiter.Set(l).Calls), Per: l.Window,
		Fees: l.Window == day}
}

func (s *Service) failureSlots(who string) store.Slots { return s.slotsOf(failedHour, who, "HOUR") }

func addressOf(ctx context.Context) string { return "address-" + httpapi.Subject(ctx) }

// Guarded payments have a daily limit of their own, because the payer can make the assertions fail
// after the simulation.
func (s *Service) slots(ctx context.Context, payment x402pay.Payment) []store.Slots {
	var all []store.Slots
	for _, who := range []string{"payer-" + payment.Payer, addressOf(ctx)} {
		all = append(all, s.failureSlots(who), s.slotsOf(failedDay, who, "DAY"))
	}
	if payment.Guarded {
		all = append(all, s.slotsOf(guardedDay, allPayers, slotsGuarded))
	}
	return append(all, s.slotsOf(feesDay, allPayers, "DAY"))
}

func (s *sale) notTaken(ctx context.Context, err error) error {
	full := new(store.Full)
	switch {
	case errors.Is(err, store.ErrOpen):
		return httpapi.TooMany.Problem("Nothing was taken: another payment of this payer is open. Send this one "+
			"again once that one is answered.").With("Retry-After", "5")
	case !errors.As(err, &full):
		return s.retryLater(ctx, err, "Nothing was taken, since payments cannot be recorded just now. Send the same "+
			"payment again.")
	case full.Name == slotsGuarded:
		return s.required(Refused.Problem("Nothing was taken: payments with assertions of the program Lighthouse "+
			"are not taken today. Send one without."), "guarded_payments_not_accepted")
	case full.Subject == allPayers:
		s.Log.ErrorContext(ctx, "too many payments by x402 failed on the chain today, so none is taken until midnight UTC; nothing has to be done")
		return notNow("Payments cannot be taken just now, so nothing is sold. Try again tomorrow (UTC); the free "+
			"endpoints answer as ever.", "3600")
	case !full.Fees:
		return httpapi.TooMany.Problem("Too many payments of yours came to nothing. Try again in an hour.").With(
			"Retry-After", "3600")
	case full.IsOpen:
		return httpapi.TooMany.Problem(fmt.Sprintf(
			"Nothing was taken: %d payments of yours are open, or failed on the chain today. Send this one "+
				"again once one is answered.", full.Most)).With("Retry-After", "5")
	}
	return httpapi.TooMany.Problem("Too many payments of yours failed on the chain, each at our cost. Try again "+
		"tomorrow (UTC).").With("Retry-After", "3600")
}

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
		case err != nil: // the payment is still open, or no node answered
			continue
		case outcome == pay.TookEffect:
			err = s.Payments.FreeFees(ctx, p, s.Now())
		default:
			err = s.fail(ctx, p, outcome)
		}
		if err != nil {
			s.Log.ErrorContext(ctx, "the outcome of an open payment by x402 could not be stored; the next sale looks again", "payment", name, "error", err)
		}
		freed = freed || err == nil && outcome != pay.MovedNothing
	}
	return freed
}

func (s *sale) fail(ctx context.Context, p store.Payment, outcome pay.Outcome) error {
	cost := outcome == pay.MovedNothing
	err := s.Payments.Fail(ctx, p, string(outcome), cost, s.Now())
	if cost && !errors.Is(err, store.ErrConflict) {
		s.Log.WarnContext(ctx, "payment failed on the chain, and its fee is lost", "payment", p.Name, "feeLost", p.Fee)
	}
	return err
}

func (s *sale) refuseFailed(ctx context.Context, payment x402pay.Payment, taken store.Payment, outcome pay.Outcome,
	fresh bool) error {
	if err := s.fail(ctx, taken, outcome); err != nil && !errors.Is(err, store.ErrConflict) {
		s.Log.ErrorContext(ctx, "the failure of a payment by x402 could not be stored; it is asked for again when the payment is shown again", "payment", taken.Name, "error", err)
	}
	detail := "The network refused its transaction, which moved nothing."
	if outcome == pay.TooLate {
		detail = "Its transaction came to the network too late, and moved nothing."
	}
	if fresh { // the slots of the payment itself count the failure
		return s.refusal(payment, "transaction_"+string(outcome), detail)
	}
	return s.refuseTaken(ctx, payment, "transaction_"+string(outcome), detail)
}

func (s *sale) refuseTaken(ctx context.Context, payment x402pay.Payment, reason, detail string) error {
	err := s.Payments.Count(ctx, s.failureSlots(addressOf(ctx)), s.Now())
	if errors.As(err, new(*store.Full)) {
		return s.notTaken(ctx, err)
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "a refused payment by x402 could not be counted, so its caller may try once more; look at the store if this lasts", "error", err)
	}
	return s.refusal(payment, reason, detail)
}

func (s *sale) refusal(payment x402pay.Payment, reason, detail string) error {
	header, err := x402pay.Settlement{ErrorReason: reason, Payer: payment.Payer, Network: s.want.Network}.Header()
	if err != nil {
		return fmt.Errorf("write settlement: %w", err)
	}
	return s.required(Refused.Problem("The payment bought nothing. "+detail).With(x402pay.ResponseHeader, header),
		reason)
}
