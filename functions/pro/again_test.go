package pro_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/store/storetest"
)

// TestACheckoutAskedForAgain: a repeated call with the same Idempotency-Key returns the same
// checkout, even after 10 minutes. A call that differs in any way returns another checkout.
func TestACheckoutAskedForAgain(t *testing.T) {
	s := parallel(t)
	ask := func(from, email string, header ...string) string {
		t.Helper()
		a := s.From(from+":1", "POST", "/api/v1/pro/checkout", fixture.Object("email", email), header...)
		if a.Status != 200 || a.URL == "" {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		return a.URL
	}
	key := []string{"Idempotency-Key", again}
	first := ask("10.9.9.9", "ada@example.com", key...)
	s.Clock.Add(time.Hour)
	if got := ask("10.9.9.9", "ADA@example.com", key...); got != first {
		t.Error("the same call gave another checkout")
	}
	for name, other := range map[string]string{
		"another address":         ask("10.9.9.9", "bob@example.com", key...),
		"another caller":          ask("10.9.9.8", "ada@example.com", key...),
		"another Idempotency-Key": ask("10.9.9.9", "ada@example.com", "Idempotency-Key", again[1:]+"0"),
		"no Idempotency-Key":      ask("10.9.9.9", "ada@example.com"),
	} {
		if other == first {
			t.Errorf("%s gave the same checkout", name)
		}
	}
	for _, bad := range []string{"", "short", strings.Repeat("a", 101)} {
		wantBody(t, s.Do("POST", "/api/v1/pro/checkout", fixture.Object("email", "ada@example.com"), "Idempotency-Key",
			bad), 400, "Idempotency-Key", len(bad), " characters")
	}
}

// TestWhatWasUsed: the usage of a key shows the calls of this minute and of today, on every path.
func TestWhatWasUsed(t *testing.T) {
	t.Parallel()
	table, clock := fixture.OpenStore(t)
	s := fixture.OpenShop(t, table, clock)
	key := fixture.IssueKey(t, table, "ada@example.com", clock.Now(), 40*24*time.Hour)
	other := fixture.IssueKey(t, table, "bob@example.com", clock.Now(), 40*24*time.Hour)
	type used struct{ Minute, PerMinute, Today int64 }
	look := func() map[string]used {
		t.Helper()
		a := s.Do("GET", "/v1/pro/chiave", "", "X-Api-Key", key)
		var body struct {
			Usage []struct {
				Path string
				used
			}
		}
		if err := json.Unmarshal([]byte(a.Body), &body); err != nil || a.Status != 200 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		all := map[string]used{}
		for _, u := range body.Usage {
			all[u.Path] = u.used
		}
		return all
	}
	call := func(target, key string, calls int) {
		for range calls {
			s.Do("GET", target, "", "X-Api-Key", key)
		}
	}
	call(fixture.Question, key, 3)
	call(fixture.Question, other, 9)
	clock.Add(2 * time.Minute)
	call(fixture.Question, key, 2)
	call("/v1/price-trends?origin=MIL&currency=eur", key, 1)
	want := map[string]used{
		"/v1/analisi": {2, 120, 5}, "/v1/rotte": {0, 120, 0}, "/v1/storico": {0, 120, 0},
		"/v1/price-trends": {1, 60, 1}, "/v1/pro/chiave": {1, 60, 1},
		"/v1/calendario": {0, 60, 0}, "/v1/vicini": {0, 60, 0}, "/v1/occasioni": {0, 60, 0},
		"/v1/pro/portale": {0, 20, 0}, "/v1/consumo": {0, 60, 0},
	}
	if diff := cmp.Diff(want, look()); diff != "" {
		t.Errorf("-want +got: %s", diff)
	}
	clock.Add(24 * time.Hour)
	want = map[string]used{
		"/v1/analisi": {0, 120, 0}, "/v1/rotte": {0, 120, 0}, "/v1/storico": {0, 120, 0},
		"/v1/price-trends": {0, 60, 0}, "/v1/pro/chiave": {1, 60, 1},
		"/v1/calendario": {0, 60, 0}, "/v1/vicini": {0, 60, 0}, "/v1/occasioni": {0, 60, 0},
		"/v1/pro/portale": {0, 20, 0}, "/v1/consumo": {0, 60, 0},
	}
	if diff := cmp.Diff(want, look()); diff != "" {
		t.Errorf("the next day: -want +got: %s", diff)
	}
}

// TestGoodDeliveriesAreHeard: a webhook delivery with a correct signature is accepted, even after
// many deliveries with bad signatures from the same IP address.
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

// TestARefusedRotationIsLookedUpOnce: if a caller tries to rotate the same wrong key again and
// again, the service reads the store only once in several seconds. A key that was already rotated
// does not count as wrong.
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
