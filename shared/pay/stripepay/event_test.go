package stripepay_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/pay/stripepay"
)

func TestEvents(t *testing.T) {
	const mail = "anna@example.com"
	for _, basil := range []bool{false, true} {
		t.Run(fmt.Sprintf("new shapes %v", basil), func(t *testing.T) {
			now := noon
			fake, checkout := world(t, &now)
			fake.Basil = basil
			held := fake.Pay(start(t, checkout, order))
			fake.FailRenewal(held)
			fake.Renew(held)
			fake.End(held)
			other := order
			other.IdempotencyKey = "key-2"
			fake.Expire(start(t, checkout, other))
			want := []pay.Event{
				{Type: "checkout.session.completed", Subscription: held, Email: mail},
				{Type: "customer.subscription.created", Subscription: held},
				{Type: "invoice.paid", Subscription: held, Email: mail},
				{Type: "invoice.payment_succeeded", Subscription: held, Email: mail},
				{Type: "customer.subscription.updated", Subscription: held},
				{Type: "invoice.payment_failed", Subscription: held, Email: mail},
				{Type: "customer.subscription.updated", Subscription: held},
				{Type: "invoice.paid", Subscription: held, Email: mail},
				{Type: "invoice.payment_succeeded", Subscription: held, Email: mail},
				{Type: "customer.subscription.deleted", Subscription: held},
				{Type: "checkout.session.expired"},
			}
			var got []pay.Event
			for i, event := range fake.Events() {
				read, err := checkout.Event(event.Payload, playmoney.Sign(event.Payload, now, playmoney.TestSecret),
					now)
				if err != nil {
					t.Fatalf("%s: %v", event.Type, err)
				}
				got = append(got, read)
				if i < len(want) {
					want[i].ID = event.ID
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSignature(t *testing.T) {
	payload := []byte(`{"object":"event","id":"evt_1","type":"customer.created","created":1,"data":{"object":{}}}`)
	checkout := open(t, nil, func(c *stripepay.Config) { c.WebhookSecrets = []string{"whsec_new", "whsec_old"} })
	sign := func(age time.Duration, secrets ...string) string {
		return playmoney.Sign(payload, noon.Add(-age), secrets...)
	}
	good := sign(0, "whsec_new")
	mac := good[strings.Index(good, "v1="):]
	for _, c := range []struct {
		name, payload, header string
		want                  error
	}{
		{"good", "", good, nil},
		{"by the former secret", "", sign(0, "whsec_old"), nil},
		{"by both", "", sign(0, "whsec_other", "whsec_old"), nil},
		{"by a secret of somebody", "", sign(0, "whsec_other"), pay.ErrBadSignature},
		{"five minutes old", "", sign(5*time.Minute, "whsec_new"), nil},
		{"older", "", sign(5*time.Minute+time.Second, "whsec_new"), pay.ErrStale},
		{"from the future", "", sign(-5*time.Minute-time.Second, "whsec_new"), pay.ErrStale},
		{"old and wrong", "", sign(time.Hour, "whsec_other"), pay.ErrBadSignature},
		{"with a field to come", "", "v2=abc," + good + ",v0=00", nil},
		{"with spaces", "", strings.ReplaceAll(good, ",", ", "), nil},
		{"another payload", strings.Replace(string(payload), "evt_1", "evt_2", 1), good, pay.ErrBadSignature},
		{"a space more in the payload", string(payload) + " ", good, pay.ErrBadSignature},
		{"nothing", "", "", pay.ErrBadSignature},
		{"no signature", "", fmt.Sprintf("t=%d", noon.Unix()), pay.ErrBadSignature},
		{"an empty signature", "", fmt.Sprintf("t=%d,v1=", noon.Unix()), pay.ErrBadSignature},
		{"no time", "", mac, pay.ErrBadSignature},
		{"another time", "", fmt.Sprintf("t=%d,", noon.Unix()+1) + mac, pay.ErrBadSignature},
		{"two times", "", fmt.Sprintf("t=%d,", noon.Unix()+1) + good, pay.ErrBadSignature},
		{"a time that is none", "", "t=now," + mac, pay.ErrBadSignature},
		{"of the retired scheme", "", strings.Replace(good, "v1=", "v0=", 1), pay.ErrBadSignature},
		{"half an event", "", good[:len(good)-2], pay.ErrBadSignature},
		{"not hex", "", fmt.Sprintf("t=%d,v1=zz", noon.Unix()), pay.ErrBadSignature},
		{"lost among many", "", strings.Repeat("v1=00,", 50) + good, pay.ErrBadSignature},
	} {
		t.Run(c.name, func(t *testing.T) {
			sent := payload
			if c.payload != "" {
				sent = []byte(c.payload)
			}
			event, err := checkout.Event(sent, c.header, noon)
			if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("%+v, error %v, want %v", event, err, c.want)
			}
			if err != nil && event != (pay.Event{}) {
				t.Errorf("an event comes with the error: %+v", event)
			}
		})
	}
}

func envelope(kind, object string) string {
	return fmt.Sprintf(
		`{"object":"event","id":"evt_1","type":%q,"created":1700000000,"livemode":true,"api_version":"2099-01-01.future","data":{"object":%s}}`, kind, object)
}

func TestPayloads(t *testing.T) {
	checkout := open(t, nil)
	for _, c := range []struct {
		name, payload string
		want          pay.Event
		err           error
	}{
		{"a kind that does not matter", envelope("customer.created", `{"object":"customer"}`),
			pay.Event{Type: "customer.created"}, nil},
		{"a checkout of a single payment", envelope("checkout.session.completed",
			`{"object":"checkout.session","id":"cs_1","mode":"payment"}`),
			pay.Event{Type: "checkout.session.completed"}, nil},
		{"an invoice of no subscription", envelope("invoice.paid",
			`{"object":"invoice","id":"in_1","subscription":null}`),
			pay.Event{Type: "invoice.paid"}, nil},
		{"objects in the place of ids", envelope("invoice.paid",
			`{"object":"invoice","subscription":{"id":"sub_1"},"customer":{"id":"cus_1"}}`),
			pay.Event{Type: "invoice.paid", Subscription: "sub_1"}, nil},
		{"an update that says it has ended", envelope("customer.subscription.updated",
			`{"object":"subscription","id":"sub_1","status":"canceled"}`),
			pay.Event{Type: "customer.subscription.updated", Subscription: "sub_1"}, nil},

		{"empty", "", pay.Event{}, pay.ErrMalformed},
		{"not JSON", "hello", pay.Event{}, pay.ErrMalformed},
		{"null", "null", pay.Event{}, pay.ErrMalformed},
		{"a list", "[]", pay.Event{}, pay.ErrMalformed},
		{"a bare object", `{"object":{"id":"sub_1","object":"subscription"}}`, pay.Event{}, pay.ErrMalformed},
		{"no object", `{"object":"event","id":"evt_1","type":"invoice.paid","created":1,"data":{}}`, pay.Event{},
			pay.ErrMalformed},
		{"an object that is none", envelope("invoice.paid", `"in_1"`), pay.Event{}, pay.ErrMalformed},
		{"another object", envelope("invoice.paid", `{"object":"charge","subscription":"sub_1"}`), pay.Event{},
			pay.ErrMalformed},
		{"a checkout without its subscription",
			envelope("checkout.session.completed", `{"object":"checkout.session","id":"cs_1","mode":"subscription"}`),
			pay.Event{}, pay.ErrMalformed},
		{"a subscription without its id", envelope("customer.subscription.deleted",
			`{"object":"subscription","status":"canceled"}`), pay.Event{}, pay.ErrMalformed},
		{"two in one", envelope("customer.created", `{}`) + envelope("customer.created", `{}`), pay.Event{},
			pay.ErrMalformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := checkout.Event([]byte(c.payload), playmoney.Sign([]byte(c.payload), noon, playmoney.TestSecret),
				noon)
			if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			want := c.want
			if err == nil {
				want.ID = "evt_1"
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzEvent(f *testing.F) {
	f.Add([]byte(
		envelope("invoice.paid",
			`{"object":"invoice","subscription":{"id":"sub_1"},"lines":{"data":[{"type":"subscription","period":{"end":5}}]}}`)), "t=1,v1=00")
	f.Add([]byte(envelope("customer.subscription.updated",
		`{"object":"subscription","id":"sub_1","items":{"data":[{"current_period_end":7}]}}`)), "t=,v1=,")
	f.Add([]byte(envelope("checkout.session.completed",
		`{"object":"checkout.session","id":"cs_1","mode":"subscription","subscription":"sub_1"}`)), "")
	checkout, err := stripepay.New(stripepay.Config{Key: "k", Price: "p",
		WebhookSecrets: []string{playmoney.TestSecret}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, payload []byte, header string) {
		if _, err := checkout.Event(payload, header, noon); err == nil {
			t.Errorf("a signature was guessed: %q", header)
		}
		event, err := checkout.Event(payload, playmoney.Sign(payload, noon, playmoney.TestSecret), noon)
		switch {
		case err != nil:
			if !errors.Is(err, pay.ErrMalformed) {
				t.Errorf("an error of no kind: %v", err)
			}
		case event.ID == "" || event.Type == "":
			t.Errorf("incomplete: %+v", event)
		}
	})
}
