package pro_test

import (
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/store/storetest"
)

// Tests of payments while calls to the store fail, and of claims at the same time.

// underFaults runs a flow once per call to the store. In each run another call fails.
func underFaults(t *testing.T, flow func(t *testing.T, s fixture.Shop, f *storetest.Faulty)) {
	fixture.EachFault(t, func(t *testing.T, f *storetest.Faulty, clock *storetest.Clock) {
		flow(t, fixture.OpenShop(t, f, clock), f)
	})
}

// holdsOneKey checks after a purchase that exactly one of all issued keys works.
func holdsOneKey(s fixture.Shop, given ...string) {
	s.T.Helper()
	working, seen := 0, map[string]bool{}
	for _, key := range given {
		if key != "" && !seen[key] && s.Works(key) {
			working++
		}
		seen[key] = true
	}
	if working != 1 {
		s.T.Errorf("of %d keys given out %d work", len(given), working)
	}
}

// paid pays for ada's plan in USDC, retries after faults, and returns the last answer.
func paid(s fixture.Shop, f *storetest.Faulty) fixture.Reply {
	signature := s.Send(fixture.Price, "")
	return s.Retry(f, func() fixture.Reply { return s.Verify("ada@example.com", signature) })
}

// endsWithOneKey checks that a purchase returned a key. If the answer with the key was lost, it
// gets the key by a recovery.
func endsWithOneKey(t *testing.T, s fixture.Shop, f *storetest.Faulty, a fixture.Reply, lost string) {
	t.Helper()
	keys := []string{a.APIKey}
	if a.APIKey == "" {
		if a.Code != lost {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		s.Retry(f, func() fixture.Reply { return s.Recover("ada@example.com") })
		f.Heal()
		keys = append(keys, s.Mailed("ada@example.com")...)
	}
	f.Heal()
	holdsOneKey(s, keys...)
}

func TestPurchaseByCardUnderFaults(t *testing.T) {
	t.Parallel()
	underFaults(t, func(t *testing.T, s fixture.Shop, f *storetest.Faulty) {
		if a := s.Retry(f, func() fixture.Reply { return s.Checkout("ada@example.com") }); a.Status != 200 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		session := s.Payments.Stripe.Sessions()[0]
		s.Payments.Stripe.Pay(session)
		for _, e := range s.Payments.Stripe.Events() {
			s.Retry(f, func() fixture.Reply {
				return s.Deliver(e.Payload)
			})
		}
		a := s.Retry(f, func() fixture.Reply { return s.Confirm(session) })
		endsWithOneKey(t, s, f, a, "chiave-gia-emessa")
		if end := s.Customer("ada@example.com").Plan().Until; end.Sub(s.Clock.Now()) > 35*24*time.Hour {
			t.Errorf("one payment was counted twice: the plan ends %v", end)
		}
	})
}

func TestPurchaseInUSDCUnderFaults(t *testing.T) {
	t.Parallel()
	underFaults(t, func(t *testing.T, s fixture.Shop, f *storetest.Faulty) {
		begun := s.Clock.Now()
		a := paid(s, f)
		endsWithOneKey(t, s, f, a, "pagamento-gia-usato")
		if end := s.Customer("ada@example.com").Crypto; !end.Equal(begun.AddDate(0, 0, 30)) {
			t.Errorf("the plan ends %v", end)
		}
	})
}

func TestRecoveryUnderFaults(t *testing.T) {
	t.Parallel()
	underFaults(t, func(t *testing.T, s fixture.Shop, f *storetest.Faulty) {
		// The fault is set before the purchase. It hits the recovery only if the purchase needs
		// fewer calls to the store.
		first := paid(s, f)
		if a := s.Retry(f, func() fixture.Reply { return s.Recover("ada@example.com") }); a.Status != 202 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		_, _ = s.Pro.Work(t.Context()) // may fail
		f.Heal()
		s.Clock.Add(2 * time.Minute) // ends the lease
		keys := s.Mailed("ada@example.com")
		if len(keys) == 0 || s.Works(first.APIKey) {
			t.Errorf("%d keys were mailed", len(keys))
		}
		holdsOneKey(s, append(keys, first.APIKey)...)
		if len(keys) > 0 && !s.Works(keys[len(keys)-1]) {
			t.Error("the newest mail holds a key that does not work")
		}
	})
}
