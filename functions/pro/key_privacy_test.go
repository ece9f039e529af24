package pro_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/pay"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

// The writes of a lossy table take effect, but two answers are lost: to the first write of two items,
// and to the first read after that write.
type lossy struct {
	store.Table
	wrote, read bool
	armed       bool
}

func (l *lossy) Write(ctx context.Context, ops ...store.Op) error {
	err := l.Table.Write(ctx, ops...)
	if l.armed && !l.wrote && len(ops) == 2 {
		l.wrote = true
		return errors.Join(err, store.ErrUnavailable)
	}
	return err
}

func (l *lossy) Get(ctx context.Context, key store.Key, read store.Consistency) (store.Item, error) {
	if l.wrote && !l.read {
		l.read = true
		return store.Item{}, store.ErrUnavailable
	}
	return l.Table.Get(ctx, key, read)
}

func TestTheEndOfAPlanIsAnsweredAsStored(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	table := &lossy{Table: fixture.Bolt(t, clock.Now)}
	s := fixture.OpenShop(t, table, clock)
	table.armed = true
	a := s.Verify("ada@example.com", s.Send(fixture.Price, ""))
	if stored := s.Customer("ada@example.com").Plan().Until; a.Status != 200 || !a.ExpiresAt.Equal(stored) ||
		!s.Works(a.APIKey) {
		t.Errorf("%d %s; stored is %v", a.Status, a.Body, stored)
	}
}

type between struct {
	pay.Checkout
	do func()
}

func (b *between) Subscription(ctx context.Context, id string) (pay.Subscription, error) {
	answer, err := b.Checkout.Subscription(ctx, id)
	if do := b.do; do != nil {
		b.do = nil // do must not call itself
		do()
	}
	return answer, err
}

func TestAnOlderAnswerNeverOverwritesANewer(t *testing.T) {
	s := parallel(t)
	session, subscription := s.Buy("ada@example.com")
	s.Confirm(session)
	first := s.Payments.Stripe.Events()[0]
	real := s.Pro.Checkout
	s.Pro.Checkout = &between{Checkout: real, do: func() {
		s.Payments.Stripe.Renew(subscription)
		all := s.Payments.Stripe.Events()
		deliver(t, s, all[len(all)-1], 200)
	}}
	deliver(t, s, first, 200)
	now, err := real.Subscription(t.Context(), subscription)
	if err != nil {
		t.Fatal(err)
	}
	if stored := s.Customer("ada@example.com").Cards[subscription]; !stored.Equal(now.PaidUntil) {
		t.Errorf("stored is %v; the renewal is paid until %v", stored, now.PaidUntil)
	}
}

func TestAKeyThatIsReplacedMeanwhileIsNotGivenBack(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	table := &interrupted{Table: fixture.Bolt(t, clock.Now)}
	s := fixture.OpenShop(t, table, clock)
	first := s.Verify("ada@example.com", s.Send(fixture.Price, ""))
	table.before = func() {
		s.Recover("ada@example.com")
		s.Mailed("ada@example.com")
	}
	a := s.Verify("ada@example.com", s.Send(fixture.Price, ""), "X-Api-Key", first.APIKey)
	if a.Status != 200 || a.APIKey != "" || !strings.Contains(a.Body, `"status":"esteso"`) || s.Works(first.APIKey) {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if keys := s.Mailed("ada@example.com"); len(keys) != 1 || !s.Works(keys[0]) {
		t.Errorf("%d keys were mailed", len(keys))
	}
}

type interrupted struct {
	store.Table
	before func()
}

func (i *interrupted) Write(ctx context.Context, ops ...store.Op) error {
	if do := i.before; do != nil && len(ops) == 2 {
		i.before = nil
		do()
	}
	return i.Table.Write(ctx, ops...)
}

func TestNetworkCannotCloseTheShop(t *testing.T) {
	t.Setenv("VERDETTO_QUOTA_CALLS", "pro-chain-service=400,pro-card-service=80")
	s := open(t)
	s.Clock.Add(time.Hour - time.Duration(s.Clock.Now().Minute())*time.Minute)
	node := s.Payments.Node
	claim := func(address, email string, signature pay.Signature) fixture.Reply {
		return s.From(address, "POST", "/v1/pro/verifica-cripta", fixture.Object("email", email, "signature",
			signature.String()))
	}
	buy := func(address string, n int) fixture.Reply {
		return s.From(address, "POST", "/api/v1/pro/checkout", fixture.Object("email", fmt.Sprintf("eve%d@example.com", n)))
	}
	attack := func(network string) (claims, checkouts int) {
		for n := range 400 {
			var invented pay.Signature
			copy(invented[:], fmt.Sprintf("invented %s %d", network, n))
			a := claim(fmt.Sprintf("%s.%d:1", network, n/50), "eve@example.com", invented)
			switch a.Status {
			case 404:
				claims++
			case 429:
				if a.Header.Get("Retry-After") == "" || !strings.Contains(a.Body, "Nothing is lost") {
					t.Fatalf("refused with %v %s", a.Header, a.Body)
				}
			default:
				t.Fatal(a.Status, a.Body)
			}
			if n < 100 && buy(fmt.Sprintf("%s.%d:1", network, n/9), n).Status == 200 {
				checkouts++
			}
		}
		return claims, checkouts
	}
	signature := s.Send(fixture.Price, "")
	if claims, checkouts := attack("198.51.100"); claims != 300 || checkouts != 60 {
		t.Errorf("one network makes %d claims and %d checkouts", claims, checkouts)
	}
	want(t, claim("192.0.2.1:1", "ada@example.com", signature), 200, "", "a payer elsewhere")
	want(t, buy("192.0.2.1:1", 0), 200, "", "a buyer elsewhere")
	if claims, checkouts := attack("203.0.113"); claims != 99 || checkouts != 19 {
		t.Errorf("up to the ceiling, another network makes %d claims and %d checkouts", claims, checkouts)
	}
	before, late := node.Calls(), s.Send(fixture.Price, "")
	refused := claim("192.0.2.2:1", "bob@example.com", late)
	if must(t, refused, 429, "troppe-richieste"); node.Calls() != before {
		t.Error("a refused claim asks the node")
	}
	wait, err := time.ParseDuration(refused.Header.Get("Retry-After") + "s")
	if err != nil || wait > time.Hour {
		t.Fatalf("Retry-After %v: %v", wait, err)
	}
	s.Clock.Add(wait)
	want(t, claim("192.0.2.2:1", "bob@example.com", late), 200, "", "when it said")
}
