package pro_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

// Tests of attempts to get another person's key, and of accidents that would reveal a key.

// TestNeighboursReadNoKey: many callers may share an IP address, for example in an office. Only the
// caller with the buyer's random form field or Idempotency-Key gets the buyer's checkout.
func TestNeighboursReadNoKey(t *testing.T) {
	t.Parallel()
	const office, ada = "192.0.2.1:1", "ada@example.com"
	hidden := regexp.MustCompile(`action="/v1/pro/checkout[^>]*>\s*<input type="hidden" name="t" value="(\w{32})"`)
	for name, own := range map[string]func(fixture.Shop) fixture.Reply{
		"by the page": func(s fixture.Shop) fixture.Reply {
			field := hidden.FindStringSubmatch(s.Do("GET", "/v1/pro", "", "Accept", "text/html").Body)
			if field == nil {
				t.Fatal("the form holds no random field")
			}
			once := s.From(office, "POST", "/v1/pro/checkout", fixture.Object("email", ada, "t", field[1]))
			if twice := s.From(office, "POST", "/v1/pro/checkout",
				fixture.Object("email", "Ada@example.com", "t", field[1])); once.Status != 200 ||
				twice.URL != once.URL {
				t.Errorf("a double click: %d %s, then %d %s", once.Status, once.Body, twice.Status, twice.Body)
			}
			return once
		},
		"by Idempotency-Key": func(s fixture.Shop) fixture.Reply {
			once := s.From(office, "POST", "/v1/pro/checkout", fixture.Object("email", ada), "Idempotency-Key", again)
			if twice := s.From(office, "POST", "/v1/pro/checkout", fixture.Object("email", ada), "Idempotency-Key",
				again); once.Status != 200 || twice.URL != once.URL {
				t.Errorf("a retry: %d %s, then %d %s", once.Status, once.Body, twice.Status, twice.Body)
			}
			return once
		},
		"by neither": func(s fixture.Shop) fixture.Reply {
			return s.From(office, "POST", "/v1/pro/checkout", fixture.Object("email", ada))
		},
	} {
		s := open(t)
		s.Clock.Add(time.Hour - time.Duration(s.Clock.Now().Minute())*time.Minute)
		buyer := own(s)
		paid := s.Payments.Stripe.Sessions()[0]
		s.Payments.Stripe.Pay(paid)
		keys, refused := 0, 0
		for n := range 100 {
			body, header := []string{"email", ada}, []string(nil)
			switch n % 3 {
			case 1:
				header = []string{"Idempotency-Key", fmt.Sprint("a-neighbour's-own-", n)}
			case 2:
				body = append(body, "t", hidden.FindStringSubmatch(s.Do("GET", "/v1/pro", "", "Accept",
					"text/html").Body)[1])
			}
			a := s.From(office, "POST", "/v1/pro/checkout", fixture.Object(body...), header...)
			switch {
			case a.Status == 429:
				refused++
				s.Clock.Add(time.Hour)
			case a.Status != 200:
				t.Fatalf("%d %s", a.Status, a.Body)
			case a.URL == buyer.URL:
				keys++
			}
		}
		if keys != 0 || refused == 0 {
			t.Errorf("%s: of 100 neighbours %d got the buyer's checkout; the address was refused %d times", name, keys,
				refused)
		}
		if a := s.Confirm(paid); a.Status != 200 || a.APIKey == "" {
			t.Errorf("%s: the buyer: %d %s", name, a.Status, a.Body)
		}
	}
}

// TestLookingDoesNotUseUpAKey: programs that preview links send HEAD requests. The answer to HEAD
// cannot show a key, so it must not count as the one time that the key is shown.
func TestLookingDoesNotUseUpAKey(t *testing.T) {
	s := parallel(t)
	session, _ := s.Buy("ada@example.com")
	if a := s.Do("HEAD", "/api/v1/pro/conferma?session_id="+session, ""); a.Status != 405 ||
		a.Header.Get("Allow") != "GET" {
		t.Errorf("HEAD: %d, Allow %q", a.Status, a.Header.Get("Allow"))
	}
	if a := s.Confirm(session); a.Status != 200 || a.APIKey == "" {
		t.Errorf("after a HEAD: %d %s", a.Status, a.Body)
	}
}

// TestAUsedPaymentDoesNotTellWhoUsedIt: payments on the chain are public. The answer about a used
// payment must not reveal who used it for a plan.
func TestAUsedPaymentDoesNotTellWhoUsedIt(t *testing.T) {
	s := parallel(t)
	signature := s.Send(fixture.Price, "")
	s.Verify("ada@example.com", signature)
	own, other := s.Verify("ada@example.com", signature), s.Verify("eve@example.com", signature)
	if own.Status != 409 || own.Status != other.Status || own.Body != other.Body {
		t.Errorf("the payer gets %d %s; another %d %s", own.Status, own.Body, other.Status, other.Body)
	}
}

// lossy is a table whose calls take effect. It loses the answer to the first write, and the answer
// to the first read after that write.
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

// between wraps a card processor. It calls do once, after the processor's first answer about a
// subscription.
type between struct {
	pay.Checkout
	do func()
}

func (b *between) Subscription(ctx context.Context, id string) (pay.Subscription, error) {
	answer, err := b.Checkout.Subscription(ctx, id)
	if do := b.do; do != nil {
		b.do = nil // do reads subscriptions too
		do()
	}
	return answer, err
}

// TestAnOlderAnswerNeverOverwritesANewer: a webhook delivery reads a subscription. Before it stores
// the result, a renewal is paid and another delivery stores the newer state. The newer state must
// stay.
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

// TestAKeyThatIsReplacedMeanwhileIsNotGivenBack: a purchase by a caller with the current key must
// not return that key if the key is replaced during the purchase.
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

// interrupted is a table that calls before once, directly before the first write of two items.
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

// TestContentTypeOfDeliveries: a webhook delivery is accepted although its content type names a
// charset, as the card processor's deliveries do.
func TestContentTypeOfDeliveries(t *testing.T) {
	s := parallel(t)
	s.Buy("ada@example.com")
	e := s.Payments.Stripe.Events()[0]
	a := s.Do("POST", "/api/v1/pro/webhook", string(e.Payload), "Content-Type", "application/json; charset=utf-8",
		"Stripe-Signature", playmoney.Sign(e.Payload, s.Clock.Now(), s.Payments.Stripe.Secret))
	want(t, a, 200, "")
}

// TestUnknownPaymentIsRemembered: for 15 seconds, a second claim to an unknown payment makes no call
// to the node.
func TestUnknownPaymentIsRemembered(t *testing.T) {
	s := parallel(t)
	signature := s.Send(fixture.Price, "")
	lost := s.Send(fixture.Price, "")
	s.Payments.Node.Forget(lost)
	for _, c := range []struct {
		after time.Duration
		asks  bool
	}{{0, true}, {0, false}, {14 * time.Second, false}, {time.Second, true}} {
		s.Clock.Add(c.after)
		before := s.Payments.Node.Calls()
		want(t, s.Verify("eve@example.com", lost), 404, "pagamento-non-trovato")
		if asked := s.Payments.Node.Calls() > before; asked != c.asks {
			t.Errorf("after %s the node was asked: %v", c.after, asked)
		}
	}
	want(t, s.Verify("ada@example.com", signature), 200, "")
}

// TestNetworkCannotCloseTheShop: a network uses up its share of the calls to payment services, and
// payers elsewhere can still pay. Only the ceiling of the service refuses everybody, and after the
// hour the refused payment buys its plan.
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
