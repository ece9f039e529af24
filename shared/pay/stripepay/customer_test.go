package stripepay_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/pay/stripepay"
	"verdetto/shared/runtime/faulttest"
)

type says string

func (s says) RoundTrip(*http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	_, _ = w.WriteString(string(s))
	return w.Result(), nil
}

func TestPrice(t *testing.T) {
	month := `"recurring":{"interval":"month","interval_count":1,"usage_type":"licensed"}`
	for _, c := range []struct {
		name, fields string
		want         pay.Price
		fault        error
	}{
		{"euro", `"unit_amount":1299,"currency":"eur",` + month,
			pay.Price{Amount: "12.99", Currency: "EUR", Every: "month", Count: 1}, nil},
		{"cents", `"unit_amount":5,"currency":"usd",` + month,
			pay.Price{Amount: "0.05", Currency: "USD", Every: "month", Count: 1}, nil},
		{"whole currency", `"unit_amount":1500,"currency":"jpy",` + month,
			pay.Price{Amount: "1500", Currency: "JPY", Every: "month", Count: 1}, nil},
		{"thousandths", `"unit_amount":4990,"currency":"kwd",` + month,
			pay.Price{Amount: "4.990", Currency: "KWD", Every: "month", Count: 1}, nil},
		{"quarterly, plus tax",
			`"unit_amount":3000,"currency":"chf","tax_behavior":"exclusive","recurring":{"interval":"month","interval_count":3}`, pay.Price{Amount: "30.00", Currency: "CHF", Every: "month", Count: 3, PlusTax: true}, nil},
		{"odd currency", `"unit_amount":129900,"currency":"isk",` + month, pay.Price{}, pay.ErrNoPrice},
		{"in tiers", `"unit_amount":null,"billing_scheme":"tiered","currency":"eur",` + month, pay.Price{},
			pay.ErrNoPrice},
		{"tiers with an amount", `"unit_amount":1,"billing_scheme":"tiered","currency":"eur",` + month, pay.Price{},
			pay.ErrNoPrice},
		{"payer's choice", `"unit_amount":1,"custom_unit_amount":{},"currency":"eur",` + month, pay.Price{},
			pay.ErrNoPrice},
		{"by the dozen", `"unit_amount":1,"transform_quantity":{"divide_by":12},"currency":"eur",` + month, pay.Price{},
			pay.ErrNoPrice},
		{"once", `"unit_amount":1299,"currency":"eur","recurring":null`, pay.Price{}, pay.ErrNoPrice},
		{"metered", `"unit_amount":1299,"currency":"eur","recurring":{"interval":"month","interval_count":1,"usage_type":"metered"}`, pay.Price{}, pay.ErrNoPrice},
		{"unheard of period", `"unit_amount":1299,"currency":"eur","recurring":{"interval":"moon","interval_count":1}`,
			pay.Price{}, pay.ErrNoPrice},
		{"no currency", `"unit_amount":1299,` + month, pay.Price{}, pay.ErrNoPrice},
		{"not sold any more", `"active":false,"unit_amount":1299,"currency":"eur",` + month, pay.Price{},
			pay.ErrNoPrice},
		{"another price", `"id":"price_other","unit_amount":1299,"currency":"eur",` + month, pay.Price{},
			pay.ErrUnavailable},
		{"another object", `"object":"product","unit_amount":1299,"currency":"eur",` + month, pay.Price{},
			pay.ErrUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			// If a JSON object has two fields of one name, the last field counts.
			body := fmt.Sprintf(`{"object":"price","id":%q,"active":true,%s}`, playmoney.TestPrice, c.fields)
			got, err := open(t, says(body), func(o *stripepay.Config) { o.Price = playmoney.TestPrice }).Price(
				t.Context())
			if diff := cmp.Diff(c.want, got); diff != "" || !errors.Is(err, c.fault) {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

func TestCustomers(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	stripe, checkout := world(t, &now)
	id := stripe.Pay(start(t, checkout, order))
	ask := func() pay.Subscription {
		t.Helper()
		held, err := checkout.Subscription(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return held
	}
	customer := ask().Customer
	if price, err := checkout.Price(t.Context()); err != nil || price.Amount != "12.99" || price.Currency != "USD" {
		t.Errorf("%+v %v", price, err)
	}
	if url, err := checkout.Portal(t.Context(), customer, "https://verdetto.example/v1/pro"); err != nil ||
		!strings.Contains(url, "/p/session/") {
		t.Errorf("%q %v", url, err)
	}
	if err := checkout.Readdress(t.Context(), customer, "grace@example.com"); err != nil ||
		ask().Email != "grace@example.com" {
		t.Errorf("%s %v", ask().Email, err)
	}
	for range 2 {
		if err := checkout.Forget(t.Context(), customer); err != nil {
			t.Error(err)
		}
	}
	if held := ask(); held.EndedAt.IsZero() || held.Email != "" || !held.Ended {
		t.Errorf("%+v", held)
	}
	for _, unknown := range []string{customer, "cus_unknown", "nonsense", ""} {
		if _, err := checkout.Portal(t.Context(), unknown, "https://verdetto.example"); !errors.Is(err,
			pay.ErrNoSuchCustomer) {
			t.Errorf("portal of %q: %v", unknown, err)
		}
		if err := checkout.Readdress(t.Context(), unknown, "a@example.com"); !errors.Is(err, pay.ErrNoSuchCustomer) {
			t.Errorf("address of %q: %v", unknown, err)
		}
		if err := checkout.Forget(t.Context(), unknown); err != nil {
			t.Errorf("deleting %q: %v", unknown, err)
		}
	}
	faulttest.Break(stripe).Down(true)
	if err := checkout.Forget(t.Context(), customer); !errors.Is(err, pay.ErrUnavailable) {
		t.Errorf("out of reach, deleting gives %v", err)
	}
}
