package pro_test

import (
	"slices"
	"sync"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/pay/paytest"
)

// paymentCalls returns the calls of the API that need Stripe or Solana. For each call a payment is
// ready.
func paymentCalls(t *testing.T) (fixture.Shop, map[string]func() fixture.Reply) {
	t.Helper()
	s := open(t)
	signature := s.Send(fixture.Price, "")
	session, _ := s.Buy("ada@example.com")
	return s, map[string]func() fixture.Reply{
		"checkout": func() fixture.Reply { return s.Checkout("bob@example.com") },
		"conferma": func() fixture.Reply { return s.Confirm(session) },
		"verifica": func() fixture.Reply { return s.Verify("carl@example.com", signature) },
		"webhook":  func() fixture.Reply { return s.Deliver(s.Payments.Stripe.Events()[0].Payload) },
	}
}

// outOfReach runs do while the imitations of Stripe and Solana do not answer or answer slowly.
func outOfReach(t *testing.T, s fixture.Shop, how string, do func()) {
	t.Helper()
	held := make(chan struct{})
	defer close(held)
	for _, faults := range []*paytest.Faults{paytest.Break(s.Payments.Stripe), paytest.Break(s.Payments.Node)} {
		if how == "down" {
			faults.Down(true)
			defer faults.Down(false)
		} else {
			faults.Fail(slices.Repeat([]paytest.Fault{paytest.Slow(held)}, 20)...)
		}
	}
	do()
}

// TestPaymentsOutOfReach: if Stripe and Solana do not answer or answer slowly, the status is 503. A
// later retry succeeds.
func TestPaymentsOutOfReach(t *testing.T) {
	t.Parallel()
	s, calls := paymentCalls(t)
	for _, how := range []string{"down", "slow"} {
		outOfReach(t, s, how, func() {
			var wg sync.WaitGroup
			for name, call := range calls {
				wg.Go(func() {
					if a := call(); a.Status != 503 || a.Header.Get("Retry-After") == "" {
						t.Errorf("%s while the other side is %s: %d %v", name, how, a.Status, a.Header)
					}
				})
			}
			wg.Wait()
		})
	}
	for name, call := range calls {
		var a fixture.Reply
		for range 30 { // uses up the remaining faults
			if a = call(); a.Status == 200 {
				break
			}
		}
		want(t, a, 200, "", name, " does not complete afterwards")
	}
}
