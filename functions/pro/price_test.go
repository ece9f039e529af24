package pro_test

import (
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/apikey"
	"verdetto/shared/store"
)

func TestForeignSubscriptionsLeaveThePlan(t *testing.T) {
	s := parallel(t)
	session, subscription := s.Buy("ada@example.com")
	s.Confirm(session)
	foreign := map[string]string{}
	for _, email := range []string{"ada@example.com", "eve@example.com"} {
		_, foreign[email] = s.Payments.Stripe.SellOther(email, "price_one_cent")
		if err := s.Pro.Keys.Change(t.Context(), apikey.CustomerIDOf([]byte(fixture.Pepper), email),
			func(c *store.Customer) error {
				if c.Cards == nil {
					c.Cards = map[string]time.Time{}
				}
				c.Cards[foreign[email]] = s.Clock.Now().AddDate(1, 0, 0)
				return nil
			}); err != nil {
			t.Fatal(err)
		}
	}
	if keys := recovered(s, "eve@example.com"); len(keys) > 0 || len(s.Customer("eve@example.com").Cards) > 0 {
		t.Errorf("%d keys were mailed to who bought something else: %+v", len(keys), s.Customer("eve@example.com"))
	}
	keys, ada := recovered(s, "ada@example.com"), s.Customer("ada@example.com")
	if _, still := ada.Cards[foreign["ada@example.com"]]; len(keys) != 1 || still || len(ada.Cards) != 1 ||
		ada.Cards[subscription].IsZero() {
		t.Errorf("%d keys, %+v", len(keys), ada)
	}
}

func recovered(s fixture.Shop, email string) []string {
	s.T.Helper()
	must(s.T, s.Recover(email), 202, "", "recupera")
	return s.Mailed(email)
}
