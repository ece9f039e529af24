package playmoney_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/pay/playmoney"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

type fixture struct {
	stripe  *playmoney.Stripe
	address string
	now     time.Time

	mu       sync.Mutex
	received []string
	answer   int
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	d := &fixture{now: noon, answer: http.StatusOK}
	d.stripe = playmoney.NewStripe(func() time.Time { return d.now })
	server := httptest.NewServer(d.stripe)
	t.Cleanup(server.Close)
	d.address = server.URL
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		payload, _ := io.ReadAll(r.Body)
		d.mu.Lock()
		defer d.mu.Unlock()
		if r.Header.Get("Stripe-Signature") != playmoney.Sign(payload, noon, playmoney.TestSecret) {
			d.received = append(d.received, "badly signed")
		} else {
			d.received = append(d.received, regexp.MustCompile(`"type":"([a-z_.]+\.[a-z_]+)"`).FindStringSubmatch(
				string(payload))[1])
		}
		w.WriteHeader(d.answer)
	}))
	t.Cleanup(hook.Close)
	d.stripe.Webhook = hook.URL
	return d
}

func (d *fixture) request(t *testing.T, method, path, key string, form url.Values) (int, http.Header, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, d.address+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(body)
}

func (d *fixture) begin(t *testing.T) (path, id string) {
	t.Helper()
	status, _, body := d.request(t, http.MethodPost, "/v1/checkout/sessions", playmoney.TestKey, url.Values{
		"mode": {"subscription"}, "line_items[0][price]": {playmoney.TestPrice}, "line_items[0][quantity]": {"1"},
		"customer_email": {"a&b@example.com"},
		"success_url":    {"http://shop.example/done?id={CHECKOUT_SESSION_ID}"},
		"cancel_url":     {"http://shop.example/back"},
	})
	found := regexp.MustCompile(`"url":"http://[^/]+(/c/pay/(cs_test_[0-9a-f]+))"`).FindStringSubmatch(body)
	if status != http.StatusOK || found == nil {
		t.Fatalf("status %d: %s", status, body)
	}
	return found[1], found[2]
}

func TestCheckoutPage(t *testing.T) {
	d := newFixture(t)
	path, id := d.begin(t)
	_, header, page := d.request(t, http.MethodGet, path, "", nil)
	if !strings.Contains(page, "12.99 USD") || !strings.Contains(page, "a&amp;b@example.com") ||
		!strings.Contains(page, `value="pay"`) {
		t.Errorf("page: %s", page)
	}
	policy := header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") ||
		!strings.Contains(policy, "form-action 'self' http://shop.example") {
		t.Errorf("policy: %s", policy)
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "style=") {
		t.Errorf("the page needs what its policy forbids: %s", page)
	}
	press := func(what, want string) {
		t.Helper()
		status, header, _ := d.request(t, http.MethodPost, path, "", url.Values{"do": {what}})
		if status != http.StatusSeeOther || header.Get("Location") != want {
			t.Errorf("%s leads to %d %q, want %q", what, status, header.Get("Location"), want)
		}
	}
	press("cancel", "http://shop.example/back")
	press("pay", "http://shop.example/done?id="+id)
	press("pay", "http://shop.example/done?id="+id)
	want := []string{"checkout.session.completed", "customer.subscription.created", "invoice.paid",
		"invoice.payment_succeeded"}
	if diff := cmp.Diff(want, d.received); diff != "" {
		t.Error(diff)
	}
	if _, _, page := d.request(t, http.MethodGet, path, "", nil); strings.Contains(page, `value="pay"`) ||
		!strings.Contains(page, "is complete") {
		t.Errorf("page afterwards: %s", page)
	}
	if status, _, _ := d.request(t, http.MethodGet, "/c/pay/cs_test_other", "", nil); status != http.StatusNotFound {
		t.Errorf("an unknown page: %d", status)
	}
}

func TestExpiredPage(t *testing.T) {
	d := newFixture(t)
	path, _ := d.begin(t)
	d.now = noon.Add(25 * time.Hour)
	if _, _, page := d.request(t, http.MethodGet, path, "", nil); !strings.Contains(page, "is expired") {
		t.Errorf("page: %s", page)
	}
	if status, header, _ := d.request(t, http.MethodPost, path, "",
		url.Values{"do": {"pay"}}); status != http.StatusSeeOther || header.Get("Location") != path {
		t.Errorf("paying leads to %d %q", status, header.Get("Location"))
	}
	if len(d.stripe.Events()) != 0 {
		t.Error("something was sold")
	}
}

func TestIndexPage(t *testing.T) {
	d := newFixture(t)
	_, id := d.begin(t)
	held := d.stripe.Pay(id)
	for _, c := range []struct {
		do     string
		status int
		last   string
	}{
		{"fail", http.StatusSeeOther, "invoice.payment_failed"},
		{"renew", http.StatusSeeOther, "invoice.payment_succeeded"},
		{"cancel", http.StatusSeeOther, "customer.subscription.updated"},
		{"end", http.StatusSeeOther, "customer.subscription.deleted"},
		{"dance", http.StatusBadRequest, "customer.subscription.deleted"},
	} {
		status, _, _ := d.request(t, http.MethodPost, "/", "", url.Values{"subscription": {held}, "do": {c.do}})
		if got := d.received[len(d.received)-1]; status != c.status || got != c.last {
			t.Errorf("%s: %d, the last event is %s", c.do, status, got)
		}
	}
	if _, _, page := d.request(t, http.MethodGet, "/", "", nil); !strings.Contains(page, held) ||
		!strings.Contains(page, "canceled") {
		t.Errorf("page: %s", page)
	}
	d.answer = http.StatusInternalServerError
	if status, _, body := d.request(t, http.MethodPost, "/", "",
		url.Values{"subscription": {held}, "do": {"renew"}}); status != http.StatusBadGateway {
		t.Errorf("a webhook that fails is passed over: %d %s", status, body)
	}
}

func TestAPIRefuses(t *testing.T) {
	d := newFixture(t)
	for _, c := range []struct {
		name, method, path, key string
		form                    url.Values
		status                  int
		says                    string
	}{
		{"no key", http.MethodGet, "/v1/subscriptions/sub_1", "", nil, 401, "Invalid API Key"},
		{"unknown subscription", http.MethodGet, "/v1/subscriptions/sub_1", playmoney.TestKey, nil, 404,
			"resource_missing"},
		{"unknown session", http.MethodGet, "/v1/checkout/sessions/cs_1", playmoney.TestKey, nil, 404,
			"resource_missing"},
		{"unknown path", http.MethodGet, "/v1/lottery", playmoney.TestKey, nil, 404, "Unrecognized"},
		{"unknown parameter", http.MethodPost, "/v1/checkout/sessions", playmoney.TestKey, url.Values{"luck": {"1"}},
			400, "parameter_unknown"},
		{"single payment", http.MethodPost, "/v1/checkout/sessions", playmoney.TestKey, url.Values{"mode": {"payment"}},
			400, "mode"},
	} {
		status, _, body := d.request(t, c.method, c.path, c.key, c.form)
		if status != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%s: %d %s", c.name, status, body)
		}
	}
}
