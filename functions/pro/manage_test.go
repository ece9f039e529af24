package pro_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/notify"
	"verdetto/shared/pay/paytest"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

var (
	planPattern = regexp.MustCompile(`/v1/pro/gestione/piano\?t=\w+`)
	movePattern = regexp.MustCompile(`/v1/pro/indirizzo/conferma\?t=\w+`)
)

// linkTo requests a link to a plan. It returns the token of the link, or "" if no mail arrived.
func linkTo(s fixture.Shop, email string) string {
	s.T.Helper()
	s.Clock.Add(time.Hour) // avoids every limit
	before := newest(s, email, planPattern)
	must(s.T, s.Do("POST", "/v1/pro/gestione", fixture.Object("email", email)), 202, "")
	s.Mailed(email)
	link := newest(s, email, planPattern)
	if link == before {
		return ""
	}
	_, token, _ := strings.Cut(link, "t=")
	return token
}

// byCard opens a shop over a table. In the shop, ada has a plan that she bought by card.
func byCard(t *testing.T, table store.Table, clock *storetest.Clock) (s fixture.Shop, key, subscription string) {
	t.Helper()
	s = fixture.OpenShop(t, table, clock)
	session, subscription := s.Buy("ada@example.com")
	for _, e := range s.Payments.Stripe.Events() {
		deliver(t, s, e, 200)
	}
	return s, s.Confirm(session).APIKey, subscription
}

// TestTheLinkToAPlan: a request for the link to a plan gets the same answer for every address. Only
// an address with a plan gets the mail. The link is valid for 1 hour.
func TestTheLinkToAPlan(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	table := keep(fixture.Bolt(t, clock.Now))
	s, _, _ := byCard(t, table, clock)
	known, unknown := s.Do("POST", "/v1/pro/gestione", fixture.Object("email", "ada@example.com")),
		s.Do("POST", "/v1/pro/gestione", fixture.Object("email", "bob@example.com"))
	if known.Status != 202 || known.Status != unknown.Status || known.Body != unknown.Body {
		t.Errorf("%d %s; %d %s", known.Status, known.Body, unknown.Status, unknown.Body)
	}
	token := linkTo(s, "ada@example.com")
	if linkTo(s, "bob@example.com") != "" || token == "" {
		t.Fatalf("the token is %q", token)
	}
	if found := table.holding(t, token, "ada@example.com"); found != nil {
		t.Errorf("in clear: %v", found)
	}
	token = linkTo(s, "ada@example.com")
	page := "/v1/pro/gestione/piano?lang=en&t=" + token
	if a := s.Do("GET", page, ""); a.Status != 200 ||
		!strings.Contains(a.Page(), "By card: ") && !strings.Contains(a.Page(), "By card until") ||
		!strings.Contains(a.Body, `action="/v1/pro/portale?lang=en"`) {
		t.Errorf("%d %s", a.Status, a.Page())
	}
	clock.Add(time.Hour)
	for _, a := range []fixture.Reply{s.Do("GET", page, ""), s.Form("/v1/pro/cancella", "conferma=si&t="+token),
		s.Form("/v1/pro/indirizzo", "nuovo=eve%40example.com&t="+token)} {
		want(t, a, 410, "", "after an hour")
	}
	want(t, s.Do("POST", "/v1/pro/portale", fixture.Object("t", token)), 400, "", "after an hour")
	mails := len(mailsTo(s, "ada@example.com"))
	for range 20 { // the answer stays the same, but the day's mails run out
		if a := s.Do("POST", "/v1/pro/gestione", fixture.Object("email", "ada@example.com")); a.Status != 202 ||
			a.Body != known.Body {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	s.Mailed("ada@example.com")
	if got := len(mailsTo(s, "ada@example.com")) - mails; got >= notify.MailsPerDay {
		t.Errorf("%d more mails came", got)
	}
}

// TestThePortal: the billing portal opens with the key in a header, with the key in the form of a
// page, or with a mailed link. It opens in no other way.
func TestThePortal(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	s, key, subscription := byCard(t, fixture.Bolt(t, clock.Now), clock)
	token := linkTo(s, "ada@example.com")
	portal := func(body string, header ...string) fixture.Reply {
		return s.Do("POST", "/v1/pro/portale", body, header...)
	}
	leads := func(a fixture.Reply) bool {
		return a.Status == 200 && strings.HasPrefix(a.URL, s.Payments.StripeURL+"/p/session/")
	}
	for name, a := range map[string]fixture.Reply{
		"header": portal("", "X-Api-Key", key), "field": portal(fixture.Object("chiave", key)),
		"link": portal(fixture.Object("t", token)),
	} {
		if !leads(a) {
			t.Errorf("by %s: %d %s", name, a.Status, a.Body)
		}
	}
	if a := s.Form("/v1/pro/portale", "chiave="+key, "Accept-Language", "en"); a.Status != 200 ||
		!strings.Contains(a.Body, `href="`+s.Payments.StripeURL+"/p/session/") || strings.Contains(a.Body, key) {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	// A second purchase in another browser session creates a second customer at the card processor.
	again, second := s.Buy("ada@example.com")
	s.Confirm(again)
	if a := portal("", "X-Api-Key", key); !leads(a) || !strings.Contains(a.Body, `"others":["`+s.Payments.StripeURL) {
		t.Errorf("two subscriptions: %d %s", a.Status, a.Body)
	}
	eve := s.Verify("eve@example.com", s.Send(fixture.Price, "")).APIKey
	for name, c := range map[string]struct {
		a      fixture.Reply
		status int
		code   string
	}{
		"nothing":        {portal(""), 401, "chiave-non-valida"},
		"a mistyped key": {portal(fixture.Object("chiave", mistyped(key))), 401, "chiave-non-valida"},
		"a bad header":   {portal(fixture.Object("t", token), "X-Api-Key", "vd_none"), 401, "chiave-non-valida"},
		"a made-up link": {portal(fixture.Object("t", strings.Repeat("0", 32))), 400, "richiesta-non-valida"},
		"a plan in USDC": {portal("", "X-Api-Key", eve), 409, "nessuna-carta"},
	} {
		if c.a.Status != c.status || c.a.Code != c.code || c.a.URL != "" {
			t.Errorf("%s: %d %s", name, c.a.Status, c.a.Body)
		}
	}
	wantPage(t, s.Form("/v1/pro/portale", "chiave="+eve, "Accept-Language", "it"), 409, "Nessun abbonamento con carta")
	paytest.Break(s.Payments.Stripe).Down(true)
	if a := portal("", "X-Api-Key", key); a.Status != 503 || a.Header.Get("Retry-After") == "" {
		t.Errorf("out of reach: %d %s", a.Status, a.Body)
	}
	paytest.Break(s.Payments.Stripe).Down(false)
	s.Payments.Stripe.DeleteCustomer(subscription)
	s.Payments.Stripe.DeleteCustomer(second)
	want(t, portal("", "X-Api-Key", key), 409, "nessuna-carta", "deleted at the processor")
}

// TestAPlanMoves: a plan moves only after the present and the new address have confirmed. Then the
// new address has the plan, and the former address has nothing.
func TestAPlanMoves(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	table := keep(fixture.Bolt(t, clock.Now))
	s, key, subscription := byCard(t, table, clock)
	claimed := s.Send(fixture.Price, "") // without a memo: a claim
	s.Verify("ada@example.com", claimed, "X-Api-Key", key)
	before := s.Customer("ada@example.com")
	token := linkTo(s, "ada@example.com")
	for _, nuovo := range []string{"", "none", "Ada%40example.com"} {
		want(t, s.Form("/v1/pro/indirizzo", "t="+token+"&nuovo="+nuovo), 400, "", nuovo)
	}
	must(t, s.Form("/v1/pro/indirizzo", "nuovo=grace%40example.com&t="+token), 202, "")
	s.Mailed("grace@example.com")
	link := newest(s, "grace@example.com", movePattern)
	if strings.Contains(strings.Join(mailsTo(s, "grace@example.com"), ""), "ada@") {
		t.Error("the mail to the new address holds the present one")
	}
	// Before the new address confirms, nothing changes.
	if a := s.Do("GET", link, ""); a.Status != 200 || !s.Works(key) || !strings.Contains(a.Body, `method="post"`) {
		t.Errorf("%d %s", a.Status, a.Page())
	}
	for range 2 { // a second press gives the same answer
		if a := press(t, s, link+"&lang=en", 200); !strings.Contains(a.Page(), "The plan has a new address") {
			t.Error(a.Page())
		}
	}
	keys := s.Mailed("grace@example.com")
	if len(keys) != 1 || !s.Works(keys[0]) || s.Works(key) {
		t.Fatalf("%d keys were mailed; the former one works: %v", len(keys), s.Works(key))
	}
	after := s.Customer("grace@example.com")
	if !after.Crypto.Equal(before.Crypto) || !after.Cards[subscription].Equal(before.Cards[subscription]) {
		t.Errorf("the plan rests on %+v, before on %+v", after, before)
	}
	if moved := strings.Join(mailsTo(s, "ada@example.com"), ""); !strings.Contains(moved, "another address") &&
		!strings.Contains(moved, "un altro indirizzo") {
		t.Error("the former address is not told")
	}
	if found := table.holding(t, string(before.ID)); len(found) > 0 {
		for _, f := range found {
			if !strings.HasPrefix(f, "LIMIT#") {
				t.Errorf("of the former customer there is left: %s", f)
			}
		}
	}
	// The subscription moves too, and the card processor has the new address.
	held, err := s.Pro.Checkout.Subscription(t.Context(), subscription)
	if err != nil || held.Email != "grace@example.com" {
		t.Errorf("the processor writes to %s %v", held.Email, err)
	}
	// A plan that the former address buys later stays there, even if the move's button is pressed
	// again.
	own := s.Verify("ada@example.com", s.Send(fixture.Price, "")).APIKey
	s.Form(link, "")
	if !s.Works(own) {
		t.Error("an old link took a new plan away")
	}
	clock.Add(25 * 24 * time.Hour)
	s.Payments.Stripe.Renew(subscription)
	all := s.Payments.Stripe.Events()
	deliver(t, s, all[len(all)-1], 200)
	if got := s.Customer("grace@example.com").Cards[subscription]; !got.After(before.Cards[subscription]) {
		t.Errorf("the renewal is not the new address's: %v", got)
	}
}

// TestAPlanMovesToOneThatIsThere: if the new address already has a plan, the paid days are added
// up, and the key of the new address stays valid.
func TestAPlanMovesToOneThatIsThere(t *testing.T) {
	s := parallel(t)
	ada, grace := s.Verify("ada@example.com", s.Send(fixture.Price, "")).APIKey,
		s.Verify("grace@example.com", s.Send(fixture.Price, "")).APIKey
	ends := s.Customer("grace@example.com").Crypto
	token := linkTo(s, "ada@example.com")
	s.Form("/v1/pro/indirizzo", "nuovo=grace%40example.com&t="+token)
	s.Mailed("grace@example.com")
	left := s.Customer("ada@example.com").Crypto.Sub(s.Clock.Now())
	press(t, s, newest(s, "grace@example.com", movePattern), 200)
	if keys := s.Mailed("grace@example.com"); keys != nil || !s.Works(grace) || s.Works(ada) {
		t.Errorf("mailed %d keys; hers works: %v", len(keys), s.Works(grace))
	}
	if got := s.Customer("grace@example.com").Crypto; !got.Equal(ends.Add(left)) {
		t.Errorf("the plan ends %v, want %v", got, ends.Add(left))
	}
}

// TestMovingUnderFaults: one call to the store fails while a plan moves. In the end the plan is at
// one address, and one key works.
func TestMovingUnderFaults(t *testing.T) {
	t.Parallel()
	underFaults(t, func(t *testing.T, s fixture.Shop, f *storetest.Faulty) {
		first := paid(s, f)
		s.Retry(f, func() fixture.Reply {
			return s.Do("POST", "/v1/pro/gestione", fixture.Object("email", "ada@example.com"))
		})
		sent(s, f, "ada@example.com")
		link := newest(s, "ada@example.com", planPattern)
		_, token, _ := strings.Cut(link, "t=")
		s.Retry(f, func() fixture.Reply { return s.Form("/v1/pro/indirizzo", "nuovo=grace%40example.com&t="+token) })
		sent(s, f, "grace@example.com")
		agree := newest(s, "grace@example.com", movePattern)
		if a := s.Retry(f, func() fixture.Reply { return s.Form(agree, "") }); a.Status != 200 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		sent(s, f, "grace@example.com")
		f.Heal()
		keys := s.Mailed("grace@example.com")
		holdsOneKey(s, append(keys, first.APIKey)...)
		if s.Works(first.APIKey) {
			t.Error("the plan has not moved")
		}
	})
}

// sent runs the outbox until all mails are sent, also mails whose jobs are still leased after a
// fault.
func sent(s fixture.Shop, f *storetest.Faulty, email string) {
	s.T.Helper()
	for range 3 {
		if _, err := s.Pro.Work(s.T.Context()); err != nil {
			f.Heal()
		}
		s.Clock.Add(2 * time.Minute)
	}
	s.Mailed(email)
}

// TestFewNewAddressesAreAsked: the owner of a plan can request 3 new addresses a day, because each
// request sends a mail to a stranger.
func TestFewNewAddressesAreAsked(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	s, _, _ := byCard(t, fixture.Bolt(t, clock.Now), clock)
	token := linkTo(s, "ada@example.com")
	for n, status := range []int{202, 202, 202, 429, 429} {
		want(t, s.Form("/v1/pro/indirizzo", fmt.Sprintf("nuovo=new%d%%40example.com&t=%s", n, token)), status, "",
			"address ", n+1)
	}
	clock.Add(24 * time.Hour)
	want(t, s.Form("/v1/pro/indirizzo", "nuovo=new9%40example.com&t="+linkTo(s, "ada@example.com")), 202, "",
		"a day later")
}
