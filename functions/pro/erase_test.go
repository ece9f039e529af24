package pro_test

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go/base58"

	"verdetto/e2e/fixture"
	"verdetto/shared/apikey"
	"verdetto/shared/pay/paytest"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

// TestAnErasedCustomer: after an erasure no stored item identifies the customer: no address,
// customer id, subscription or key hash. Other customers lose nothing.
func TestAnErasedCustomer(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	table := keep(fixture.Bolt(t, clock.Now))
	s, key, subscription := byCard(t, table, clock)
	// The customer causes every kind of data: a claim, an open checkout, a recovery, a rotation,
	// links and waiting jobs.
	claimed := s.Send(fixture.Price, "")
	s.Verify("ada@example.com", claimed, "X-Api-Key", key)
	other := s.Verify("bob@example.com", s.Send(fixture.Price, "")).APIKey
	s.Checkout("ada@example.com")
	fresh := recovered(s, "ada@example.com")
	rotated := s.Do("POST", "/v1/pro/chiave/ruota", "", "X-Api-Key", fresh[len(fresh)-1]).APIKey
	if !s.Works(rotated) {
		t.Fatal("no key works")
	}
	linkTo(s, "ada@example.com")
	token := linkTo(s, "ada@example.com")
	s.Form("/v1/pro/indirizzo", "nuovo=grace%40example.com&t="+token)
	s.Recover("ada@example.com") // its job waits
	c := s.Customer("ada@example.com")
	names := []string{"ada@example.com", string(c.ID), subscription, base64.StdEncoding.EncodeToString(c.Hash)}
	if found := table.holding(t, names...); len(found) < 5 {
		t.Fatalf("she is named in so few places: %v", found)
	}

	if a := s.Form("/v1/pro/cancella", "t="+token); a.Status != 400 || !s.Works(rotated) {
		t.Errorf("without saying that it is meant: %d", a.Status)
	}
	if a := s.Form("/v1/pro/cancella", "conferma=si&t="+token, "Accept-Language", "en"); a.Status != 200 ||
		!strings.Contains(a.Page(), "Your data are erased") {
		t.Fatalf("%d %s", a.Status, a.Page())
	}
	if s.Works(rotated) || !s.Works(other) {
		t.Error("the wrong key works")
	}
	if held, err := s.Pro.Checkout.Subscription(t.Context(), subscription); err != nil || held.EndedAt.IsZero() ||
		held.Email != "" {
		t.Errorf("the subscription: %+v %v", held, err)
	}
	left := func(when string) {
		t.Helper()
		for _, f := range table.holding(t, names...) {
			// The counters of calls may stay: they hold pseudonyms and expire within a day.
			if !strings.HasPrefix(f, "LIMIT#") || when != "" {
				t.Errorf("left%s: %s", when, f)
			}
		}
	}
	left("")
	// Late webhook events of the card processor do not create the customer again.
	for _, e := range s.Payments.Stripe.Events() {
		deliver(t, s, e, 200)
	}
	s.Mailed("ada@example.com")
	left("")
	clock.Add(25 * time.Hour)
	left(", a day later")

	// Two kinds of records stay: records that the law requires, and records that prevent a second
	// use of a payment.
	want(t, s.Verify("ada@example.com", claimed), 409, "pagamento-gia-usato", "the payment buys again")
	if a := s.Confirm(s.Payments.Stripe.Sessions()[0]); a.APIKey != "" {
		t.Errorf("the checkout gives a key again: %d %s", a.Status, a.Body)
	}
}

// TestAThiefCannotEraseHisTracks: a thief claims another person's payment, then has his own
// customer data erased. The payer can still claim the payment with a proof.
func TestAThiefCannotEraseHisTracks(t *testing.T) {
	s := parallel(t)
	ada := newPayer(1)
	signature := ada.pay(s, "")
	must(t, s.Verify("eve@example.com", signature), 200, "")
	token := linkTo(s, "eve@example.com")
	must(t, s.Form("/v1/pro/cancella", "conferma=si&t="+token), 200, "")
	if a := claim(s, "ada@example.com", signature,
		base58.Encode(ada.proof("ada@example.com", signature))); a.Status != 200 || !s.Works(a.APIKey) {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

// TestErasingUnderFaults: one call to the store fails during an erasure. A retry completes the
// erasure.
func TestErasingUnderFaults(t *testing.T) {
	t.Parallel()
	fixture.EachFault(t, func(t *testing.T, f *storetest.Faulty, clock *storetest.Clock) {
		table := keep(store.Table(f))
		s := fixture.OpenShop(t, table, clock)
		first := paid(s, f)
		s.Retry(f, func() fixture.Reply {
			return s.Do("POST", "/v1/pro/gestione", fixture.Object("email", "ada@example.com"))
		})
		sent(s, f, "ada@example.com")
		_, token, _ := strings.Cut(newest(s, "ada@example.com", planPattern), "t=")
		erase := func() fixture.Reply { return s.Form("/v1/pro/cancella", "conferma=si&t="+token) }
		a := s.Retry(f, erase)
		f.Heal()
		if a.Status != 200 && a.Status != 410 { // 410: erased, but the answer was lost
			t.Fatalf("%d %s", a.Status, a.Page())
		}
		clock.Add(25 * time.Hour)
		id := string(apikey.CustomerIDOf([]byte(fixture.Pepper), "ada@example.com"))
		if found := table.holding(t, "ada@example.com", id); found != nil || s.Works(first.APIKey) {
			t.Errorf("left: %v", found)
		}
	})
}

// TestErasingWhileTheProcessorIsDown: while the card processor does not answer, the service erases
// nothing, because the processor would still charge the card.
func TestErasingWhileTheProcessorIsDown(t *testing.T) {
	t.Parallel()
	broken := slices.Repeat([]paytest.Fault{paytest.Broken(500)}, 3)
	for name, faults := range map[string][]paytest.Fault{
		"before": broken,
		// The first call to the card processor succeeds, and later calls fail.
		"at the deletion": append([]paytest.Fault{{After: true}}, broken...),
		"after it":        append([]paytest.Fault{{After: true}, paytest.CutAfter()}, broken...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := storetest.NewClock()
			s, key, subscription := byCard(t, fixture.Bolt(t, clock.Now), clock)
			token := linkTo(s, "ada@example.com")
			paytest.Break(s.Payments.Stripe).Fail(faults...)
			refused := 0
			for range 10 {
				a := s.Form("/v1/pro/cancella", "conferma=si&t="+token)
				if a.Status == 200 {
					break
				}
				if refused++; a.Status != 503 || !s.Works(key) {
					t.Errorf("%d %s", a.Status, a.Page())
				}
			}
			held, err := s.Pro.Checkout.Subscription(t.Context(), subscription)
			if refused == 0 || s.Works(key) || err != nil || held.EndedAt.IsZero() {
				t.Errorf("refused %d times; %+v %v", refused, held, err)
			}
		})
	}
}

// TestLinksServeOnePurpose: the token of a mailed link works only for the purpose of that link.
func TestLinksServeOnePurpose(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	s, key, _ := byCard(t, fixture.Bolt(t, clock.Now), clock)
	recovered(s, "ada@example.com")
	cut := func(link string) string { _, token, _ := strings.Cut(link, "t="); return token }
	undo := cut(newest(s, "ada@example.com", undoPattern))
	press(t, s, "/v1/pro/recupera/annulla?t="+undo, 200)
	clock.Add(time.Hour)
	recovered(s, "ada@example.com")
	agree := cut(newest(s, "ada@example.com", agreePattern))
	manage := linkTo(s, "ada@example.com")
	s.Form("/v1/pro/indirizzo", "nuovo=grace%40example.com&t="+manage)
	s.Mailed("grace@example.com")
	move := cut(newest(s, "grace@example.com", movePattern))
	session := s.Payments.Stripe.Sessions()[0]
	tokens := map[string]string{"undo": undo, "agree": agree, "manage": manage, "move": move, "session": session,
		"page": adasToken + " ada@example.com"}
	for kind, token := range tokens {
		if token == "" {
			t.Fatalf("no %s", kind)
		}
	}
	uses := []struct {
		of  string
		use func(token string) fixture.Reply
	}{
		{"undo", func(token string) fixture.Reply { return s.Form("/v1/pro/recupera/annulla?t="+token, "") }},
		{"agree", func(token string) fixture.Reply { return s.Form("/v1/pro/recupera/conferma?t="+token, "") }},
		{"manage", func(token string) fixture.Reply { return s.Do("GET", "/v1/pro/gestione/piano?t="+token, "") }},
		{"manage", func(token string) fixture.Reply {
			return s.Do("POST", "/v1/pro/portale",
				fixture.Object("t", token))
		}},
		{"manage", func(token string) fixture.Reply {
			return s.Form("/v1/pro/indirizzo", "nuovo=eve%40example.com&t="+token)
		}},
		{"manage", func(token string) fixture.Reply { return s.Form("/v1/pro/cancella", "conferma=si&t="+token) }},
		{"move", func(token string) fixture.Reply { return s.Form("/v1/pro/indirizzo/conferma?t="+token, "") }},
	}
	for i, u := range uses {
		for kind, token := range tokens {
			if kind == u.of || kind == "page" { // its space is not valid in a URL
				continue
			}
			if a := u.use(token); a.Status < 400 || a.Status >= 500 {
				t.Errorf("use %d: what is of %s serves as %s: %d %s", i, kind, u.of, a.Status, a.Page())
			}
		}
	}
	if !s.Works(key) {
		t.Error("something changed")
	}
	for i, u := range uses { // each token works for its own purpose
		if u.of == "undo" || i == 5 {
			continue
		}
		if a := u.use(tokens[u.of]); a.Status >= 400 {
			t.Errorf("use %d: of its own kind: %d %s", i, a.Status, a.Body)
		}
	}
}
