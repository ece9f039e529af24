package pro_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/store/storetest"
)

func open(t *testing.T) fixture.Shop {
	t.Helper()
	clock := storetest.NewClock()
	return fixture.OpenShop(t, fixture.Bolt(t, clock.Now), clock)
}

func parallel(t *testing.T) fixture.Shop {
	t.Helper()
	t.Parallel()
	return open(t)
}

func want(t testing.TB, a fixture.Reply, status int, code string, what ...any) {
	t.Helper()
	if a.Status != status || code != "" && a.Code != code {
		t.Errorf("%s: %d %s, want %d %s", fmt.Sprint(what...), a.Status, a.Body, status, code)
	}
}

func must(t testing.TB, a fixture.Reply, status int, code string, what ...any) {
	t.Helper()
	if a.Status != status || code != "" && a.Code != code {
		t.Fatalf("%s: %d %s, want %d %s", fmt.Sprint(what...), a.Status, a.Body, status, code)
	}
}

func wantBody(t testing.TB, a fixture.Reply, status int, text string, what ...any) {
	t.Helper()
	if a.Status != status || !strings.Contains(a.Body, text) {
		t.Errorf("%s: %d %s, want %d %q", fmt.Sprint(what...), a.Status, a.Body, status, text)
	}
}

func deliver(t *testing.T, s fixture.Shop, e playmoney.Event, want int) {
	t.Helper()
	if a := s.Deliver(e.Payload); a.Status != want {
		t.Errorf("%s: %d %s, want %d", e.Type, a.Status, a.Body, want)
	}
}

func TestDeliveriesInAnyOrder(t *testing.T) {
	t.Parallel()
	for _, basil := range []bool{false, true} {
		var want time.Time
		for round := range 5 {
			s := open(t)
			s.Payments.Stripe.Basil = basil
			_, subscription := s.Buy("ada@example.com")
			s.Buy("bob@example.com")
			s.Payments.Stripe.Renew(subscription)
			s.Payments.Stripe.FailRenewal(subscription)
			var all []playmoney.Event
			for _, e := range s.Payments.Stripe.Events() {
				for range 4 {
					all = append(all, e)
				}
			}
			rng := rand.New(rand.NewPCG(uint64(round), 1))
			rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			for _, e := range all {
				deliver(t, s, e, 200)
			}
			end := s.Customer("ada@example.com").Plan().Until
			if round == 0 {
				want = end
			}
			if !end.Equal(want) || end.Before(s.Clock.Now().AddDate(0, 2, 0)) {
				t.Errorf("basil %v, round %d: the plan ends %v, in round 0 %v", basil, round, end, want)
			}
		}
	}
}

func TestSilentWebhook(t *testing.T) {
	s := parallel(t)
	var got []error
	s.Pro.OnDelivery = func(err error, _ string) { got = append(got, err) }
	sell := func(delivered bool) {
		t.Helper()
		session, _ := s.Buy(fmt.Sprintf("ada%d@example.com", s.Clock.Now().Unix()))
		if events := s.Payments.Stripe.Events(); delivered {
			deliver(t, s, events[len(events)-1], 200)
		}
		want(t, s.Confirm(session), 200, "", "sale")
	}
	for _, c := range []struct {
		delivered, silent bool
	}{{true, false}, {false, false}, {false, true}, {true, false}, {false, false}, {false, true}} {
		got = nil
		sell(c.delivered)
		if silent := len(got) > 0 && got[len(got)-1] != nil; silent != c.silent {
			t.Errorf("%+v: %v", c, got)
		}
		s.Clock.Add(30 * time.Hour)
	}
}

func TestDeliveriesThatAreRefused(t *testing.T) {
	s := parallel(t)
	s.Buy("ada@example.com")
	e := s.Payments.Stripe.Events()[0]
	now, secret := s.Clock.Now(), s.Payments.Stripe.Secret
	tampered := bytes.Replace(e.Payload, []byte("ada@"), []byte("eve@"), 1)
	for _, c := range []struct {
		name, signature string
		payload         []byte
	}{
		{"none", "", e.Payload},
		{"nonsense", "t=x,v1=y", e.Payload},
		{"another secret", playmoney.Sign(e.Payload, now, "whsec_another"), e.Payload},
		{"stale", playmoney.Sign(e.Payload, now.Add(-6*time.Minute), secret), e.Payload},
		{"from the future", playmoney.Sign(e.Payload, now.Add(6*time.Minute), secret), e.Payload},
		{"tampered", playmoney.Sign(e.Payload, now, secret), tampered},
		{"empty", playmoney.Sign(nil, now, secret), nil},
		{"not JSON", playmoney.Sign([]byte("{"), now, secret), []byte("{")},
	} {
		want(t, s.Do("POST", "/api/v1/pro/webhook", string(c.payload), "Stripe-Signature", c.signature), 400, "",
			c.name)
	}
	if logged := s.Log.String(); strings.Count(logged, "a delivery of Stripe's webhook has a wrong signature") != 1 {
		t.Errorf("deliveries with a wrong secret were logged as\n%s", logged)
	}
	unheard := []byte(
		`{"id":"evt_1","object":"event","type":"charge.dispute.created","created":1,"data":{"object":{"id":"dp_1","object":"dispute"}}}`)
	deliver(t, s, playmoney.Event{Type: "unheard of", Payload: unheard}, 200)
}
