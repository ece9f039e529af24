package pro_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/pay"
	"verdetto/shared/pay/paytest"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

// What somebody may try who wants another's key, and what accidents look like it.

// TestACheckoutBelongsToWhoAskedForIt: whose page a stranger can get hold of, his session can be confirmed by the stranger first.
func TestACheckoutBelongsToWhoAskedForIt(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	s := fixture.OpenShop(t, fixture.Bolt(t, clock.Now), clock)
	ask := func(address, email string) fixture.Reply {
		return s.From(address, "POST", "/api/v1/pro/checkout", fixture.Object("email", email))
	}
	buyer, again := ask("192.0.2.1:1", "ada@example.com"), ask("192.0.2.1:2", "ada@example.com")
	stranger := ask("192.0.2.66:1", "ada@example.com")
	if buyer.Status != 200 || buyer.URL != again.URL {
		t.Errorf("the buyer got %d %s, then %d %s", buyer.Status, buyer.Body, again.Status, again.Body)
	}
	if stranger.Status != 200 || stranger.URL == buyer.URL {
		t.Errorf("a stranger got %d %s, the buyer's own page", stranger.Status, stranger.Body)
	}
	// The same customer, spelled otherwise.
	if a := ask("192.0.2.1:3", "Ada@example.com"); a.Status != 200 || a.URL != buyer.URL {
		t.Errorf("spelled otherwise: %d %s", a.Status, a.Body)
	}
}

// TestLookingDoesNotUseUpAKey: a HEAD, as previews of links send it, has nowhere to show a key.
func TestLookingDoesNotUseUpAKey(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	s := fixture.OpenShop(t, fixture.Bolt(t, clock.Now), clock)
	session, _ := s.Buy("ada@example.com")
	if a := s.Do("HEAD", "/api/v1/pro/conferma?session_id="+session, ""); a.Status != 405 || a.Header.Get("Allow") != "GET" {
		t.Errorf("HEAD: %d, Allow %q", a.Status, a.Header.Get("Allow"))
	}
	if a := s.Confirm(session); a.Status != 200 || a.APIKey == "" {
		t.Errorf("after a HEAD: %d %s", a.Status, a.Body)
	}
}

// TestAUsedPaymentDoesNotTellWhoUsedIt: payments are public, and who made them is not.
func TestAUsedPaymentDoesNotTellWhoUsedIt(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	s := fixture.OpenShop(t, fixture.Bolt(t, clock.Now), clock)
	signature := s.Send(fixture.Price, "")
	s.Verify("ada@example.com", signature)
	own, other := s.Verify("ada@example.com", signature), s.Verify("eve@example.com", signature)
	if own.Status != 409 || own.Status != other.Status || own.Body != other.Body {
		t.Errorf("the payer gets %d %s; another %d %s", own.Status, own.Body, other.Status, other.Body)
	}
}

// lossy loses the answer of the first write, and then the first read after it.
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
	if stored := s.Customer("ada@example.com").Plan().Until; a.Status != 200 || !a.ExpiresAt.Equal(stored) || !s.Works(a.APIKey) {
		t.Errorf("%d %s; stored is %v", a.Status, a.Body, stored)
	}
}

// between runs something once, after the first answer that a question got.
type between struct {
	pay.Checkout
	do func()
}

func (b *between) Subscription(ctx context.Context, id string) (pay.Subscription, error) {
	answer, err := b.Checkout.Subscription(ctx, id)
	if do := b.do; do != nil {
		b.do = nil // what it does asks as well
		do()
	}
	return answer, err
}

// TestAnOlderAnswerNeverOverwritesANewer: a renewal is paid and its delivery handled while another delivery, which asked before, is still on its way.
func TestAnOlderAnswerNeverOverwritesANewer(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	s := fixture.OpenShop(t, fixture.Bolt(t, clock.Now), clock)
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

// TestAKeyThatIsReplacedMeanwhileIsNotGivenBack: verifying with the current key while that is replaced must not give back the dead one.
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
	holdsOneKey(s, append(s.Mailed("ada@example.com"), first.APIKey)...)
}

// interrupted lets something happen once, before the first write of two items.
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

// TestContentTypeOfDeliveries: the processor names a charset.
func TestContentTypeOfDeliveries(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	s := fixture.OpenShop(t, fixture.Bolt(t, clock.Now), clock)
	s.Buy("ada@example.com")
	e := s.Payments.Stripe.Events()[0]
	a := s.Do("POST", "/api/v1/pro/webhook", string(e.Payload), "Content-Type", "application/json; charset=utf-8", "Stripe-Signature", paytest.Sign(e.Payload, clock.Now(), s.Payments.Stripe.Secret))
	if a.Status != 200 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}
