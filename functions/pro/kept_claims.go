package pro

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/pay"
	"verdetto/shared/runtime/metrics"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
)

// A transaction that cannot be judged may still be a payment, for example in a newer format. So the
// claim is stored and judged again later.

const (
	keptKind   = "judge payment"
	keptDays   = 2 * claimDays // days within which the operator can update the program
	keptAtOnce = 25
	keptEvery  = time.Hour
)

type keptClaim struct {
	Signature string `json:"signature"`
	Firma     string `json:"firma,omitempty"`
}

func (s *Service) claims() store.Outbox { return s.outboxNamed("-claims") }

func (s *Service) keepClaim(ctx context.Context, r redemption, err error) error {
	data, fault := json.Marshal(keptClaim{r.signature.String(), r.firma})
	if fault != nil {
		return fault
	}
	now := s.Now()
	name := r.signature.String() + "-" + string(s.customer(r.email))
	fresh, fault := s.claims().Keep(ctx, store.Job{Kind: keptKind, Email: apikey.Normalize(r.email), Lang: r.lang, At: now,
		Data: data}, name, now.AddDate(0, 0, keptDays))
	if fault != nil {
		return fault
	}
	if fresh {
		s.reportUnjudged(ctx, 1, err)
	}
	why := "The nodes' answer about it is incomplete."
	if errors.Is(err, pay.ErrUnknownVersion) {
		why = "Its version is newer than this service."
	}
	return Unjudged.Problem("The transaction is on the chain but cannot be read here yet. " + why + " Your claim is " +
		"kept: the key is mailed to you once the payment can be read. Do not pay again.")
}

func (s *Service) reportUnjudged(ctx context.Context, claims int, err error) {
	s.Log.LogAttrs(ctx, slog.LevelError, "payments cannot be judged; their claims are kept. Update this program",
		append([]slog.Attr{slog.Int("claims", claims), slog.Any("error", err)},
			s.Metrics.Attrs(s.Now(), metrics.Metric{Name: "PaymentsUnjudged", Unit: metrics.Count,
				Value: float64(claims)})...)...)
}

func (s *Service) judgeClaims(ctx context.Context) error {
	if s.Chain == nil || !s.kept.TryLock() {
		return nil
	}
	defer s.kept.Unlock()
	if s.Now().Before(s.kept.next) {
		return nil
	}
	claims, err := s.claims().Kept(ctx, s.kept.after, keptAtOnce)
	if err != nil {
		return err
	}
	s.kept.after = ""
	if len(claims) == keptAtOnce {
		s.kept.after = claims[len(claims)-1].Name()
	} else {
		s.kept.next = s.Now().Add(keptEvery)
	}
	// Without a memo or a proof, a payment belongs to the first claim.
	slices.SortStableFunc(claims, func(a, b store.Job) int { return a.At.Compare(b.At) })
	left, why := 0, error(nil)
	for _, claim := range claims {
		switch err := s.judgeClaim(ctx, claim); {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			left, why = left+1, err
		}
	}
	if left > 0 {
		s.reportUnjudged(ctx, left, why)
	}
	return nil
}

func (s *Service) judgeClaim(ctx context.Context, j store.Job) error {
	var claim keptClaim
	signature, err := pay.Signature{}, json.Unmarshal(j.Data, &claim)
	if err == nil {
		signature, err = pay.ParseSignature(claim.Signature)
	}
	if err == nil {
		_, err = s.redeem(ctx, redemption{email: j.Email, signature: signature, firma: claim.Firma, lang: j.Lang,
			claimedAt: j.At})
	}
	var refusal *httpapi.Problem
	if refused := errors.As(err, &refusal); err != nil && (!refused || refusal.Status >= 500 || later[refusal.Code]) {
		return err
	}
	s.Log.InfoContext(ctx, "a kept claim of a payment was judged; without an error its key was mailed", "error", err)
	s.signal()
	return s.claims().Delete(ctx, j)
}

var later = map[string]bool{NoPayment.Code: true, NotFinal.Code: true, Unjudged.Code: true}
