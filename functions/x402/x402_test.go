package x402_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
	"verdetto/functions/x402"
	"verdetto/shared/fare"
	"verdetto/shared/pay"
	"verdetto/shared/pay/x402pay"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/web/routes"
)

const (
	verdict  = "/x402/v1/analisi?origine=Milano&destinazione=Bucarest"
	another  = verdict + "&prezzo=45"
	calendar = "/x402/v1/calendario?origine=Milano&destinazione=Bucarest"
	deals    = "/x402/v1/occasioni?origine=Milano"
)

var price = routes.Named("x402-analisi").Price

// want checks the status of an answer and, unless problem is empty, the error code.
func want(t *testing.T, w *httptest.ResponseRecorder, status int, problem string, what ...any) {
	t.Helper()
	if w.Code != status || problem != "" && code(w) != problem {
		t.Errorf("%s: %d %s, want %d %s", fmt.Sprint(what...), w.Code, w.Body, status, problem)
	}
}

// must is like want, but ends the test.
func must(t *testing.T, w *httptest.ResponseRecorder, status int, problem string, what ...any) {
	t.Helper()
	if w.Code != status || problem != "" && code(w) != problem {
		t.Fatalf("%s: %d %s, want %d %s", fmt.Sprint(what...), w.Code, w.Body, status, problem)
	}
}

func failing(err error, steps ...string) func(string) error {
	return func(step string) error {
		if slices.Contains(steps, step) {
			return err
		}
		return nil
	}
}

func today() *storetest.Clock {
	clock := storetest.NewClock()
	clock.Add(fixture.Today.Sub(clock.Now()))
	return clock
}

func open(t *testing.T) (*fixture.PerCall, *storetest.Clock, *storetest.Faulty) {
	t.Helper()
	clock := today()
	table := fixture.Bolt(t, clock.Now)
	fixture.Refreshed(t, table, fixture.Falling(fare.DayOf(clock.Now())), clock.Now)
	faulty := storetest.NewFaulty(table)
	return fixture.OpenPerCall(t, faulty, clock), clock, faulty
}

func header[T any](t *testing.T, w *httptest.ResponseRecorder, name string) (value T) {
	t.Helper()
	text, err := base64.StdEncoding.DecodeString(w.Header().Get(name))
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	if err != nil {
		t.Fatalf("%s of %d %s: %v", name, w.Code, w.Body, err)
	}
	return value
}

func code(w *httptest.ResponseRecorder) string {
	var p struct{ Code string }
	_ = json.Unmarshal(w.Body.Bytes(), &p) // an answer has no code
	return p.Code
}

// Each endpoint that sells answers states its price, and returns the free endpoint's answer after
// payment.
func TestPaidAnswers(t *testing.T) {
	t.Parallel()
	p, clock, table := open(t)
	free := fixture.Instance(t, table, fixture.Falling(0), clock.Now)
	for i, target := range []string{verdict, another, calendar, deals} {
		asked := p.Ask(target, "")
		required := header[x402pay.Required](t, asked, x402pay.RequiredHeader)
		if asked.Code != 402 || code(asked) != x402.Required.Code || required.X402Version != 2 ||
			len(required.Accepts) != 1 || asked.Header().Get("Cache-Control") != "no-store" {
			t.Fatalf("%d %s %+v", asked.Code, asked.Body, required)
		}
		path, _, _ := strings.Cut(target, "?")
		var cost int64
		for _, r := range routes.Table {
			if r.Path == path {
				cost = r.Price
			}
		}
		if diff := cmp.Diff(p.Seller.Requirements(cost), required.Accepts[0]); diff != "" ||
			required.Resource.URL != fixture.LocalURL+path {
			t.Errorf("%+v %s", required.Resource, diff)
		}
		got, before := p.Chain.Got, p.Chain.Balances
		w := p.Ask(target, p.Payment("ada", cost, i))
		if w.Code != 200 || p.Chain.Got != got+cost {
			t.Fatalf("%d %s, %d of %v", w.Code, w.Body, p.Chain.Got-got, before)
		}
		settled := header[x402pay.Settlement](t, w, x402pay.ResponseHeader)
		if _, err := pay.ParseSignature(settled.Transaction); err != nil || !settled.Success ||
			settled.Network != x402pay.Mainnet {
			t.Errorf("%+v %v", settled, err)
		}
		same := httptest.NewRecorder()
		free.ServeHTTP(same, httptest.NewRequest("GET", strings.TrimPrefix(target, "/x402"), nil))
		if diff := cmp.Diff(strings.TrimSpace(same.Body.String()), strings.TrimSpace(w.Body.String())); diff != "" ||
			same.Code != 200 {
			t.Errorf("%s (-free +paid): %s", target, diff)
		}
	}
}

// For a day the same payment with the same call returns the same bytes, even if fares change. The
// number of these replays is limited per IP address. For any other call the payment buys nothing.
func TestAPaymentBuysOneAnswer(t *testing.T) {
	t.Parallel()
	p, clock, table := open(t)
	payment := p.Payment("ada", price, 1)
	first := p.Ask(verdict, payment)
	must(t, first, 200, "")
	other := p.Ask(another, payment)
	settled := header[x402pay.Settlement](t, other, x402pay.ResponseHeader)
	if other.Code != 402 || code(other) != x402.Refused.Code || settled.Success ||
		settled.ErrorReason != "payment_already_used" {
		t.Errorf("for another call: %d %s %+v", other.Code, other.Body, settled)
	}
	again := func(from string, want int) {
		t.Helper()
		w := p.AskFrom(from, verdict, payment)
		if w.Code != want || want == 200 && (w.Body.String() != first.Body.String() ||
			w.Header().Get(x402pay.ResponseHeader) != first.Header().Get(x402pay.ResponseHeader)) {
			t.Errorf("shown again to %s: %d %s", from, w.Code, w.Body)
		}
	}
	const payer, stranger = "192.0.2.1:1", "198.51.100.1:1"
	for _, want := range []int{200, 200, 200, 402, 402} {
		again(stranger, want)
	}
	again(payer, 200)
	clock.Add(24*time.Hour - time.Minute)
	forgotten := store.Op{Mode: store.Delete,
		Item: store.Item{Key: store.Key{Partition: "ROUTE#MIL-BUH", Sort: "SHEET"}}}
	if err := table.Write(t.Context(), forgotten); err != nil {
		t.Fatal(err)
	}
	again(payer, 200)
	if w := p.Ask(verdict, p.Payment("ada", price, 2)); w.Code != 404 || p.Chain.Got != price {
		t.Errorf("what cannot be answered any more: %d %s", w.Code, w.Body)
	}
	clock.Add(2 * time.Minute)
	want(t, p.Ask(verdict, payment), 402, "", "a day later")
	if p.Chain.Got != price {
		t.Errorf("%d units", p.Chain.Got)
	}
}

// Without an answer, the payment is not recorded, sent or charged. A HEAD request is never charged,
// because its response has no body.
func TestWhatIsNotPaid(t *testing.T) {
	t.Parallel()
	p, _, table := open(t)
	for name, c := range map[string]struct {
		target string
		status int
		code   string
	}{
		"an unknown city": {"/x402/v1/analisi?origine=Atlantide&destinazione=Bucarest", 404, "citta-sconosciuta"},
		"not covered":     {"/x402/v1/analisi?origine=Milano&destinazione=Tokyo", 404, "rotta-non-coperta"},
		"no such month": {"/x402/v1/calendario?origine=Milano&destinazione=Bucarest&mese=2016-13", 400,
			"richiesta-non-valida"},
		"no fare":          {verdict + "&partenza=2016-03-20", 404, "nessuna-tariffa"},
		"unknown currency": {verdict + "&valuta=XXX", 400, "valuta-sconosciuta"},
	} {
		if w := p.Ask(c.target, p.Payment("ada", price, 1)); w.Code != c.status &&
			!strings.Contains(c.target, "calendario") || code(w) != c.code {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	table.DieAt(0, storetest.Before)
	if w := p.Ask(verdict, p.Payment("ada", price, 1)); w.Code != 503 && w.Code != 500 {
		t.Errorf("without a store: %d %s", w.Code, w.Body)
	}
	table.Heal()
	head := httptest.NewRecorder()
	p.Handler.ServeHTTP(head, httptest.NewRequest("HEAD", verdict, nil))
	if head.Code != 405 || p.Chain.Sent > 0 {
		t.Errorf("%d, %d sent", head.Code, p.Chain.Sent)
	}
}

// Nothing is sold without the settings for sales, or while the fee payer has too few SOL.
func TestNothingIsSold(t *testing.T) {
	t.Parallel()
	p, clock, table := open(t)
	w := httptest.NewRecorder()
	fixture.Instance(t, table, fixture.Falling(0), clock.Now).ServeHTTP(w, httptest.NewRequest("GET", verdict, nil))
	if w.Code != 404 || code(w) != x402.NotSold.Code || !strings.Contains(w.Body.String(), "GET /v1/analisi") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	p.Chain.Lamports = x402.LeastFunds - 1
	for _, payment := range []string{"", p.Payment("ada", price, 1)} {
		if w := p.Ask(verdict, payment); w.Code != 503 || w.Header().Get("Retry-After") != "60" {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	if !strings.Contains(p.Log.String(), "fees used up") {
		t.Error("the operator is not alerted")
	}
	p.Chain.Lamports = x402.LeastFunds
	if w := p.Ask(verdict, ""); w.Code != 503 {
		t.Errorf("the chain was asked twice in a minute: %d", w.Code)
	}
	clock.Add(time.Minute)
	want(t, p.Ask(verdict, ""), 402, "")
}

// One payment presented for 100 different calls at once buys one of them. Presented 100 times for
// the same call, it returns at most 4 answers. It is charged once.
func TestShownManyTimesAtOnce(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]func(i int) string{
		"for the same call": func(int) string { return verdict },
		"for different calls": func(i int) string {
			return another[:len(another)-2] + string(rune('1'+i%9)) +
				string(rune('0'+i/9%10))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _, _ := open(t)
			payment := p.Payment("ada", price, 1)
			var all sync.WaitGroup
			answers := make([]*httptest.ResponseRecorder, 100)
			for i := range answers {
				all.Go(func() { answers[i] = p.Ask(target(i), payment) })
			}
			all.Wait()
			given := map[string]int{}
			for i, w := range answers {
				if w.Code == 200 {
					given[target(i)]++
				} else if w.Code != 402 && w.Code != 429 && w.Code != 503 {
					t.Errorf("%d %s", w.Code, w.Body)
				}
			}
			if len(given) != 1 || p.Chain.Got != price {
				t.Errorf("%v for %d units", given, p.Chain.Got)
			}
			for _, n := range given {
				if n > 4 { // once, and three replays
					t.Errorf("given %d times", n)
				}
			}
		})
	}
}

// A script on a page of any site can send a payment, and read the payment requirements and the
// outcome.
func TestPagesMayPay(t *testing.T) {
	t.Parallel()
	p, _, _ := open(t)
	r := httptest.NewRequest("OPTIONS", verdict, nil)
	r.Header.Set("Access-Control-Request-Method", "GET")
	r.Header.Set("Access-Control-Request-Headers", "payment-signature")
	w := httptest.NewRecorder()
	p.Handler.ServeHTTP(w, r)
	if !strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), x402pay.SignatureHeader) {
		t.Errorf("%v", w.Header())
	}
	if h := p.Ask(verdict, "").Header(); h.Get("Access-Control-Allow-Origin") != "*" ||
		!strings.Contains(h.Get("Access-Control-Expose-Headers"), x402pay.RequiredHeader+", "+x402pay.ResponseHeader) {
		t.Errorf("%v", h)
	}
}
