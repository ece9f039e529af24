package stripepay_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/pay/stripepay"
	"verdetto/shared/runtime/faulttest"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

var order = pay.StartRequest{
	Email: "anna@example.com", IdempotencyKey: "key-1",
	SuccessURL: "https://verdetto.example/api/v1/pro/conferma?session_id={CHECKOUT_SESSION_ID}",
	CancelURL:  "https://verdetto.example/",
}

type inside struct{ stripe http.Handler }

func (n inside) RoundTrip(r *http.Request) (response *http.Response, err error) {
	defer func() {
		if p := recover(); p != nil {
			if p != http.ErrAbortHandler {
				panic(p)
			}
			response, err = nil, io.ErrUnexpectedEOF
		}
	}()
	recorder := httptest.NewRecorder()
	n.stripe.ServeHTTP(recorder, r)
	return recorder.Result(), r.Context().Err()
}

func open(t *testing.T, network http.RoundTripper, change ...func(*stripepay.Config)) *stripepay.Checkout {
	t.Helper()
	config := stripepay.Config{
		Key: playmoney.TestKey, Price: playmoney.TestPrice, WebhookSecrets: []string{playmoney.TestSecret},
		URL: "https://stripe.invalid", Client: &http.Client{Transport: network},
	}
	for _, c := range change {
		c(&config)
	}
	checkout, err := stripepay.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return checkout
}

func world(t *testing.T, now *time.Time) (*playmoney.Stripe, *stripepay.Checkout) {
	t.Helper()
	fake := playmoney.NewStripe(func() time.Time { return *now })
	return fake, open(t, inside{fake})
}

func start(t *testing.T, checkout pay.Checkout, request pay.StartRequest) string {
	t.Helper()
	url, err := checkout.Start(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	return path.Base(url)
}

type life struct {
	*playmoney.Stripe
	session, held string
	now           time.Time
}

func (l *life) pay() string {
	l.held = l.Pay(l.session)
	return l.held
}

func (l *life) end(at time.Time) {
	l.now = at
	l.End(l.held)
}

func TestLife(t *testing.T) {
	firstEnd := noon.AddDate(0, 1, 0)
	secondEnd := firstEnd.AddDate(0, 1, 0)
	later := noon.AddDate(0, 0, 10)
	complete := func(paid bool, until time.Time) pay.Session {
		return pay.Session{Status: pay.Complete, Paid: paid, PaidUntil: until}
	}
	for _, c := range []struct {
		name    string
		happen  func(l *life)
		session pay.Session // without the ids
		held    pay.Subscription
	}{
		{"open", func(*life) {}, pay.Session{Status: pay.Open}, pay.Subscription{}},
		{"expired", func(l *life) { l.Expire(l.session) }, pay.Session{Status: pay.Expired}, pay.Subscription{}},
		{"expired by itself", func(l *life) { l.now = later }, pay.Session{Status: pay.Expired}, pay.Subscription{}},
		{"paid", func(l *life) { l.pay() },
			complete(true, firstEnd), pay.Subscription{PaidUntil: firstEnd}},
		{"the money is on its way", func(l *life) { l.PayLater(l.session) },
			complete(false, noon), pay.Subscription{PaidUntil: noon}},
		{"the money came", func(l *life) { l.PayLater(l.session); l.Settle(l.session) },
			complete(true, firstEnd), pay.Subscription{PaidUntil: firstEnd}},
		{"renewed", func(l *life) { l.Renew(l.pay()) },
			complete(true, secondEnd), pay.Subscription{PaidUntil: secondEnd}},
		{"due, not charged yet", func(l *life) { l.FallDue(l.pay()) },
			complete(true, firstEnd), pay.Subscription{PaidUntil: firstEnd}},
		{"renewal failed", func(l *life) { l.FailRenewal(l.pay()) },
			complete(true, firstEnd), pay.Subscription{PaidUntil: firstEnd}},
		{"renewal failed, then paid", func(l *life) { l.FailRenewal(l.pay()); l.Renew(l.held) },
			complete(true, secondEnd), pay.Subscription{PaidUntil: secondEnd}},
		{"renewal failed for good", func(l *life) { l.FailRenewal(l.pay()); l.end(firstEnd.AddDate(0, 0, 14)) },
			complete(true, firstEnd), pay.Subscription{Ended: true, PaidUntil: firstEnd,
				EndedAt: firstEnd.AddDate(0, 0, 14)}},
		{"cancelled at the end of the period", func(l *life) { l.CancelAtPeriodEnd(l.pay()) },
			complete(true, firstEnd), pay.Subscription{PaidUntil: firstEnd}},
		{"ended at once", func(l *life) { l.pay(); l.end(later) },
			complete(true, later), pay.Subscription{Ended: true, PaidUntil: later, EndedAt: later}},
	} {
		for _, shape := range []struct {
			name  string
			basil bool
		}{{"old shapes", false}, {"new shapes", true}} {
			t.Run(c.name+", "+shape.name, func(t *testing.T) {
				l := &life{now: noon}
				fake, checkout := world(t, &l.now)
				l.Stripe, fake.Basil = fake, shape.basil
				l.session = start(t, checkout, order)
				c.happen(l)
				got, err := checkout.Session(t.Context(), l.session)
				if err != nil {
					t.Fatal(err)
				}
				want := c.session
				want.ID, want.Email = l.session, "anna@example.com"
				want.Subscription, want.Ours = got.Subscription, got.Subscription != ""
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
				if c.held == (pay.Subscription{}) {
					if got.Subscription != "" {
						t.Errorf("there should be no subscription yet: %+v", got)
					}
					return
				}
				held, err := checkout.Subscription(t.Context(), got.Subscription)
				if err != nil {
					t.Fatal(err)
				}
				wantHeld := c.held
				wantHeld.Customer, wantHeld.Email, wantHeld.Ours = held.Customer, "anna@example.com", true
				if diff := cmp.Diff(wantHeld, held); diff != "" || held.Customer == "" {
					t.Error(diff)
				}
			})
		}
	}
}

func TestDeletedCustomer(t *testing.T) {
	now := noon
	fake, checkout := world(t, &now)
	held := fake.Pay(start(t, checkout, order))
	fake.DeleteCustomer(held)
	got, err := checkout.Subscription(t.Context(), held)
	if err != nil || got.Email != "" || got.Customer == "" || !got.Ended {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestUnknownIDs(t *testing.T) {
	now := noon
	fake, checkout := world(t, &now)
	for _, c := range []struct {
		name, id string
		asked    int
	}{
		{"unknown", "_test_0123", 1},
		{"empty", "", 0},
		{"only a prefix", "_", 0},
		{"another place", "_/../../customers", 0},
		{"a query", "_1?expand[]=customer", 0},
		{"too long", "_" + strings.Repeat("a", 300), 0},
		{"not ASCII", "_é", 0},
		{"a line", "_a\n", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := fake.Calls()
			prefix := func(p string) string {
				if c.id == "" {
					return ""
				}
				return p + c.id
			}
			if _, err := checkout.Session(t.Context(), prefix("cs")); !errors.Is(err, pay.ErrNoSuchSession) {
				t.Errorf("session: %v", err)
			}
			if _, err := checkout.Subscription(t.Context(), prefix("sub")); !errors.Is(err, pay.ErrNoSuchSubscription) {
				t.Errorf("subscription: %v", err)
			}
			if got := fake.Calls() - before; got != 2*c.asked {
				t.Errorf("asked %d times, want %d", got, 2*c.asked)
			}
		})
	}
}

func TestIdempotency(t *testing.T) {
	now := noon
	fake, checkout := world(t, &now)
	first := start(t, checkout, order)
	if again := start(t, checkout, order); again != first {
		t.Errorf("the same key gives %s, then %s", first, again)
	}
	other := order
	other.Email = "bob@example.com"
	if _, err := checkout.Start(t.Context(), other); !errors.Is(err, pay.ErrKeyReused) {
		t.Errorf("the key for another address: %v", err)
	}
	other.IdempotencyKey = "key-2"
	if start(t, checkout, other) == first {
		t.Error("another key gives the same page")
	}
	keyless := order
	keyless.IdempotencyKey = ""
	once := start(t, checkout, keyless)
	if twice := start(t, checkout, keyless); once == twice {
		t.Error("without a key the page is the same")
	}
	now = now.Add(25 * time.Hour)
	if start(t, checkout, order) == first {
		t.Error("a day later the page is the same")
	}
	if got := len(fake.Sessions()); got != 5 {
		t.Errorf("%d sessions were made, want 5", got)
	}
}

// The Stripe library pauses between attempts, so this test runs on virtual time.
func TestFaults(t *testing.T) {
	tooMany := faulttest.Fault{Status: 429,
		Body: `{"error":{"type":"invalid_request_error","code":"rate_limit","message":"slow down, anna@example.com"}}`}
	inUse := faulttest.Fault{Status: 409,
		Body: `{"error":{"type":"idempotency_error","code":"idempotency_key_in_use","message":"in use"}}`}
	for _, c := range []struct {
		name   string
		faults []faulttest.Fault
		change func(*stripepay.Config, *pay.StartRequest)
		want   error
		made   int
	}{
		{"down", []faulttest.Fault{faulttest.Cut(), faulttest.Cut(), faulttest.Cut()}, nil, pay.ErrUnavailable, 0},
		{"cut once", []faulttest.Fault{faulttest.Cut()}, nil, nil, 1},
		{"cut once it was done", []faulttest.Fault{faulttest.CutAfter()}, nil, nil, 1},
		{"cut each time it was done", []faulttest.Fault{faulttest.CutAfter(), faulttest.CutAfter(), faulttest.CutAfter()}, nil,
			pay.ErrUnavailable, 1},
		{"a proxy's 502 once", []faulttest.Fault{faulttest.Broken(502)}, nil, nil, 1},
		{"a proxy's 503 for long", []faulttest.Fault{faulttest.Broken(503), faulttest.Broken(503), faulttest.Broken(503)}, nil,
			pay.ErrUnavailable, 0},
		{"500 of the API", []faulttest.Fault{{Status: 500, Body: `{"error":{"type":"api_error","message":"oops"}}`}}, nil,
			pay.ErrUnavailable, 0},
		{"429", []faulttest.Fault{tooMany}, nil, pay.ErrUnavailable, 0},
		{"the same call runs elsewhere", []faulttest.Fault{inUse, inUse, inUse}, nil, pay.ErrUnavailable, 0},
		{"not JSON", []faulttest.Fault{faulttest.Garbled("<html>")}, nil, pay.ErrUnavailable, 0},
		{"another object", []faulttest.Fault{faulttest.Garbled(`{"id":"cus_1","object":"customer"}`)}, nil,
			pay.ErrUnavailable, 0},
		{"no page in the answer", []faulttest.Fault{faulttest.Garbled(`{"id":"cs_1","object":"checkout.session"}`)}, nil,
			pay.ErrUnavailable, 0},
		{"moved", []faulttest.Fault{{Status: 302, Header: http.Header{"Location": {"https://elsewhere.invalid"}}}}, nil,
			pay.ErrUnavailable, 0},
		{"slow once", make([]faulttest.Fault, 1), nil, nil, 1}, // a zero Fault stands for faulttest.Slow
		{"slow for long", make([]faulttest.Fault, 3), nil, pay.ErrUnavailable, 0},
		{"wrong key", nil, func(c *stripepay.Config, _ *pay.StartRequest) { c.Key = "sk_live_wrong" }, pay.ErrRefused,
			0},
		{"wrong price", nil, func(c *stripepay.Config, _ *pay.StartRequest) { c.Price = "price_other" }, pay.ErrRefused,
			0},
		{"wrong page to come back to", nil, func(_ *stripepay.Config, r *pay.StartRequest) { r.SuccessURL = "nowhere" },
			pay.ErrRefused, 0},
		{"not an address", nil, func(_ *stripepay.Config, r *pay.StartRequest) { r.Email = "anna" }, pay.ErrBadEmail,
			0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := playmoney.NewStripe(func() time.Time { return noon })
				request := order
				checkout := open(t, inside{fake}, func(config *stripepay.Config) {
					config.Client.Timeout = 3 * time.Second
					if c.change != nil {
						c.change(config, &request)
					}
				})
				faults := faulttest.Break(fake)
				for _, fault := range c.faults {
					if fault.Status == 0 && !fault.Cut {
						// synctest requires channels to be created in the bubble that waits on them.
						fault = faulttest.Slow(make(chan struct{}))
					}
					faults.Fail(fault)
				}
				begun := time.Now()
				page, err := checkout.Start(t.Context(), request)
				if took := time.Since(begun); took > pay.Timeout {
					t.Errorf("it took %v", took)
				}
				if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
					t.Errorf("%+v, error %v, want %v", page, err, c.want)
				}
				if got := len(fake.Sessions()); got != c.made {
					t.Errorf("%d sessions were made, want %d", got, c.made)
				}
				if err != nil && !strings.HasPrefix(err.Error(), "ask Stripe to start a checkout: ") {
					t.Errorf("the error does not name Stripe: %v", err)
				}
				for _, secret := range []string{"sk_", "anna", "whsec"} {
					if err != nil && strings.Contains(err.Error(), secret) {
						t.Errorf("the error tells %q: %v", secret, err)
					}
				}
			})
		})
	}
}

func TestCallerGoesAway(t *testing.T) {
	now := noon
	_, checkout := world(t, &now)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := checkout.Start(ctx, order); !errors.Is(err, context.Canceled) || errors.Is(err, pay.ErrUnavailable) {
		t.Errorf("error %v", err)
	}
}

type spy struct {
	next    http.RoundTripper
	headers []http.Header
}

func (s *spy) RoundTrip(r *http.Request) (*http.Response, error) {
	s.headers = append(s.headers, r.Header.Clone())
	return s.next.RoundTrip(r)
}

func TestDiscretion(t *testing.T) {
	var logged strings.Builder
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	stderr, stdout := os.Stderr, os.Stdout
	defer func() { os.Stderr, os.Stdout = stderr, stdout }()
	file, err := os.CreateTemp(t.TempDir(), "output")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	os.Stderr, os.Stdout = file, file

	fake := playmoney.NewStripe(func() time.Time { return noon })
	watcher := &spy{next: inside{fake}}
	checkout := open(t, watcher)
	id := start(t, checkout, order)
	faulttest.Break(fake).Fail(faulttest.Fault{Status: 400,
		Body: `{"error":{"type":"invalid_request_error","message":"anna@example.com"}}`})
	if _, err := checkout.Session(t.Context(), id); !errors.Is(err, pay.ErrRefused) {
		t.Error(err)
	}
	if _, err := checkout.Session(t.Context(), id); err != nil {
		t.Error(err)
	}
	os.Stderr, os.Stdout = stderr, stdout
	written, err := os.ReadFile(file.Name())
	if err != nil || len(written) > 0 || logged.Len() > 0 {
		t.Errorf("written: %q, logged: %q, %v", written, logged.String(), err)
	}
	if len(watcher.headers) != 3 {
		t.Fatalf("%d requests", len(watcher.headers))
	}
	for _, header := range watcher.headers {
		for _, name := range []string{"X-Stripe-Client-User-Agent", "X-Stripe-Client-Telemetry"} {
			if got := header.Get(name); got != "" {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}

func TestNew(t *testing.T) {
	good := stripepay.Config{Key: "sk_test_secret", Price: "price_1", WebhookSecrets: []string{"whsec_secret"}}
	for _, c := range []struct {
		name   string
		change func(*stripepay.Config)
		fault  string
	}{
		{"good", func(*stripepay.Config) {}, ""},
		{"on this machine", func(c *stripepay.Config) { c.URL = "http://127.0.0.1:12111" }, ""},
		{"no key", func(c *stripepay.Config) { c.Key = "" }, "key"},
		{"no price", func(c *stripepay.Config) { c.Price = "" }, "price"},
		{"an empty former price", func(c *stripepay.Config) { c.FormerPrices = []string{""} }, "former price"},
		{"a former price after a comma and a space",
			func(c *stripepay.Config) { c.FormerPrices = []string{"price_1", " price_2"} }, "former price"},
		{"no webhook secret", func(c *stripepay.Config) { c.WebhookSecrets = nil }, "webhook secret"},
		{"an empty webhook secret", func(c *stripepay.Config) { c.WebhookSecrets = []string{"whsec_secret", ""} },
			"webhook secret 2"},
		{"in the clear", func(c *stripepay.Config) { c.URL = "http://stripe.example" }, "https"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := good
			c.change(&config)
			_, err := stripepay.New(config)
			if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
				t.Errorf("error %v, want one about %q", err, c.fault)
			}
		})
	}
}
