package stripepay_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verdetto/shared/architecture/testenv"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/pay/stripepay"
)

type account struct {
	subscription []byte
	expanded     bool
}

func (a account) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	held := a.subscription
	if strings.HasPrefix(r.URL.Path, "/v1/checkout/sessions/") {
		if !a.expanded {
			held = []byte(`"sub_recorded"`)
		}
		fmt.Fprintf(w,
			`{"object":"checkout.session","id":"cs_test_1","status":"complete","payment_status":"paid","customer_email":"anna@example.com","subscription":%s}`, held)
	} else {
		_, _ = w.Write(held)
	}
	return w.Result(), nil
}

func recordedSubscriptions(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(testenv.Data(t), "stripe", "*subscription.*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	all := map[string][]byte{}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var event struct {
			Object json.RawMessage
			Data   struct{ Object json.RawMessage }
		}
		if err := json.Unmarshal(body, &event); err != nil {
			t.Fatal(err)
		}
		object := event.Data.Object
		if object == nil || bytes.HasPrefix(event.Object, []byte("{")) {
			object = event.Object
		}
		var o map[string]any
		if err := json.Unmarshal(object, &o); err != nil {
			t.Fatal(file, err)
		}
		o["id"] = "sub_recorded"
		if all[filepath.Base(file)], err = json.Marshal(o); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestRecordedPrice(t *testing.T) {
	for file, object := range recordedSubscriptions(t) {
		var o struct {
			Items struct {
				Data []struct{ Price struct{ ID string } }
			}
		}
		if err := json.Unmarshal(object, &o); err != nil || len(o.Items.Data) == 0 || o.Items.Data[0].Price.ID == "" {
			t.Fatalf("%s: %v, %+v", file, err, o)
		}
		heldTo(t, file, object, o.Items.Data[0].Price.ID)
	}
}

func TestPriceInEveryShape(t *testing.T) {
	for name, items := range map[string]string{
		"price expanded":      `{"price":{"id":"price_1","object":"price"}}`,
		"price as an id":      `{"price":"price_1"}`,
		"of 2025":             `{"current_period_start":1,"current_period_end":2,"price":{"id":"price_1"}}`,
		"a plan, before 2020": `{"plan":{"id":"price_1","object":"plan"}}`,
		"the second item":     `{"price":{"id":"price_other"}},{"price":{"id":"price_1"}}`,
	} {
		heldTo(t, name,
			fmt.Appendf(nil, `{"object":"subscription","id":"sub_recorded","status":"active","items":{"data":[%s]}}`,
				items), "price_1")
	}
	none := []byte(
		`{"object":"subscription","id":"sub_recorded","status":"active","items":{"data":[]},"metadata":{"price":"price_1"}}`)
	if got, err := open(t, account{none, true}).Subscription(t.Context(), "sub_recorded"); err != nil || got.Ours {
		t.Errorf("without items: %+v, %v", got, err)
	}
}

func heldTo(t *testing.T, name string, object []byte, price string) {
	t.Helper()
	for _, c := range []struct {
		price  string
		former []string
		want   bool
	}{
		{price, nil, true},
		{"price_new", []string{"price_older", price}, true},
		{"price_new", nil, false},
		{"price_new", []string{"price_older", price + "x"}, false},
	} {
		for _, expanded := range []bool{true, false} {
			checkout := open(t, account{object, expanded},
				func(config *stripepay.Config) { config.Price, config.FormerPrices = c.price, c.former })
			session, err := checkout.Session(t.Context(), "cs_test_1")
			if err != nil || session.Ours != c.want || session.Sold() != c.want || session.Foreign() == c.want {
				t.Errorf("%s, price %s, former %v, expanded %v: session %+v, %v", name, c.price, c.former, expanded,
					session, err)
			}
			held, err := checkout.Subscription(t.Context(), "sub_recorded")
			if err != nil || held.Ours != c.want || !held.PaidUntil.Equal(session.PaidUntil) {
				t.Errorf("%s, price %s, former %v: subscription %+v, %v", name, c.price, c.former, held, err)
			}
		}
	}
}

func TestStandInSellsOtherThings(t *testing.T) {
	for _, basil := range []bool{false, true} {
		now := noon
		fake, checkout := world(t, &now)
		fake.Basil = basil
		id, subscription := fake.SellOther("eve@example.com", "price_other")
		session, err := checkout.Session(t.Context(), id)
		if err != nil || !session.Paid || session.Subscription != subscription || session.PaidUntil.IsZero() ||
			session.Sold() || !session.Foreign() {
			t.Errorf("%+v, %v", session, err)
		}
		fake.Reprice(subscription, playmoney.TestPrice)
		if held, err := checkout.Subscription(t.Context(), subscription); err != nil || !held.Ours {
			t.Errorf("%+v, %v", held, err)
		}
	}
}
