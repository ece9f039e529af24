package stripepay_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/architecture/testenv"
	"verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
)

// recorded describes each recorded file. Those named payrails_ hold only the data of an event,
// which the test wraps in its outer JSON object.
var recorded = []struct {
	file string
	bare string    // type to wrap it as; empty: the file is a whole event
	want pay.Event // without the fields from an envelope
}{
	{"payrails_checkout.session.completed.json", "checkout.session.completed", pay.Event{Kind: pay.CheckoutCompleted,
		Session:      "cs_test_a1UejXx8ebIdTzFolicVypUAZpOBVkoQKDbaarXoPlPVtj8p0zujPEEhjT",
		Subscription: "sub_1LNkeSKXBGcbgpbZ7jMqOPSi", Customer: "cus_M5wW9RPFk9xNZ5", Email: "customer@example.org"}},
	{"payrails_customer.deleted.json", "customer.deleted", pay.Event{Kind: pay.Other}},
	{"payrails_invoice.payment_action_required.json", "invoice.payment_action_required", pay.Event{Kind: pay.Other}},
	// In the form of API version 2025-03-31.
	{"payrails_invoice.payment_failed.json", "invoice.payment_failed", pay.Event{Kind: pay.InvoiceFailed,
		Subscription: "sub_1234", Customer: "cus_1234", Email: "customer@example.org"}},
	// The same invoice, marked as paid. It pays to the end of the period of its line, not of its
	// own period.
	{"payrails_invoice.payment_failed.json", "invoice.paid", pay.Event{Kind: pay.InvoicePaid,
		Subscription: "sub_1234", Customer: "cus_1234", Email: "customer@example.org",
		PaidUntil: time.Unix(1776969906, 0).UTC()}},
	// This invoice names the subscription in both places where the API versions put it.
	{"payrails_invoice.payment_action_required.json", "invoice.payment_failed", pay.Event{Kind: pay.InvoiceFailed,
		Subscription: "sub_1234", Customer: "cus_1234", Email: "customer@example.org"}},
	{"payrails_invoice.upcoming.json", "invoice.upcoming", pay.Event{Kind: pay.Other}},
	{"payrails_subscription.created.json", "customer.subscription.created", pay.Event{Kind: pay.SubscriptionChanged,
		Subscription: "sub_00000000000000", Customer: "cus_00000000000000"}},
	{"payrails_subscription.updated.json", "customer.subscription.updated", pay.Event{Kind: pay.SubscriptionEnded,
		Subscription: "sub_00000000000000", Customer: "cus_00000000000000"}},
	{"payrails_subscription.deleted.json", "customer.subscription.deleted", pay.Event{Kind: pay.SubscriptionEnded,
		Subscription: "sub_00000000000000", Customer: "cus_00000000000000"}},

	// These checkouts and invoices have no subscription.
	{"rubymock_checkout.session.completed.json", "", pay.Event{Kind: pay.Other, Type: "checkout.session.completed"}},
	{"rubymock_checkout.session.completed.payment_mode.json", "",
		pay.Event{Kind: pay.Other, Type: "checkout.session.completed"}},
	{"rubymock_checkout.session.completed.setup_mode.json", "",
		pay.Event{Kind: pay.Other, Type: "checkout.session.completed"}},
	{"rubymock_invoice.paid.json", "", pay.Event{Kind: pay.Other, Type: "invoice.paid"}},
	{"rubymock_invoice.payment_failed.json", "", pay.Event{Kind: pay.Other, Type: "invoice.payment_failed"}},
	{"rubymock_invoice.payment_succeeded.json", "", pay.Event{Kind: pay.Other, Type: "invoice.payment_succeeded"}},
	{"rubymock_customer.deleted.json", "", pay.Event{Kind: pay.Other, Type: "customer.deleted"}},
	{"rubymock_customer.subscription.created.json", "",
		pay.Event{Kind: pay.SubscriptionChanged, Type: "customer.subscription.created",
			Subscription: "sub_000000000000000000000000", Customer: "cus_00000000000000"}},
	{"rubymock_customer.subscription.updated.json", "",
		pay.Event{Kind: pay.SubscriptionChanged, Type: "customer.subscription.updated",
			Subscription: "sub_000000000000000000000000", Customer: "cus_00000000000000"}},
	{"rubymock_customer.subscription.deleted.json", "",
		pay.Event{Kind: pay.SubscriptionEnded, Type: "customer.subscription.deleted",
			Subscription: "sub_000000000000000000000000", Customer: "cus_00000000000000"}},
}

func TestRecorded(t *testing.T) {
	root := testenv.Data(t)
	checkout := open(t, nil)
	read := func(payload []byte) (pay.Event, error) {
		return checkout.Event(payload, playmoney.Sign(payload, noon, playmoney.TestSecret), noon)
	}
	named := map[string]bool{"openapi_fixtures3.json": true}
	for _, c := range recorded {
		named[c.file] = true
		t.Run(c.file+" "+c.bare, func(t *testing.T) {
			payload, err := os.ReadFile(filepath.Join(root, "stripe", c.file))
			if err != nil {
				t.Fatal(err)
			}
			if c.bare != "" {
				if _, err := read(payload); !errors.Is(err, pay.ErrMalformed) {
					t.Errorf("without an envelope: %v", err)
				}
				payload = []byte(fmt.Sprintf(`{"object":"event","id":"evt_1","type":%q,"created":1700000000,"data":%s}`,
					c.bare, payload))
			}
			got, err := read(payload)
			if err != nil {
				t.Fatal(err)
			}
			want := c.want
			if c.bare != "" {
				want.Type = c.bare
			}
			want.ID, want.Created, want.Live = got.ID, got.Created, got.Live
			if diff := cmp.Diff(want, got); diff != "" || !strings.HasPrefix(got.ID, "evt_") || got.Created.IsZero() {
				t.Error(got.ID, got.Created, diff)
			}
		})
	}
	t.Run("openapi_fixtures3.json", func(t *testing.T) {
		body, err := os.ReadFile(filepath.Join(root, "stripe", "openapi_fixtures3.json"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := read(body); !errors.Is(err, pay.ErrMalformed) {
			t.Errorf("the whole file: %v", err)
		}
		var fixtures struct{ Resources map[string]json.RawMessage }
		if err := json.Unmarshal(body, &fixtures); err != nil {
			t.Fatal(err)
		}
		for name, fixture := range fixtures.Resources {
			event, err := read(fixture)
			if (err == nil) != (name == "event") || err != nil && !errors.Is(err, pay.ErrMalformed) {
				t.Errorf("%s: %+v, %v", name, event, err)
			}
		}
	})
	files, err := filepath.Glob(filepath.Join(root, "stripe", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if !named[filepath.Base(path)] {
			t.Errorf("%s is not in the table", filepath.Base(path))
		}
	}
}
