package pro_test

import (
	"sync"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/store/storetest"
)

// paymentCalls are those that ask Stripe or Solana, with what each needs paid.
func paymentCalls(t *testing.T) (fixture.Shop, map[string]func() fixture.Reply) {
	t.Helper()
	clock := storetest.NewClock()
	s := fixture.OpenShop(t, fixture.Bolt(t, clock.Now), clock)
	signature := s.Send(fixture.Price, "")
	session, _ := s.Buy("ada@example.com")
	return s, map[string]func() fixture.Reply{
		"checkout": func() fixture.Reply { return s.Checkout("bob@example.com") },
		"conferma": func() fixture.Reply { return s.Confirm(session) },
		"verifica": func() fixture.Reply { return s.Verify("carl@example.com", signature) },
		"webhook":  func() fixture.Reply { return s.Deliver(s.Payments.Stripe.Events()[0].Payload) },
	}
}

// outOfReach has Stripe and Solana down or slow while something is done.
func outOfReach(t *testing.T, s fixture.Shop, how string, do func()) {
	t.Helper()
	held := make(chan struct{})
	defer close(held)
	if how == "down" {
		s.Payments.Stripe.Down(true)
		s.Payments.Node.Down(true)
		defer s.Payments.Stripe.Down(false)
		defer s.Payments.Node.Down(false)
	} else {
		for range 20 {
			s.Payments.Stripe.Fail(playmoney.Slow(held))
			s.Payments.Node.Fail(playmoney.Slow(held))
		}
	}
	do()
}

// TestPaymentsOutOfReach: with the other side down or slow the answer is 503, and trying again completes.
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
		for range 30 { // faults that are left over are used up
			if a = call(); a.Status == 200 {
				break
			}
		}
		if a.Status != 200 {
			t.Errorf("%s does not complete afterwards: %d %s", name, a.Status, a.Body)
		}
	}
}
