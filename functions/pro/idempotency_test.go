package pro_test

import (
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/store/storetest"
)

func TestGoodDeliveriesAreHeard(t *testing.T) {
	s := parallel(t)
	session, subscription := s.Buy("ada@example.com")
	must(t, s.Confirm(session), 200, "")
	const from = "54.187.174.169:443"
	refused := 0
	for range 3100 {
		if a := s.From(from, "POST", "/v1/pro/webhook", "{}", "Stripe-Signature", "t=1,v1=00"); a.Status == 429 {
			refused++
		}
	}
	if refused != 100 {
		t.Errorf("%d of 3,100 bad deliveries were refused", refused)
	}
	s.Payments.Stripe.Renew(subscription)
	event := s.Payments.Stripe.Events()[0].Payload
	want(t, s.From(from, "POST", "/v1/pro/webhook", string(event), "Stripe-Signature",
		playmoney.Sign(event, s.Clock.Now(), s.Payments.Stripe.Secret)), 200, "", "a good delivery")
}

func TestARefusedRotationIsLookedUpOnce(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	table := &fixture.Recorder{Table: fixture.Bolt(t, clock.Now)}
	s := fixture.OpenShop(t, table, clock)
	key := fixture.IssueKey(t, table, "ada@example.com", clock.Now(), time.Hour)
	wrong := "vd_" + strings.Repeat("A", 65)
	before := len(table.Calls())
	for range 50 {
		must(t, rotate(s, wrong), 401, "")
	}
	if got := len(table.Calls()) - before; got != 1 {
		t.Errorf("50 rotations of a wrong key made %d calls to the store", got)
	}
	first := rotate(s, key)
	if s.Works(key) {
		t.Error("the key that was rotated away works")
	}
	if second := rotate(s, key); first.Status != 200 || second.APIKey != first.APIKey {
		t.Errorf("asked again after it was refused elsewhere: %d %s", second.Status, second.Body)
	}
}
