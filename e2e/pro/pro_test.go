// Package pro holds end-to-end tests of the paid plan, with both kinds of store. They check Pro
// keys with the service's own API and with functions/compat, the API for Amadeus clients.
package pro

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verdetto/e2e/fixture"
)

func TestKeyStates(t *testing.T) {
	t.Parallel()
	table, clock := fixture.OpenStore(t)
	s := fixture.OpenShop(t, table, clock)

	// The customer has no key, completes the checkout by card, and confirms. Result: an active
	// key, returned to the caller.
	a := s.Checkout("ada@example.com")
	again := s.Checkout(" Ada@Example.com ")
	if a.Status != 200 || a.URL == "" || again.Status != 200 {
		t.Fatalf("checkout %d %s, again %d %s", a.Status, a.Body, again.Status, again.Body)
	}
	session := s.Payments.Stripe.Sessions()[0]
	if a := s.Confirm(session); a.Status != 409 || a.Code != "pagamento-in-attesa" ||
		a.Header.Get("Retry-After") == "" {
		t.Errorf("before paying: %d %s", a.Status, a.Body)
	}
	s.Payments.Stripe.Pay(session)
	card := s.Confirm(session)
	if card.Status != 200 || card.Plan != "pro" || !s.Works(card.APIKey) ||
		card.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("confirmation: %d %s", card.Status, card.Body)
	}
	if d := card.ExpiresAt.Sub(clock.Now()); d < 30*24*time.Hour || d > 35*24*time.Hour {
		t.Errorf("a month's plan ends in %v", d)
	}
	if a := s.Confirm(session); a.Status != 409 || a.Code != "chiave-gia-emessa" ||
		!strings.Contains(a.Body, "recupera") {
		t.Errorf("confirmed again: %d %s", a.Status, a.Body)
	}

	// The customer has no key, and a crypto payment is verified. Result: a key that is active
	// for 30 days and is not renewed.
	signature := s.Send(fixture.Price, "")
	crypto := s.Verify("bob@example.com", signature)
	if crypto.Status != 200 || crypto.Plan != "pro" || !s.Works(crypto.APIKey) ||
		!crypto.ExpiresAt.Equal(clock.Now().AddDate(0, 0, 30)) {
		t.Fatalf("verification: %d %s", crypto.Status, crypto.Body)
	}

	// The customer with an active key calls recupera with the paying address. Result: a new key
	// by mail, and the old key revoked. The response is the same for any address.
	known, unknown := s.Recover("ada@example.com"), s.Recover("nobody@example.com")
	if known.Status != 202 || known.Body != unknown.Body || unknown.Status != 202 {
		t.Errorf("recovery: %d %s, %d %s", known.Status, known.Body, unknown.Status, unknown.Body)
	}
	fresh := s.Mailed("ada@example.com")
	if len(fresh) != 1 || !s.Works(fresh[0]) || s.Works(card.APIKey) {
		t.Fatalf("%d keys were mailed; the old one works: %v", len(fresh), s.Works(card.APIKey))
	}
	if got := s.Mailed("nobody@example.com"); got != nil {
		t.Error("a stranger was sent a key")
	}

	// A revoked or unknown key is refused with 401.
	for _, key := range []string{card.APIKey, "vd_unknown", strings.Replace(crypto.APIKey, "vd_", "vd-", 1)} {
		if s.Works(key) {
			t.Errorf("%.12s... works", key)
		}
	}

	// After 30 days, the plan paid in USDC has ended. The plan paid by card is in its grace
	// period.
	clock.Add(30 * 24 * time.Hour)
	if a := s.Do("GET", fixture.Question, "", "X-Api-Key", crypto.APIKey); a.Status != 401 ||
		a.Code != "piano-scaduto" {
		t.Errorf("after 30 days: %d %s", a.Status, a.Body)
	}
	if !s.Works(fresh[0]) {
		t.Error("the plan by card ended too early")
	}
}

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
	for n := range 50 { // a network may ask 60 times an hour
		wg.Go(func() {
			if n%4 == 0 { // the webhook races with the confirmations
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
