package pro_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/pay/paytest"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

const html = "text/html"

// kept is a table that records the keys of all items ever written, so that tests can read all
// items.
type kept struct {
	store.Table
	mu   sync.Mutex
	keys map[store.Key]bool
}

func keep(table store.Table) *kept { return &kept{Table: table, keys: map[store.Key]bool{}} }

func (k *kept) Write(ctx context.Context, ops ...store.Op) error {
	k.mu.Lock()
	for _, op := range ops {
		k.keys[op.Item.Key] = true
	}
	k.mu.Unlock()
	return k.Table.Write(ctx, ops...)
}

// all returns all items of the table.
func (k *kept) all(t *testing.T) (items []store.Item) {
	t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	for key := range k.keys {
		if item, err := k.Table.Get(t.Context(), key, store.Strong); err == nil {
			items = append(items, item)
		}
	}
	if len(items) == 0 {
		t.Error("the table holds nothing: was anything kept?")
	}
	return items
}

// holding returns the items that contain a text in the key or in the data.
func (k *kept) holding(t *testing.T, texts ...string) (found []string) {
	t.Helper()
	for _, item := range k.all(t) {
		for _, text := range texts {
			if text != "" && strings.Contains(item.Partition+" "+item.Sort+" "+string(item.Data), text) {
				found = append(found, item.Partition+" "+item.Sort+" holds "+text)
			}
		}
	}
	return found
}

// TestTheKeyPageAgain: for 10 minutes the payer can open the page with the key again. No one else
// can. The stored note alone reveals nothing.
func TestTheKeyPageAgain(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	table := keep(fixture.Bolt(t, clock.Now))
	s := fixture.OpenShop(t, table, clock)
	session, _ := s.Buy("ada@example.com")
	other, _ := s.Buy("eve@example.com")
	s.Confirm(other, "Accept", html)
	first := s.Confirm(session, "Accept", html)
	key := fixture.KeyPattern.FindString(first.Body)
	if !s.Works(key) {
		t.Fatalf("%d %s", first.Status, first.Body)
	}
	if found := table.holding(t, key, key[25:], session+"\x00", "ada@example.com"); found != nil {
		t.Errorf("in clear: %v", found)
	}
	clock.Add(10*time.Minute - time.Second)
	paytest.Break(s.Payments.Stripe).Down(true) // looking again needs no call to the processor
	if a := s.Confirm(session, "Accept", html); a.Status != 200 || fixture.KeyPattern.FindString(a.Body) != key ||
		a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("looked at again: %d %s", a.Status, a.Page())
	}
	paytest.Break(s.Payments.Stripe).Down(false)
	for name, a := range map[string]fixture.Reply{
		"a program":         s.Confirm(session),
		"another's session": s.Confirm(other, "Accept", html),
		"half a session":    s.Confirm(session[:len(session)-1], "Accept", html),
	} {
		if strings.Contains(a.Body, key) {
			t.Errorf("%s is shown the key: %d", name, a.Status)
		}
	}
	clock.Add(time.Second)
	a := s.Confirm(session, "Accept", html, "Accept-Language", "en")
	if a.Status != 409 || strings.Contains(a.Body, "vd_") ||
		!strings.Contains(a.Page(), "A new key comes by email") ||
		!strings.Contains(a.Body, `href="/v1/pro/recupera?lang=en"`) {
		t.Errorf("after ten minutes: %d %s", a.Status, a.Page())
	}
}

// TestAReplacedKeyIsNotShownAgain: a key that was replaced is not shown again, even within the 10
// minutes.
func TestAReplacedKeyIsNotShownAgain(t *testing.T) {
	s := parallel(t)
	session, _ := s.Buy("ada@example.com")
	key := fixture.KeyPattern.FindString(s.Confirm(session, "Accept", html).Body)
	must(t, s.Do("POST", "/v1/pro/chiave/ruota", "", "X-Api-Key", key), 200, "")
	if a := s.Confirm(session, "Accept", html); a.Status != 409 || strings.Contains(a.Body, "vd_") {
		t.Errorf("%d %s", a.Status, a.Page())
	}
}

// TestALostAnswerIsShownAgain: if a key was issued but the page with the key was lost, the payer
// can open the page again.
func TestALostAnswerIsShownAgain(t *testing.T) {
	t.Parallel()
	underFaults(t, func(t *testing.T, s fixture.Shop, f *storetest.Faulty) {
		s.Retry(f, func() fixture.Reply { return s.Checkout("ada@example.com") })
		session := s.Payments.Stripe.Sessions()[0]
		s.Payments.Stripe.Pay(session)
		a := s.Retry(f, func() fixture.Reply { return s.Confirm(session, "Accept", html) })
		f.Heal()
		key := fixture.KeyPattern.FindString(a.Body)
		again := fixture.KeyPattern.FindString(s.Confirm(session, "Accept", html).Body)
		if key == "" || key != again || !s.Works(key) {
			t.Errorf("%d %s; again %q", a.Status, a.Page(), again)
		}
	})
}

// TestConfirmationForPeople: if a checkout has no key to show, the page says why, in the reader's
// language.
func TestConfirmationForPeople(t *testing.T) {
	s := parallel(t)
	s.Checkout("ada@example.com")
	open := s.Payments.Stripe.Sessions()[0]
	foreign, _ := s.Payments.Stripe.SellOther("bob@example.com", "price_other")
	for _, c := range []struct {
		name, session string
		status        int
		says, leads   string
	}{
		{"pending", open, 409, "Il pagamento non è ancora arrivato", "/v1/pro/conferma?session_id=" + open +
			"&amp;lang=it"},
		{"unknown", "cs_test_none", 404, "Non conosciamo questo pagamento", "/v1/pro?lang=it"},
		{"foreign", foreign, 422, "Quel pagamento era per altro", "/v1/pro?lang=it"},
	} {
		a := s.Confirm(c.session, "Accept", html, "Accept-Language", "it")
		if a.Status != c.status || !strings.Contains(a.Page(), c.says) ||
			!strings.Contains(a.Body, `href="`+c.leads+`"`) {
			t.Errorf("%s: %d %s", c.name, a.Status, a.Page())
		}
		if p := s.Confirm(c.session); p.Status != c.status || p.Code == "" {
			t.Errorf("%s, to a program: %d %s", c.name, p.Status, p.Body)
		}
	}
	s.Payments.Stripe.Expire(open)
	wantPage(t, s.Confirm(open, "Accept", html, "Accept-Language", "it"), 410, "Il tempo per pagare è scaduto")
}
