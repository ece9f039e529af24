package pro

import (
	"context"
	"time"

	"verdetto/shared/pay"
)

const (
	priceMemoTime = time.Hour
	priceRetry    = 30 * time.Second // interval before the price is read again after a failure
	pricePatience = 2 * time.Second  // how long a reader waits for the card processor
)

// price returns false if no recent price is known, because a wrong price would be worse than none.
func (s *Service) price(ctx context.Context) (pay.Price, bool) {
	price, err := s.priceMemo.Get(s.Now(), func() (*pay.Price, time.Duration, error) {
		// The question to the card processor goes on even if the reader disconnects.
		asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), pricePatience)
		defer cancel()
		price, err := s.Checkout.Price(asking)
		if err != nil {
			s.Log.ErrorContext(ctx, "Stripe did not name the price of the plan, so pages show none; if this lasts, look at the id of the price and at status.stripe.com", "error", err)
			return nil, priceRetry, nil
		}
		return &price, priceMemoTime, nil
	})
	if err != nil || price == nil {
		return pay.Price{}, false
	}
	return *price, true
}
