package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/httpapi"
	"verdetto/shared/mail/maildir"
	"verdetto/shared/pay"
	"verdetto/shared/pay/paytest"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"
)

// Money and access, through the whole service, with the real adapters talking
// to stand-ins for Stripe and Solana.

// shop is the service with its stand-ins.
type shop struct {
	t     *testing.T
	h     http.Handler
	desk  *till
	clock *storetest.Clock
	mails string
	log   *secretLog
	calls atomic.Int64
}

// secretLog keeps what is logged, to be searched for what must not be in it.
type secretLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *secretLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// secrets are what no line of a log may hold.
var secrets = regexp.MustCompile(`vd_[A-Za-z0-9_-]{20}|@[a-z.]*example\.(com|org)|sk_test_|whsec_|` + regexp.QuoteMeta(testPepper))

func openShop(t *testing.T, table store.Table, clock *storetest.Clock) *shop {
	t.Helper()
	s := &shop{t: t, clock: clock, mails: filepath.Join(t.TempDir(), "mail"), log: &secretLog{}}
	c := &choices{now: clock.Now, log: slog.New(slog.NewTextHandler(s.log, nil)), mail: s.mails, money: "play"}
	var err error
	if s.desk, err = c.openTill(t.Context(), table, []byte(testPepper), "http://127.0.0.1:1", "http://127.0.0.1:1"); err != nil {
		t.Fatal(err)
	}
	s.desk.stripe.Webhook = ""        // deliveries are made by hand
	s.desk.service.SignalWorker = nil // and so is the work in the outbox
	c.pro = s.desk.service
	s.h = handler(c, table, sample.New(), []byte(testPepper))
	t.Cleanup(func() {
		s.desk.close()
		if found := secrets.FindString(s.log.text.String()); found != "" {
			t.Errorf("the log holds %q", found)
		}
	})
	return s
}

// reply is what a call gave.
type reply struct {
	status int
	header http.Header
	body   string
	APIKey, Plan, URL, Code,
	Wallet, Mint, Amount, Memo, Link, QR string
	ExpiresAt time.Time
	Errors    []httpapi.Fault
}

// do makes a call, each from an address of its own so that caps by address stay out of the way.
func (s *shop) do(method, target, body string, header ...string) reply {
	n := s.calls.Add(1)
	return s.from(fmt.Sprintf("10.%d.%d.%d:1", n>>16&255, n>>8&255, n&255), method, target, body, header...)
}

// from makes a call from an address.
func (s *shop) from(address, method, target, body string, header ...string) reply {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.RemoteAddr = address
	if method == "POST" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.h.ServeHTTP(w, r)
	a := reply{status: w.Code, header: w.Header(), body: w.Body.String()}
	_ = json.Unmarshal(w.Body.Bytes(), &a) // pages are no JSON
	return a
}

func object(fields ...string) string {
	m := map[string]string{}
	for i := 0; i < len(fields); i += 2 {
		m[fields[i]] = fields[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func (s *shop) checkout(email string) reply {
	return s.do("POST", "/api/v1/pro/checkout", object("email", email))
}

func (s *shop) confirm(session string, header ...string) reply {
	return s.do("GET", "/api/v1/pro/conferma?session_id="+session, "", header...)
}

func (s *shop) recover(email string) reply {
	return s.do("POST", "/api/v1/pro/recupera", object("email", email))
}

func (s *shop) verify(email string, signature pay.Signature, header ...string) reply {
	return s.do("POST", "/v1/pro/verifica-cripta", object("email", email, "signature", signature.String()), header...)
}

// works tells whether a key is let in, to both APIs alike.
func (s *shop) works(key string) bool {
	s.t.Helper()
	verdict, trends := s.do("GET", anyRoute, "", "X-Api-Key", key), s.do("GET", "/api/v1/price-trends?origin=MIL&currency=eur", "", "X-Api-Key", key)
	if verdict.status == 503 || (verdict.status == 401) != (trends.status == 401) {
		s.t.Errorf("the two APIs say %d and %d", verdict.status, trends.status)
	}
	return verdict.status != 401
}

// mailed works through the outbox and gives the keys in all mails to an address, oldest first.
func (s *shop) mailed(email string) (keys []string) {
	s.t.Helper()
	for {
		done, err := s.desk.service.Work(s.t.Context())
		if err != nil && !errors.Is(err, store.ErrUnavailable) {
			s.t.Fatal(err)
		}
		if err == nil && done == 0 {
			break
		}
		if err != nil {
			s.clock.Add(2 * time.Minute) // until the lease of what failed is over
		}
	}
	mails, err := maildir.Read(s.mails)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, m := range mails {
		if m.To == email {
			keys = append(keys, regexp.MustCompile(`vd_[A-Za-z0-9_-]{65}`).FindString(m.Text))
		}
	}
	return keys
}

// buy goes through a checkout by card up to the payment, and gives the session and the subscription.
func (s *shop) buy(email string) (session, subscription string) {
	s.t.Helper()
	if a := s.checkout(email); a.status != 200 || a.URL == "" {
		s.t.Fatalf("checkout: %d %s", a.status, a.body)
	}
	all := s.desk.stripe.Sessions()
	for _, id := range all {
		if a := s.confirm(id); a.Code == "pagamento-in-attesa" {
			return id, s.desk.stripe.Pay(id)
		}
	}
	s.t.Fatal("no open session")
	return "", ""
}

// send makes a final payment in USDC.
func (s *shop) send(units uint64, memo string) pay.Signature {
	return s.desk.node.Pay(paytest.Transfer{Wallet: playWallet, Mint: pay.DevnetUSDC, Units: units, Memo: memo})
}

const price = 12_990_000

// TestKeyStates is the table of section 3 of the specification, row by row.
func TestKeyStates(t *testing.T) {
	overBoth(t, func(t *testing.T, table store.Table, clock *storetest.Clock) {
		s := openShop(t, table, clock)

		// No key, card checkout completed, then the confirmation step: key active, returned to the caller.
		a := s.checkout("ada@example.com")
		again := s.checkout(" Ada@Example.com ")
		if a.status != 200 || a.URL == "" || again.status != 400 && again.URL != a.URL {
			t.Fatalf("checkout %d %s, again %d %s", a.status, a.body, again.status, again.body)
		}
		session := s.desk.stripe.Sessions()[0]
		if a := s.confirm(session); a.status != 409 || a.Code != "pagamento-in-attesa" || a.header.Get("Retry-After") == "" {
			t.Errorf("before paying: %d %s", a.status, a.body)
		}
		s.desk.stripe.Pay(session)
		card := s.confirm(session)
		if card.status != 200 || card.Plan != "pro" || !s.works(card.APIKey) || card.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("confirmation: %d %s", card.status, card.body)
		}
		if d := card.ExpiresAt.Sub(clock.Now()); d < 30*24*time.Hour || d > 35*24*time.Hour {
			t.Errorf("a month's plan ends in %v", d)
		}
		if a := s.confirm(session); a.status != 409 || a.Code != "chiave-gia-emessa" || !strings.Contains(a.body, "recupera") {
			t.Errorf("confirmed again: %d %s", a.status, a.body)
		}

		// No key, crypto payment verified: key active for 30 days, no renewal.
		signature := s.send(price, "")
		crypto := s.verify("bob@example.com", signature)
		if crypto.status != 200 || crypto.Plan != "pro" || !s.works(crypto.APIKey) || !crypto.ExpiresAt.Equal(clock.Now().AddDate(0, 0, 30)) {
			t.Fatalf("verification: %d %s", crypto.status, crypto.body)
		}

		// Key active, recupera with the paying address: new key active, old key revoked, sent by mail, one answer for any address.
		known, unknown := s.recover("ada@example.com"), s.recover("nobody@example.com")
		if known.status != 202 || known.body != unknown.body || unknown.status != 202 {
			t.Errorf("recovery: %d %s, %d %s", known.status, known.body, unknown.status, unknown.body)
		}
		fresh := s.mailed("ada@example.com")
		if len(fresh) != 1 || !s.works(fresh[0]) || s.works(card.APIKey) {
			t.Fatalf("%d keys were mailed; the old one works: %v", len(fresh), s.works(card.APIKey))
		}
		if got := s.mailed("nobody@example.com"); got != nil {
			t.Error("a stranger was sent a key")
		}

		// Key revoked or unknown, any request: unchanged, 401.
		for _, key := range []string{card.APIKey, "vd_unknown", strings.Replace(crypto.APIKey, "vd_", "vd-", 1)} {
			if s.works(key) {
				t.Errorf("%.12s... works", key)
			}
		}

		// After 30 days the plan paid in USDC has ended; the one by card has grace.
		clock.Add(30 * 24 * time.Hour)
		if a := s.do("GET", anyRoute, "", "X-Api-Key", crypto.APIKey); a.status != 401 || a.Code != "piano-scaduto" {
			t.Errorf("after 30 days: %d %s", a.status, a.body)
		}
		if !s.works(fresh[0]) {
			t.Error("the plan by card ended too early")
		}
	})
}

func TestKeyPage(t *testing.T) {
	clock := storetest.NewClock()
	s := openShop(t, bolt(t, clock.Now), clock)
	session, _ := s.buy("ada@example.com")
	a := s.confirm(session, "Accept", "text/html,application/xhtml+xml;q=0.9", "Accept-Language", "en-GB,it;q=0.5")
	key := regexp.MustCompile(`vd_[A-Za-z0-9_-]{65}`).FindString(a.body)
	if a.status != 200 || a.header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(a.body, "Your Pro key") ||
		!strings.Contains(a.header.Get("Content-Security-Policy"), "default-src 'none'") || !s.works(key) {
		t.Errorf("%d %v %s", a.status, a.header, a.body)
	}
	if !regexp.MustCompile(`until <strong>\d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC</strong>`).MatchString(a.body) {
		t.Errorf("the end of the plan is not said as people say dates: %s", a.body)
	}
}

func TestPlanByCardFollowsTheSubscription(t *testing.T) {
	clock := storetest.NewClock()
	s := openShop(t, bolt(t, clock.Now), clock)
	session, subscription := s.buy("ada@example.com")
	key := s.confirm(session).APIKey
	delivered := 0
	deliver := func() {
		for _, e := range s.desk.stripe.Events()[delivered:] {
			s.delivery(e, 200)
			delivered++
		}
	}
	deliver()
	month := 31 * 24 * time.Hour
	step := func(what string, after time.Duration, happen func(string), want bool) {
		t.Helper()
		clock.Add(after)
		if happen != nil {
			happen(subscription)
			deliver()
		}
		if got := s.works(key); got != want {
			t.Errorf("%s: the key works: %v", what, got)
		}
	}
	stripe := s.desk.stripe
	step("renewed", month, stripe.Renew, true)
	step("within the second month", month-5*24*time.Hour, nil, true)
	step("a renewal fails: grace", 4*24*time.Hour, stripe.FailRenewal, true)
	step("grace is over", 4*24*time.Hour, nil, false)
	step("paid late", 0, stripe.Renew, true)
	step("cancelled at the end of the period", 0, stripe.CancelAtPeriodEnd, true)
	step("ended", 24*24*time.Hour, stripe.End, true)
	step("and its grace over", 10*24*time.Hour, nil, false)
}

// delivery posts an event to the webhook and wants a status.
func (s *shop) delivery(e paytest.Event, want int) {
	s.t.Helper()
	if a := s.do("POST", "/api/v1/pro/webhook", string(e.Payload), "Stripe-Signature", paytest.Sign(e.Payload, s.clock.Now(), s.desk.stripe.Secret)); a.status != want {
		s.t.Errorf("%s: %d %s, want %d", e.Type, a.status, a.body, want)
	}
}

func (s *shop) customer(email string) store.Customer {
	s.t.Helper()
	c, err := s.desk.service.Keys.Customer(context.Background(), apikey.Of([]byte(testPepper), email))
	if err != nil {
		s.t.Fatal(err)
	}
	c.Version = 0
	return c
}

// TestDeliveriesInAnyOrder delivers a subscription's life 20 times over in random order: the plan ends where it should.
func TestDeliveriesInAnyOrder(t *testing.T) {
	for _, basil := range []bool{false, true} {
		var want time.Time
		for round := range 10 {
			clock := storetest.NewClock()
			s := openShop(t, bolt(t, clock.Now), clock)
			s.desk.stripe.Basil = basil
			_, subscription := s.buy("ada@example.com")
			s.buy("bob@example.com")
			s.desk.stripe.Renew(subscription)
			s.desk.stripe.FailRenewal(subscription)
			var all []paytest.Event
			for _, e := range s.desk.stripe.Events() {
				for range 20 {
					all = append(all, e)
				}
			}
			rng := rand.New(rand.NewPCG(uint64(round), 1))
			rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			for _, e := range all {
				s.delivery(e, 200)
			}
			end := s.customer("ada@example.com").Plan().Until
			if round == 0 {
				want = end
			}
			if !end.Equal(want) || end.Before(clock.Now().AddDate(0, 2, 0)) {
				t.Errorf("basil %v, round %d: the plan ends %v, in round 0 %v", basil, round, end, want)
			}
		}
	}
}

func TestDeliveriesThatAreRefused(t *testing.T) {
	clock := storetest.NewClock()
	s := openShop(t, bolt(t, clock.Now), clock)
	s.buy("ada@example.com")
	e := s.desk.stripe.Events()[0]
	now, secret := clock.Now(), s.desk.stripe.Secret
	tampered := bytes.Replace(e.Payload, []byte("ada@"), []byte("eve@"), 1)
	for _, c := range []struct {
		name, signature string
		payload         []byte
	}{
		{"none", "", e.Payload},
		{"nonsense", "t=x,v1=y", e.Payload},
		{"another secret", paytest.Sign(e.Payload, now, "whsec_another"), e.Payload},
		{"stale", paytest.Sign(e.Payload, now.Add(-6*time.Minute), secret), e.Payload},
		{"from the future", paytest.Sign(e.Payload, now.Add(6*time.Minute), secret), e.Payload},
		{"tampered", paytest.Sign(e.Payload, now, secret), tampered},
		{"empty", paytest.Sign(nil, now, secret), nil},
		{"not JSON", paytest.Sign([]byte("{"), now, secret), []byte("{")},
	} {
		if a := s.do("POST", "/api/v1/pro/webhook", string(c.payload), "Stripe-Signature", c.signature); a.status != 400 {
			t.Errorf("%s: %d %s", c.name, a.status, a.body)
		}
	}
	unheard := []byte(`{"id":"evt_1","object":"event","type":"charge.dispute.created","created":1,"data":{"object":{"id":"dp_1","object":"dispute"}}}`)
	s.delivery(paytest.Event{Type: "unheard of", Payload: unheard}, 200)
}

func TestPaymentsInUSDC(t *testing.T) {
	clock := storetest.NewClock()
	s := openShop(t, bolt(t, clock.Now), clock)
	details := s.do("GET", "/v1/pro/cripta?email=ada@example.com", "")
	if details.status != 200 || details.Wallet != playWallet || details.Mint != pay.DevnetUSDC || details.Amount != "12.99" ||
		!strings.HasPrefix(details.Link, "solana:"+playWallet+"?amount=12.99&spl-token="+pay.DevnetUSDC) || !strings.Contains(details.Link, "memo=") ||
		!strings.HasPrefix(details.QR, "<svg ") || strings.Contains(details.Link, "ada") {
		t.Errorf("%d %s", details.status, details.body)
	}
	if plain := s.do("GET", "/v1/pro/cripta", ""); plain.status != 200 || plain.Link != "" || plain.QR != "" || plain.Wallet != playWallet {
		t.Errorf("%d %s", plain.status, plain.body)
	}

	short := s.send(price-1, "")
	bound := s.send(price, details.Memo)
	wrongCoin := s.desk.node.Pay(paytest.Transfer{Wallet: playWallet, Mint: paytest.Address("look-alike"), Units: price})
	elsewhere := s.desk.node.Pay(paytest.Transfer{Wallet: paytest.Address("another"), Mint: pay.DevnetUSDC, Units: price})
	failed := s.desk.node.Pay(paytest.Transfer{Wallet: playWallet, Mint: pay.DevnetUSDC, Units: price, Failed: true})
	young := s.desk.node.Send(paytest.Transfer{Wallet: playWallet, Mint: pay.DevnetUSDC, Units: price})
	lost := s.send(price, "")
	s.desk.node.Forget(lost)
	for _, c := range []struct {
		name      string
		email     string
		signature pay.Signature
		status    int
		code      string
	}{
		{"one unit short", "ada@example.com", short, 422, "importo-insufficiente"},
		{"another coin", "ada@example.com", wrongCoin, 422, "importo-insufficiente"},
		{"to somebody else", "ada@example.com", elsewhere, 422, "importo-insufficiente"},
		{"failed", "ada@example.com", failed, 422, "pagamento-fallito"},
		{"not final", "ada@example.com", young, 409, "pagamento-non-definitivo"},
		{"unknown", "ada@example.com", lost, 404, "pagamento-non-trovato"},
		{"bound to another address", "eve@example.com", bound, 403, "pagamento-di-altri"},
		{"bound to this address", "ada@example.com", bound, 200, ""},
		{"again", "ada@example.com", bound, 409, "pagamento-gia-usato"},
	} {
		a := s.verify(c.email, c.signature)
		if a.status != c.status || a.Code != c.code {
			t.Errorf("%s: %d %s", c.name, a.status, a.body)
		}
		if (a.Code == "pagamento-non-definitivo" || a.Code == "pagamento-non-trovato") && a.header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", c.name)
		}
	}
	s.desk.node.Advance(young, paytest.Finalized)
	begun := clock.Now()
	clock.Add(24 * time.Hour)
	second := s.verify("ada@example.com", young)
	if second.status != 200 || !second.ExpiresAt.Equal(begun.AddDate(0, 0, 60)) {
		t.Errorf("a second payment: %d %s; want 60 days from %v", second.status, second.body, begun)
	}
	third := s.verify("ada@example.com", s.send(price, ""), "X-Api-Key", second.APIKey)
	if third.status != 200 || third.APIKey != second.APIKey || !s.works(second.APIKey) || !third.ExpiresAt.Equal(begun.AddDate(0, 0, 90)) {
		t.Errorf("with the current key: %d %s", third.status, third.body)
	}
	old := s.send(price, "")
	clock.Add(30*24*time.Hour + time.Minute)
	if a := s.verify("bob@example.com", old); a.status != 422 || a.Code != "pagamento-scaduto" {
		t.Errorf("31 days later: %d %s", a.status, a.body)
	}
}

func TestBadInputToPro(t *testing.T) {
	clock := storetest.NewClock()
	s := openShop(t, bolt(t, clock.Now), clock)
	good := s.send(price, "")
	post := func(path, body string, header ...string) reply { return s.do("POST", path, body, header...) }
	for _, path := range []string{"/api/v1/pro/checkout", "/api/v1/pro/recupera"} {
		for name, body := range map[string]string{
			"no body":           "",
			"not JSON":          "email=ada@example.com",
			"no address":        "{}",
			"null":              `{"email":null}`,
			"a number":          `{"email":7}`,
			"empty":             object("email", ""),
			"no at":             object("email", "ada.example.com"),
			"with a name":       object("email", "Ada <ada@example.com>"),
			"two":               object("email", "ada@example.com, eve@example.com"),
			"header injection":  object("email", "ada@example.com\r\nBcc: eve@example.com"),
			"line break":        object("email", "ada@example.com\n"),
			"over-long":         object("email", strings.Repeat("a", 250)+"@example.com"),
			"unknown field":     object("email", "ada@example.com", "admin", "true"),
			"a body over 64 kB": object("email", strings.Repeat("a", 70_000)),
		} {
			if a := post(path, body); a.status != 400 || a.Code != "richiesta-non-valida" {
				t.Errorf("%s, %s: %d %.200s", path, name, a.status, a.body)
			}
		}
		if a := post(path, object("email", "ada@example.com"), "Content-Type", "text/plain"); a.status != 400 {
			t.Errorf("%s, wrong content type: %d %s", path, a.status, a.body)
		}
	}
	for name, signature := range map[string]string{
		"empty":                   "",
		"too short":               good.String()[:40],
		"hexadecimal":             strings.Repeat("ab", 64),
		"base64":                  strings.Repeat("AAAA", 21) + "AA==",
		"with a look-alike glyph": "0" + good.String()[1:],
		"with space":              " " + good.String(),
		"twice":                   good.String() + good.String(),
	} {
		a := post("/v1/pro/verifica-cripta", object("email", "ada@example.com", "signature", signature))
		if a.status != 400 || len(a.Errors) == 0 || !strings.Contains(a.Errors[0].Name, "signature") {
			t.Errorf("signature %s: %d %s", name, a.status, a.body)
		}
	}
	for _, query := range []string{"", "?session_id=", "?session_id=a&session_id=b"} {
		if a := s.do("GET", "/api/v1/pro/conferma"+query, ""); a.status != 400 {
			t.Errorf("conferma%s: %d %s", query, a.status, a.body)
		}
	}
	for _, id := range []string{"cs_test_unknown", "../../etc/passwd", "cs_%2F"} {
		if a := s.confirm(id); a.status != 404 || a.Code != "sessione-sconosciuta" {
			t.Errorf("session %s: %d %s", id, a.status, a.body)
		}
	}
}

// TestMoneyOutOfReach: with the other side down or slow the answer is 503 within 10 s, and trying again completes.
func TestMoneyOutOfReach(t *testing.T) {
	clock := storetest.NewClock()
	s := openShop(t, bolt(t, clock.Now), clock)
	signature := s.send(price, "")
	session, _ := s.buy("ada@example.com")
	calls := map[string]func() reply{
		"checkout": func() reply { return s.checkout("bob@example.com") },
		"conferma": func() reply { return s.confirm(session) },
		"verifica": func() reply { return s.verify("carl@example.com", signature) },
		"webhook": func() reply {
			e := s.desk.stripe.Events()[0]
			return s.do("POST", "/api/v1/pro/webhook", string(e.Payload), "Stripe-Signature", paytest.Sign(e.Payload, clock.Now(), s.desk.stripe.Secret))
		},
	}
	held := make(chan struct{})
	for _, how := range []string{"down", "slow"} {
		if how == "down" {
			s.desk.stripe.Down(true)
			s.desk.node.Down(true)
		} else {
			for range 20 {
				s.desk.stripe.Fail(paytest.Slow(held))
				s.desk.node.Fail(paytest.Slow(held))
			}
		}
		var wg sync.WaitGroup
		for name, call := range calls {
			wg.Go(func() {
				begun := time.Now()
				a := call()
				if took := time.Since(begun); a.status != 503 || a.header.Get("Retry-After") == "" || took > 10*time.Second {
					t.Errorf("%s while the other side is %s: %d after %v", name, how, a.status, took)
				}
			})
		}
		wg.Wait()
		s.desk.stripe.Down(false)
		s.desk.node.Down(false)
	}
	close(held)
	s.desk.stripe.Fail()
	for name, call := range calls {
		var a reply
		for range 30 { // faults that are left over are used up
			if a = call(); a.status == 200 {
				break
			}
		}
		if a.status != 200 {
			t.Errorf("%s does not complete afterwards: %d %s", name, a.status, a.body)
		}
	}
}
