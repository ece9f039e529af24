package pro

import (
	"context"
	"sync"
	"time"

	"verdetto/shared/pay"
)

const (
	priceHeld     = time.Hour
	priceRetry    = 30 * time.Second // after which a processor that did not answer is asked again
	pricePatience = 2 * time.Second  // that a reader waits for it
)

// heldPrice is the price by card as the processor last said it. A price that it
// did not say within the hour is not shown: better none than a wrong one.
type heldPrice struct {
	mu    sync.Mutex
	price pay.Price
	known bool
	until time.Time
}

// price gives what the plan costs by card; false where that is not known now.
func (s *Service) price(ctx context.Context) (pay.Price, bool) {
	h := &s.held
	h.mu.Lock()
	defer h.mu.Unlock()
	now := s.Now()
	if now.Before(h.until) {
		return h.price, h.known
	}
	// A reader who leaves must not make it look as if the processor had not answered.
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), pricePatience)
	defer cancel()
	price, err := s.Checkout.Price(asking)
	h.price, h.known, h.until = price, err == nil, now.Add(priceHeld)
	if err != nil {
		s.Log.ErrorContext(ctx, "price not known", "error", err)
		h.price, h.until = pay.Price{}, now.Add(priceRetry)
	}
	return h.price, h.known
}
