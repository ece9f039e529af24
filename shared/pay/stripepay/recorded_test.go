package stripepay_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/architecture/testenv"
	"verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
)

// Files named payrails_ hold only the data of an event.
var recorded = []struct {
	file string
	bare string    // event type of a file that holds only the data
	want pay.Event // without ID, and without Type if bare is set
}{
	{"payrails_checkout.session.completed.json", "checkout.session.completed", pay.Event{Subscription: "sub_1LNkeSKXBGcbgpbZ7jMqOPSi", Email: "customer@example.org"}},
	{"payrails_customer.deleted.json", "customer.deleted", pay.Event{}},
	{"payrails_invoice.payment_action_required.json", "invoice.payment_action_required", pay.Event{}},
	// This invoice has the form of API version 2025-03-31.
	{"payrails_invoice.payment_failed.json", "invoice.payment_failed", pay.Event{Subscription: "sub_1234", Email: "customer@example.org"}},
	// This invoice names the subscription twice, as the old and the new API versions do.
	{"payrails_invoice.payment_action_required.json", "invoice.payment_failed", pay.Event{Subscription: "sub_1234", Email: "customer@example.org"}},
	{"payrails_invoice.upcoming.json", "invoice.upcoming", pay.Event{}},
	{"payrails_subscription.created.json", "customer.subscription.created", pay.Event{Subscription: "sub_00000000000000"}},
	{"payrails_subscription.updated.json", "customer.subscription.updated", pay.Event{Subscription: "sub_00000000000000"}},
	{"payrails_subscription.deleted.json", "customer.subscription.deleted", pay.Event{Subscription: "sub_00000000000000"}},

	{"rubymock_checkout.session.completed.json", "", pay.Event{Type: "checkout.session.completed"}},
	{"rubymock_checkout.session.completed.payment_mode.json", "", pay.Event{Type: "checkout.session.completed"}},
	{"rubymock_checkout.session.completed.setup_mode.json", "", pay.Event{Type: "checkout.session.completed"}},
	{"rubymock_invoice.paid.json", "", pay.Event{Type: "invoice.paid"}},
	{"rubymock_invoice.payment_failed.json", "", pay.Event{Type: "invoice.payment_failed"}},
	{"rubymock_invoice.payment_succeeded.json", "", pay.Event{Type: "invoice.payment_succeeded"}},
	{"rubymock_customer.deleted.json", "", pay.Event{Type: "customer.deleted"}},
	{"rubymock_customer.subscription.created.json", "", pay.Event{Type: "customer.subscription.created",
		Subscription: "sub_000000000000000000000000"}},
	{"rubymock_customer.subscription.updated.json", "", pay.Event{Type: "customer.subscription.updated",
		Subscription: "sub_000000000000000000000000"}},
	{"rubymock_customer.subscription.deleted.json", "", pay.Event{Type: "customer.subscription.deleted",
		Subscription: "sub_000000000000000000000000"}},
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
			want.ID = got.ID
			if diff := cmp.Diff(want, got); diff != "" || !strings.HasPrefix(got.ID, "evt_") {
				t.Error(got.ID, diff)
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
