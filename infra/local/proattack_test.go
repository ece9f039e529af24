package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"verdetto/shared/pay"
	"verdetto/shared/pay/paytest"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

// What somebody may try who wants another's key, and what accidents look like it.

// TestACheckoutBelongsToWhoAskedForIt: whose page a stranger can get hold of, his session can be confirmed by the stranger first.
func TestACheckoutBelongsToWhoAskedForIt(t *testing.T) {
	clock := storetest.NewClock()
	s := openShop(t, bolt(t, clock.Now), clock)
	ask := func(address, email string) reply {
		return s.from(address, "POST", "/api/v1/pro/checkout", object("email", email))
	}
	buyer, again := ask("192.0.2.1:1", "ada@example.com"), ask("192.0.2.1:2", "ada@example.com")
	stranger := ask("192.0.2.66:1", "ada@example.com")
	if buyer.status != 200 || buyer.URL != again.URL {
		t.Errorf("the buyer got %d %s, then %d %s", buyer.status, buyer.body, again.status, again.body)
	}
	if stranger.status != 200 || stranger.URL == buyer.URL {
		t.Errorf("a stranger got %d %s, the buyer's own page", stranger.status, stranger.body)
	}
	// The same customer, spelled otherwise.
	if a := ask("192.0.2.1:3", "Ada@example.com"); a.status != 200 || a.URL != buyer.URL {
		t.Errorf("spelled otherwise: %d %s", a.status, a.body)
	}
}

// TestLookingDoesNotUseUpAKey: a HEAD, as previews of links send it, has nowhere to show a key.
func TestLookingDoesNotUseUpAKey(t *testing.T) {
	clock := storetest.NewClock()
	s := openShop(t, bolt(t, clock.Now), clock)
	session, _ := s.buy("ada@example.com")
	if a := s.do("HEAD", "/api/v1/pro/conferma?session_id="+session, ""); a.status != 405 || a.header.Get("Allow") != "GET" {
		t.Errorf("HEAD: %d, Allow %q", a.status, a.header.Get("Allow"))
	}
	if a := s.confirm(session); a.status != 200 || a.APIKey == "" {
		t.Errorf("after a HEAD: %d %s", a.status, a.body)
	}
}

// TestAUsedPaymentDoesNotTellWhoUsedIt: payments are public, and who made them is not.
func TestAUsedPaymentDoesNotTellWhoUsedIt(t *testing.T) {
	clock := storetest.NewClock()
	s := openShop(t, bolt(t, clock.Now), clock)
	signature := s.send(price, "")
	s.verify("ada@example.com", signature)
	own, other := s.verify("ada@example.com", signature), s.verify("eve@example.com", signature)
	if own.status != 409 || own.status != other.status || own.body != other.body {
		t.Errorf("the payer is told %d %s; another %d %s", own.status, own.body, other.status, other.body)
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

func TestTheEndOfAPlanIsToldAsItIsKept(t *testing.T) {
	clock := storetest.NewClock()
	table := &lossy{Table: bolt(t, clock.Now)}
	s := openShop(t, table, clock)
	table.armed = true
	a := s.verify("ada@example.com", s.send(price, ""))
	if kept := s.customer("ada@example.com").Plan().Until; a.status != 200 || !a.ExpiresAt.Equal(kept) || !s.works(a.APIKey) {
		t.Errorf("%d %s; kept is %v", a.status, a.body, kept)
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
	clock := storetest.NewClock()
	s := openShop(t, bolt(t, clock.Now), clock)
	session, subscription := s.buy("ada@example.com")
	s.confirm(session)
	first := s.desk.stripe.Events()[0]
	real := s.desk.service.Checkout
	s.desk.service.Checkout = &between{Checkout: real, do: func() {
		s.desk.stripe.Renew(subscription)
		all := s.desk.stripe.Events()
		s.delivery(all[len(all)-1], 200)
	}}
	s.delivery(first, 200)
	now, err := real.Subscription(t.Context(), subscription)
	if err != nil {
		t.Fatal(err)
	}
	if kept := s.customer("ada@example.com").Cards[subscription]; !kept.Equal(now.PaidUntil) {
		t.Errorf("kept is %v; the renewal is paid until %v", kept, now.PaidUntil)
	}
}

// TestAKeyThatIsReplacedMeanwhileIsNotKept: verifying with the current key while that is replaced must not give back the dead one.
func TestAKeyThatIsReplacedMeanwhileIsNotKept(t *testing.T) {
	clock := storetest.NewClock()
	table := &interrupted{Table: bolt(t, clock.Now)}
	s := openShop(t, table, clock)
	first := s.verify("ada@example.com", s.send(price, ""))
	table.before = func() {
		s.recover("ada@example.com")
		s.mailed("ada@example.com")
	}
	a := s.verify("ada@example.com", s.send(price, ""), "X-Api-Key", first.APIKey)
	if a.status != 200 || !s.works(a.APIKey) {
		t.Errorf("%d %s: the key works: %v", a.status, a.body, s.works(a.APIKey))
	}
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

// TestPathsOfNobodyAreNotLogged: people paste keys and addresses into paths.
func TestPathsOfNobodyAreNotLogged(t *testing.T) {
	clock := storetest.NewClock()
	s := openShop(t, bolt(t, clock.Now), clock)
	for _, path := range []string{"/v1/analisi/ada@example.com", "/api/v1/pro/conferma/cs_test_secret", "/vd_" + strings.Repeat("a", 65)} {
		if a := s.do(http.MethodGet, path, ""); a.status != 404 {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	s.log.mu.Lock()
	logged := s.log.text.String()
	s.log.mu.Unlock()
	for _, personal := range []string{"ada@", "cs_test_secret", "vd_aaa"} {
		if strings.Contains(logged, personal) {
			t.Errorf("the log holds %s:\n%s", personal, logged)
		}
	}
}

// TestContentTypeOfDeliveries: the processor names a charset.
func TestContentTypeOfDeliveries(t *testing.T) {
	clock := storetest.NewClock()
	s := openShop(t, bolt(t, clock.Now), clock)
	s.buy("ada@example.com")
	e := s.desk.stripe.Events()[0]
	a := s.do("POST", "/api/v1/pro/webhook", string(e.Payload), "Content-Type", "application/json; charset=utf-8", "Stripe-Signature", paytest.Sign(e.Payload, clock.Now(), s.desk.stripe.Secret))
	if a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// TestEscapedSlash: a path that only looks like one of ours is a problem like any other.
func TestEscapedSlash(t *testing.T) {
	clock := storetest.NewClock()
	s := openShop(t, bolt(t, clock.Now), clock)
	for _, p := range []string{"/v1%2Fanalisi?origine=Milano&destinazione=Roma", "/v1/%61nalisi?origine=Milano&destinazione=Roma", "/api/v1/pro%2Fcripta", "/v1/pro/../analisi", "//v1/analisi"} {
		a := s.do("GET", p, "")
		t.Logf("%s: %d %s %.80s", p, a.status, a.header.Get("Content-Type"), a.body)
		if a.status != 200 && a.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s", p, a.status, a.body)
		}
	}
}
