package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verdetto/shared/pay/paytest"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

// What becomes of money when storage fails, and when many claim at once.

// everyFault runs a flow with each of its storage calls failing once, before and
// after its effect, and dying there, and says how many combinations that were.
func everyFault(t *testing.T, flow func(t *testing.T, s *shop, f *storetest.Faulty)) {
	for name, arm := range map[string]func(*storetest.Faulty, int, storetest.Side){"fails once": (*storetest.Faulty).FailOnce, "dies": (*storetest.Faulty).DieAt} {
		clocks := map[store.Table]*storetest.Clock{}
		open := func(t *testing.T) store.Table {
			clock := storetest.NewClock()
			table := bolt(t, clock.Now)
			clocks[table] = clock
			return table
		}
		n := storetest.EachFault(t, open, arm, func(t *testing.T, f *storetest.Faulty) {
			flow(t, openShop(t, f, clocks[f.Table]), f)
		})
		t.Logf("%s: %d combinations", name, n)
	}
}

// until calls again, as a caller would who is told 503, and heals the store after the first try.
func (s *shop) until(f *storetest.Faulty, call func() reply) reply {
	a := call()
	for tries := 0; a.status == 503 && tries < 3; tries++ {
		f.Heal()
		a = call()
	}
	return a
}

// holdsOneKey checks the end of a purchase: of all keys that were ever given out exactly one works.
func (s *shop) holdsOneKey(given ...string) {
	s.t.Helper()
	working, seen := 0, map[string]bool{}
	for _, key := range given {
		if key != "" && !seen[key] && s.works(key) {
			working++
		}
		seen[key] = true
	}
	if working != 1 {
		s.t.Errorf("of %d keys given out %d work", len(given), working)
	}
}

func TestPurchaseByCardUnderFaults(t *testing.T) {
	everyFault(t, func(t *testing.T, s *shop, f *storetest.Faulty) {
		if a := s.until(f, func() reply { return s.checkout("ada@example.com") }); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		session := s.desk.stripe.Sessions()[0]
		s.desk.stripe.Pay(session)
		for _, e := range s.desk.stripe.Events() {
			s.until(f, func() reply {
				return s.do("POST", "/api/v1/pro/webhook", string(e.Payload), "Stripe-Signature", paytest.Sign(e.Payload, s.clock.Now(), s.desk.stripe.Secret))
			})
		}
		a := s.until(f, func() reply { return s.confirm(session) })
		keys := []string{a.APIKey}
		if a.APIKey == "" { // the key was issued and its answer lost
			if a.Code != "chiave-gia-emessa" {
				t.Fatalf("%d %s", a.status, a.body)
			}
			s.until(f, func() reply { return s.recover("ada@example.com") })
			f.Heal()
			keys = append(keys, s.mailed("ada@example.com")...)
		}
		f.Heal()
		s.holdsOneKey(keys...)
		if end := s.customer("ada@example.com").Plan().Until; end.Sub(s.clock.Now()) > 35*24*time.Hour {
			t.Errorf("one payment was counted twice: the plan ends %v", end)
		}
	})
}

func TestPurchaseInUSDCUnderFaults(t *testing.T) {
	everyFault(t, func(t *testing.T, s *shop, f *storetest.Faulty) {
		signature := s.send(price, "")
		begun := s.clock.Now()
		a := s.until(f, func() reply { return s.verify("ada@example.com", signature) })
		keys := []string{a.APIKey}
		if a.APIKey == "" {
			if a.Code != "pagamento-gia-usato" {
				t.Fatalf("%d %s", a.status, a.body)
			}
			s.until(f, func() reply { return s.recover("ada@example.com") })
			f.Heal()
			keys = append(keys, s.mailed("ada@example.com")...)
		}
		f.Heal()
		s.holdsOneKey(keys...)
		if end := s.customer("ada@example.com").Crypto; !end.Equal(begun.AddDate(0, 0, 30)) {
			t.Errorf("the plan ends %v", end)
		}
	})
}

func TestRecoveryUnderFaults(t *testing.T) {
	everyFault(t, func(t *testing.T, s *shop, f *storetest.Faulty) {
		// The purchase itself is faultless: the fault is armed for the recovery only when it gets that far.
		signature := s.send(price, "")
		first := s.until(f, func() reply { return s.verify("ada@example.com", signature) })
		if a := s.until(f, func() reply { return s.recover("ada@example.com") }); a.status != 202 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		_, _ = s.desk.service.Work(t.Context()) // may fail
		f.Heal()
		s.clock.Add(2 * time.Minute) // its lease is over
		keys := s.mailed("ada@example.com")
		if len(keys) == 0 || s.works(first.APIKey) {
			t.Errorf("%d keys were mailed", len(keys))
		}
		s.holdsOneKey(append(keys, first.APIKey)...)
		if len(keys) > 0 && !s.works(keys[len(keys)-1]) {
			t.Error("the newest mail holds a key that does not work")
		}
	})
}

func TestManyClaimOnePayment(t *testing.T) {
	overBoth(t, func(t *testing.T, table store.Table, clock *storetest.Clock) {
		s := openShop(t, table, clock)
		signature := s.send(price, "")
		var won atomic.Int64
		var wg sync.WaitGroup
		for n := range 100 {
			wg.Go(func() {
				switch a := s.verify(fmt.Sprintf("claimer%d@example.com", n%10), signature); {
				case a.status == 200:
					won.Add(1)
				case a.status != 409 || a.Code != "pagamento-gia-usato":
					t.Errorf("%d %s", a.status, a.body)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Errorf("%d claims of one payment succeeded", won.Load())
		}

		session, _ := s.buy("ada@example.com")
		events := s.desk.stripe.Events()
		var keys sync.Map
		for n := range 100 {
			wg.Go(func() {
				if n%4 == 0 { // the webhook races with the confirmations
					s.delivery(events[n/4%len(events)], 200)
				}
				switch a := s.confirm(session); {
				case a.status == 200:
					keys.Store(a.APIKey, true)
				case a.status != 409 || a.Code != "chiave-gia-emessa":
					t.Errorf("%d %s", a.status, a.body)
				}
			})
		}
		wg.Wait()
		count := 0
		keys.Range(func(key, _ any) bool {
			count++
			if !s.works(key.(string)) {
				t.Error("the key that was shown does not work")
			}
			return true
		})
		if count != 1 {
			t.Errorf("100 confirmations showed %d keys", count)
		}
	})
}
