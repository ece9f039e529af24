// Package pro holds end-to-end tests of the paid plan.
package pro

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"verdetto/e2e/fixture"
)

func TestManyClaimOnePayment(t *testing.T) {
	t.Parallel()
	table, clock := fixture.OpenStore(t)
	s := fixture.OpenShop(t, table, clock)
	signature := s.Send(fixture.Price, "")
	var won atomic.Int64
	var wg sync.WaitGroup
	for n := range 100 {
		wg.Go(func() {
			switch a := s.Verify(fmt.Sprintf("claimer%d@example.com", n%10), signature); {
			case a.Status == 200:
				won.Add(1)
			case a.Status != 409 || a.Code != "pagamento-gia-usato":
				t.Errorf("%d %s", a.Status, a.Body)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d claims of one payment succeeded", won.Load())
	}

	session, _ := s.Buy("ada@example.com")
	events := s.Payments.Stripe.Events()
	var keys sync.Map
	for n := range 50 {
		wg.Go(func() {
			if n%4 == 0 {
				if a := s.Deliver(events[n/4%len(events)].Payload); a.Status != 200 {
					t.Errorf("webhook: %d %s", a.Status, a.Body)
				}
			}
			switch a := s.Confirm(session); {
			case a.Status == 200:
				keys.Store(a.APIKey, true)
			case a.Status != 409 || a.Code != "chiave-gia-emessa":
				t.Errorf("%d %s", a.Status, a.Body)
			}
		})
	}
	wg.Wait()
	count := 0
	keys.Range(func(key, _ any) bool {
		count++
		if !s.Works(key.(string)) {
			t.Error("the key that was shown does not work")
		}
		return true
	})
	if count != 1 {
		t.Errorf("100 confirmations showed %d keys", count)
	}
}
