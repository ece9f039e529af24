package store

import (
	"context"
	"errors"
	"time"

	"verdetto/shared/fare"
)

// RatesSource is where the rates of the last refresh are read from; Fares provides it.
type RatesSource interface {
	Rates(ctx context.Context) (fare.Rates, error)
}

// HeldRates returns the rates of the last refresh, and reads them once an hour. It
// is safe for concurrent use.
type HeldRates struct {
	Source RatesSource
	Now    func() time.Time

	memo Memo[fare.Rates]
}

// Rates returns the rates of the last refresh; before the first one, only the euro.
func (h *HeldRates) Rates(ctx context.Context) (fare.Rates, error) {
	now := h.Now()
	return h.memo.Get(now, func() (fare.Rates, time.Duration, error) {
		rates, err := h.Source.Rates(ctx)
		if errors.Is(err, ErrNotFound) {
			return fare.Rates{Date: fare.DayOf(now)}, 0, nil
		}
		return rates, MemoTime, err
	})
}
