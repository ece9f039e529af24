package pro_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/runtime/faulttest"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

func TestProveRecoveryTellsNothing(t *testing.T) {
	clock := storetest.NewClock()
	table := fixture.Bolt(t, clock.Now)
	s := fixture.OpenShop(t, table, clock)
	const each = 200
	for n := range 3 * each {
		must(t, s.Verify(fmt.Sprintf("known%d@example.com", n), s.Send(fixture.Price, "")), 200, "")
	}
	clock.Add(time.Hour)
	fixture.TakeAlikeLong(t, []string{"unknown", "given one write more", "known"}, each, func(kind string, n int) {
		must(t, s.Recover(fmt.Sprintf("%.5s%d@example.com", kind, n)), 202, "")
		if kind == "given one write more" {
			if _, err := table.Take(t.Context(), store.Key{Partition: "MORE", Sort: fmt.Sprint(n)}, 1, 1,
				clock.Now().AddDate(1, 0, 0)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestProvePaymentsOutOfReachSoon(t *testing.T) {
	s, calls := paymentCalls(t)
	for _, how := range []string{"down", "slow"} {
		outOfReach(t, s, how, func() {
			var wg sync.WaitGroup
			for name, call := range calls {
				wg.Go(func() {
					begun := time.Now()
					a := call()
					took := time.Since(begun)
					t.Logf("%s while the other side is %s: %d after %v", name, how, a.Status, took)
					if a.Status != 503 || took > 10*time.Second {
						t.Errorf("%s while the other side is %s: %d after %v", name, how, a.Status, took)
					}
				})
			}
			wg.Wait()
		})
	}
}

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

func outOfReach(t *testing.T, s fixture.Shop, how string, do func()) {
	t.Helper()
	held := make(chan struct{})
	defer close(held)
	for _, faults := range []*faulttest.Faults{faulttest.Break(s.Payments.Stripe), faulttest.Break(s.Payments.Node)} {
		if how == "down" {
			faults.Down(true)
			defer faults.Down(false)
		} else {
			faults.Fail(slices.Repeat([]faulttest.Fault{faulttest.Slow(held)}, 20)...)
		}
	}
	do()
}
