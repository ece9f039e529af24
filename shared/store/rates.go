package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"verdetto/shared/fare"
)

// RatesSource is where the rates of the last refresh are read from; Fares provides it.
type RatesSource interface {
	Rates(ctx context.Context) (fare.Rates, error)
}

// HeldRates gives the rates of the last refresh, and reads them once an hour. One
// may be used by many goroutines.
type HeldRates struct {
	Source RatesSource
	Now    func() time.Time

	mu    sync.Mutex
	rates fare.Rates
	at    time.Time
}

// ratesFor is how long a process goes by the rates it has read.
const ratesFor = time.Hour

// Rates gives the rates of the last refresh; before the first one, only the euro.
func (h *HeldRates) Rates(ctx context.Context) (fare.Rates, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.Now()
	if age := now.Sub(h.at); h.rates.PerEuro != nil && age >= 0 && age < ratesFor {
		return h.rates, nil
	}
	rates, err := h.Source.Rates(ctx)
	if errors.Is(err, ErrNotFound) {
		return fare.Rates{Date: fare.DayOf(now)}, nil
	}
	if err != nil {
		return fare.Rates{}, err
	}
	h.rates, h.at = rates, now
	return rates, nil
}
