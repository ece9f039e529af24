package pro_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/apikey"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/pay/stripepay"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

// TestAnotherPriceIsNotPro: a paid subscription of the same account to another price gives no key, no plan and no mail.
func TestAnotherPriceIsNotPro(t *testing.T) {
	t.Parallel()
	for _, basil := range []bool{false, true} {
		clock := storetest.NewClock()
		s := fixture.OpenShop(t, fixture.Bolt(t, clock.Now), clock)
		s.Payments.Stripe.Basil = basil
		session, subscription := s.Payments.Stripe.SellOther("eve@example.com", "price_one_cent")
		if a := s.Confirm(session); a.Status != 422 || a.Code != "checkout-non-pro" || a.APIKey != "" {
			t.Errorf("confirmation: %d %s", a.Status, a.Body)
		}
		for _, e := range s.Payments.Stripe.Events() {
			deliver(t, s, e, 200)
		}
		wantNoCustomer(t, s, "eve@example.com")
		if keys := recovered(s, "eve@example.com"); len(keys) > 0 {
			t.Errorf("%d keys were mailed", len(keys))
		}
		// The same subscription at Pro's price is Pro: only the price decides.
		s.Payments.Stripe.Reprice(subscription, playmoney.TestPrice)
		if a := s.Confirm(session); a.Status != 200 || !s.Works(a.APIKey) {
			t.Errorf("at the price of Pro: %d %s", a.Status, a.Body)
		}
	}
}

// TestForeignSubscriptionsLeaveThePlan: earlier versions took any subscription. One that is
// not Pro's is dropped when a key is recovered; what else the plan rests on stays.
func TestForeignSubscriptionsLeaveThePlan(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	s := fixture.OpenShop(t, fixture.Bolt(t, clock.Now), clock)
	session, own := s.Buy("ada@example.com")
	s.Confirm(session)
	foreign := map[string]string{}
	for _, email := range []string{"ada@example.com", "eve@example.com"} {
		_, foreign[email] = s.Payments.Stripe.SellOther(email, "price_one_cent")
		if err := s.Pro.Keys.Change(t.Context(), apikey.Of([]byte(fixture.Pepper), email), func(c *store.Customer) error {
			if c.Cards == nil {
				c.Cards = map[string]time.Time{}
			}
			c.Cards[foreign[email]] = clock.Now().AddDate(1, 0, 0)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if keys := recovered(s, "eve@example.com"); len(keys) > 0 || len(s.Customer("eve@example.com").Cards) > 0 {
		t.Errorf("%d keys were mailed to who bought something else: %+v", len(keys), s.Customer("eve@example.com"))
	}
	keys, ada := recovered(s, "ada@example.com"), s.Customer("ada@example.com")
	if _, still := ada.Cards[foreign["ada@example.com"]]; len(keys) != 1 || still || len(ada.Cards) != 1 || ada.Cards[own].IsZero() {
		t.Errorf("%d keys, %+v", len(keys), ada)
	}
}

// TestRecordedPriceInThreePlaces gives the service an account that answers with recorded subscriptions.
func TestRecordedPriceInThreePlaces(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(testenv.Data(t), "stripe", "*subscription.created.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		price, object := recordedSubscription(t, file)
		for configured, ours := range map[string]bool{price: true, "price_pro": false} {
			clock := storetest.NewClock()
			s := fixture.OpenShop(t, fixture.Bolt(t, clock.Now), clock)
			s.Pro.Checkout = recordedAccount(t, object, configured)
			a := s.Confirm("cs_test_recorded")
			if ours != (a.Status == 200 && a.APIKey != "") || !ours && a.Code != "checkout-non-pro" {
				t.Errorf("%s, %s: confirmation %d %s", filepath.Base(file), configured, a.Status, a.Body)
			}
			event := fmt.Appendf(nil, `{"id":"evt_1","object":"event","type":"customer.subscription.updated","created":%d,"data":{"object":%s}}`, clock.Now().Unix(), object)
			deliver(t, s, playmoney.Event{Type: "recorded", Payload: event}, 200)
			if !ours {
				wantNoCustomer(t, s, "ada@example.com")
				if err := s.Pro.Keys.Change(t.Context(), apikey.Of([]byte(fixture.Pepper), "ada@example.com"), func(c *store.Customer) error {
					c.Cards = map[string]time.Time{"sub_recorded": clock.Now().AddDate(0, 1, 0)}
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			}
			if keys := recovered(s, "ada@example.com"); ours != (len(keys) == 1) {
				t.Errorf("%s, %s: %d keys were mailed", filepath.Base(file), configured, len(keys))
			}
		}
	}
}

// recordedSubscription reads a recorded subscription: its price, and itself under the
// id sub_recorded, paid for until long after the clock of tests begins.
func recordedSubscription(t *testing.T, file string) (price string, object []byte) {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var event struct {
		Object any
		Data   struct{ Object map[string]any }
	}
	if err := json.Unmarshal(body, &event); err != nil {
		t.Fatal(err)
	}
	o := event.Data.Object
	if bare, ok := event.Object.(map[string]any); ok {
		o = bare
	}
	item := o["items"].(map[string]any)["data"].([]any)[0].(map[string]any)
	o["id"], o["status"], o["current_period_end"], o["ended_at"] = "sub_recorded", "active", storetest.NewClock().Now().AddDate(0, 1, 0).Unix(), nil
	o["customer"] = map[string]any{"id": "cus_recorded", "email": "ada@example.com"}
	if object, err = json.Marshal(o); err != nil {
		t.Fatal(err)
	}
	return item["price"].(map[string]any)["id"].(string), object
}

// recordedAccount is a checkout over an account whose one subscription is the given object.
func recordedAccount(t *testing.T, object []byte, price string) pay.Checkout {
	t.Helper()
	account := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/subscriptions/") {
			_, _ = w.Write(object)
			return
		}
		fmt.Fprintf(w, `{"object":"checkout.session","id":"cs_test_recorded","status":"complete","payment_status":"paid","customer_email":"ada@example.com","subscription":%s}`, object)
	}))
	t.Cleanup(account.Close)
	checkout, err := stripepay.New(stripepay.Config{Key: playmoney.TestKey, Price: price, WebhookSecrets: []string{playmoney.TestSecret}, URL: account.URL})
	if err != nil {
		t.Fatal(err)
	}
	return checkout
}

// recovered asks for a fresh key and gives all keys that were mailed to the address.
func recovered(s fixture.Shop, email string) []string {
	s.T.Helper()
	if a := s.Recover(email); a.Status != 202 {
		s.T.Fatalf("recupera: %d %s", a.Status, a.Body)
	}
	return s.Mailed(email)
}

func wantNoCustomer(t *testing.T, s fixture.Shop, email string) {
	t.Helper()
	if c, err := s.Pro.Keys.Customer(t.Context(), apikey.Of([]byte(fixture.Pepper), email)); err == nil {
		t.Errorf("there is a customer: %+v", c)
	}
}
