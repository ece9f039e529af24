package pro_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/store/storetest"
)

// Tests of payments and access through the whole service. The real adapters talk to imitations of
// Stripe and Solana.

// open opens a shop with a new table.
func open(t *testing.T) fixture.Shop {
	t.Helper()
	clock := storetest.NewClock()
	return fixture.OpenShop(t, fixture.Bolt(t, clock.Now), clock)
}

func parallel(t *testing.T) fixture.Shop {
	t.Helper()
	t.Parallel()
	return open(t)
}

// want checks the status of an answer. If code is not empty, it also checks the error code.
func want(t testing.TB, a fixture.Reply, status int, code string, what ...any) {
	t.Helper()
	if a.Status != status || code != "" && a.Code != code {
		t.Errorf("%s: %d %s, want %d %s", fmt.Sprint(what...), a.Status, a.Body, status, code)
	}
}

// must does the same checks as want, and ends the test if a check fails.
func must(t testing.TB, a fixture.Reply, status int, code string, what ...any) {
	t.Helper()
	if a.Status != status || code != "" && a.Code != code {
		t.Fatalf("%s: %d %s, want %d %s", fmt.Sprint(what...), a.Status, a.Body, status, code)
	}
}

// wantPage checks the status of an answer, and that the main part of the page contains a text.
func wantPage(t testing.TB, a fixture.Reply, status int, text string, what ...any) {
	t.Helper()
	if a.Status != status || !strings.Contains(a.Page(), text) {
		t.Errorf("%s: %d %s, want %d %q", fmt.Sprint(what...), a.Status, a.Page(), status, text)
	}
}

func wantBody(t testing.TB, a fixture.Reply, status int, text string, what ...any) {
	t.Helper()
	if a.Status != status || !strings.Contains(a.Body, text) {
		t.Errorf("%s: %d %s, want %d %q", fmt.Sprint(what...), a.Status, a.Body, status, text)
	}
}

// TestCheckoutPage: a browser gets a page in its language with a link to the checkout. The page
// repeats nothing of the request.
func TestCheckoutPage(t *testing.T) {
	s := parallel(t)
	for language, title := range map[string]string{"it": "Alla cassa", "en-GB": "To the checkout"} {
		a := s.Form("/v1/pro/checkout", "email=ada%40example.com", "Accept-Language", language)
		if a.Status != 200 || a.Header.Get("Content-Type") != "text/html; charset=utf-8" ||
			a.Header.Get("Cache-Control") != "no-store" ||
			!strings.Contains(a.Body, "<title>"+title) || !strings.Contains(a.Body, `href="`+s.Payments.StripeURL) ||
			strings.Contains(a.Body, "example.com") {
			t.Errorf("%s: %d %v %s", language, a.Status, a.Header, a.Body)
		}
	}
}

func TestKeyPage(t *testing.T) {
	s := parallel(t)
	session, _ := s.Buy("ada@example.com")
	a := s.Confirm(session, "Accept", "text/html,application/xhtml+xml;q=0.9", "Accept-Language", "en-GB,it;q=0.5")
	key := fixture.KeyPattern.FindString(a.Body)
	if a.Status != 200 || a.Header.Get("Content-Type") != "text/html; charset=utf-8" ||
		!strings.Contains(a.Body, "Your Pro key") ||
		!strings.Contains(a.Header.Get("Content-Security-Policy"), "default-src 'none'") || !s.Works(key) {
		t.Errorf("%d %v %s", a.Status, a.Header, a.Body)
	}
	if !regexp.MustCompile(`until <strong>\d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC</strong>`).MatchString(a.Body) {
		t.Errorf("the end of the plan is not said as people say dates: %s", a.Body)
	}
}

func TestPlanByCardFollowsTheSubscription(t *testing.T) {
	s := parallel(t)
	session, subscription := s.Buy("ada@example.com")
	key := s.Confirm(session).APIKey
	delivered := 0
	deliver := func() {
		for _, e := range s.Payments.Stripe.Events()[delivered:] {
			deliver(t, s, e, 200)
			delivered++
		}
	}
	deliver()
	month := 31 * 24 * time.Hour
	step := func(what string, after time.Duration, happen func(string), want bool) {
		t.Helper()
		s.Clock.Add(after)
		if happen != nil {
			happen(subscription)
			deliver()
		}
		if got := s.Works(key); got != want {
			t.Errorf("%s: the key works: %v", what, got)
		}
	}
	stripe := s.Payments.Stripe
	step("renewed", month, stripe.Renew, true)
	step("within the second month", month-5*24*time.Hour, nil, true)
	step("a renewal fails: grace", 4*24*time.Hour, stripe.FailRenewal, true)
	step("grace is over", 4*24*time.Hour, nil, false)
	step("paid late", 0, stripe.Renew, true)
	step("cancelled at the end of the period", 0, stripe.CancelAtPeriodEnd, true)
	step("ended", 24*24*time.Hour, stripe.End, true)
	step("and its grace over", 10*24*time.Hour, nil, false)
}

// deliver sends an event to the webhook and expects the status want.
func deliver(t *testing.T, s fixture.Shop, e playmoney.Event, want int) {
	t.Helper()
	if a := s.Deliver(e.Payload); a.Status != want {
		t.Errorf("%s: %d %s, want %d", e.Type, a.Status, a.Body, want)
	}
}

// TestDeliveriesInAnyOrder delivers the events of a subscription 20 times, each time in another
// random order. The plan always ends at the right time.
func TestDeliveriesInAnyOrder(t *testing.T) {
	t.Parallel()
	for _, basil := range []bool{false, true} {
		var want time.Time
		for round := range 10 {
			s := open(t)
			s.Payments.Stripe.Basil = basil
			_, subscription := s.Buy("ada@example.com")
			s.Buy("bob@example.com")
			s.Payments.Stripe.Renew(subscription)
			s.Payments.Stripe.FailRenewal(subscription)
			var all []playmoney.Event
			for _, e := range s.Payments.Stripe.Events() {
				for range 20 {
					all = append(all, e)
				}
			}
			rng := rand.New(rand.NewPCG(uint64(round), 1))
			rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			for _, e := range all {
				deliver(t, s, e, 200)
			}
			end := s.Customer("ada@example.com").Plan().Until
			if round == 0 {
				want = end
			}
			if !end.Equal(want) || end.Before(s.Clock.Now().AddDate(0, 2, 0)) {
				t.Errorf("basil %v, round %d: the plan ends %v, in round 0 %v", basil, round, end, want)
			}
		}
	}
}

func TestDeliveriesThatAreRefused(t *testing.T) {
	s := parallel(t)
	s.Buy("ada@example.com")
	e := s.Payments.Stripe.Events()[0]
	now, secret := s.Clock.Now(), s.Payments.Stripe.Secret
	tampered := bytes.Replace(e.Payload, []byte("ada@"), []byte("eve@"), 1)
	for _, c := range []struct {
		name, signature string
		payload         []byte
	}{
		{"none", "", e.Payload},
		{"nonsense", "t=x,v1=y", e.Payload},
		{"another secret", playmoney.Sign(e.Payload, now, "whsec_another"), e.Payload},
		{"stale", playmoney.Sign(e.Payload, now.Add(-6*time.Minute), secret), e.Payload},
		{"from the future", playmoney.Sign(e.Payload, now.Add(6*time.Minute), secret), e.Payload},
		{"tampered", playmoney.Sign(e.Payload, now, secret), tampered},
		{"empty", playmoney.Sign(nil, now, secret), nil},
		{"not JSON", playmoney.Sign([]byte("{"), now, secret), []byte("{")},
	} {
		want(t, s.Do("POST", "/api/v1/pro/webhook", string(c.payload), "Stripe-Signature", c.signature), 400, "",
			c.name)
	}
	if logged := s.Log.String(); strings.Count(logged, "STRIPE_WEBHOOK_SECRETS") != 1 {
		t.Errorf("deliveries with a wrong secret were logged as\n%s", logged)
	}
	unheard := []byte(
		`{"id":"evt_1","object":"event","type":"charge.dispute.created","created":1,"data":{"object":{"id":"dp_1","object":"dispute"}}}`)
	deliver(t, s, playmoney.Event{Type: "unheard of", Payload: unheard}, 200)
}

func TestPaymentsInUSDC(t *testing.T) {
	s := parallel(t)
	details := s.Do("GET", "/v1/pro/cripta?email=ada@example.com", "")
	if details.Status != 200 || details.Wallet != onemachine.StandInWallet || details.Mint != pay.DevnetUSDC ||
		details.Amount != "12.99" ||
		!strings.HasPrefix(
			details.Link, "solana:"+onemachine.StandInWallet+"?amount=12.99&spl-token="+pay.DevnetUSDC) ||
		!strings.Contains(details.Link, "memo=") ||
		!strings.HasPrefix(details.QR, "<svg ") || strings.Contains(details.Link, "ada") {
		t.Errorf("%d %s", details.Status, details.Body)
	}
	if plain := s.Do("GET", "/v1/pro/cripta", ""); plain.Status != 200 || plain.Link != "" || plain.QR != "" ||
		plain.Wallet != onemachine.StandInWallet {
		t.Errorf("%d %s", plain.Status, plain.Body)
	}

	short := s.Send(fixture.Price-1, "")
	bound := s.Send(fixture.Price, details.Memo)
	wrongCoin := s.Payments.Node.Pay(playmoney.Transfer{Wallet: onemachine.StandInWallet,
		Mint: playmoney.Address("look-alike"), Units: fixture.Price})
	elsewhere := s.Payments.Node.Pay(playmoney.Transfer{Wallet: playmoney.Address("another"), Mint: pay.DevnetUSDC,
		Units: fixture.Price})
	failed := s.Payments.Node.Pay(playmoney.Transfer{Wallet: onemachine.StandInWallet, Mint: pay.DevnetUSDC,
		Units: fixture.Price, Failed: true})
	young := s.Payments.Node.Send(playmoney.Transfer{Wallet: onemachine.StandInWallet, Mint: pay.DevnetUSDC,
		Units: fixture.Price})
	lost := s.Send(fixture.Price, "")
	s.Payments.Node.Forget(lost)
	var first fixture.Reply // the first successful answer
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
		a := s.Verify(c.email, c.signature)
		if a.Status == 200 {
			first = a
		}
		want(t, a, c.status, c.code, c.name)
		if (a.Code == "pagamento-non-definitivo" || a.Code == "pagamento-non-trovato") &&
			a.Header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", c.name)
		}
	}
	s.Payments.Node.Advance(young, playmoney.Finalized)
	begun := s.Clock.Now()
	s.Clock.Add(24 * time.Hour)
	second := s.Verify("ada@example.com", young)
	if second.Status != 200 || second.APIKey != "" || !second.ExpiresAt.Equal(begun.AddDate(0, 0, 60)) {
		t.Errorf("a second payment: %d %s; want 60 days from %v", second.Status, second.Body, begun)
	}
	third := s.Verify("ada@example.com", s.Send(fixture.Price, ""), "X-Api-Key", first.APIKey)
	if third.Status != 200 || third.APIKey != first.APIKey || !s.Works(first.APIKey) ||
		!third.ExpiresAt.Equal(begun.AddDate(0, 0, 90)) {
		t.Errorf("with the current key: %d %s", third.Status, third.Body)
	}
	old := s.Send(fixture.Price, "")
	s.Clock.Add(30*24*time.Hour + time.Minute)
	want(t, s.Verify("bob@example.com", old), 422, "pagamento-scaduto", "31 days later")
}

func TestBadInputToPro(t *testing.T) {
	s := parallel(t)
	good := s.Send(fixture.Price, "")
	post := func(path, body string, header ...string) fixture.Reply { return s.Do("POST", path, body, header...) }
	for _, path := range []string{"/api/v1/pro/checkout", "/api/v1/pro/recupera"} {
		for name, body := range map[string]string{
			"no body":           "",
			"not JSON":          "email=ada@example.com",
			"no address":        "{}",
			"null":              `{"email":null}`,
			"a number":          `{"email":7}`,
			"empty":             fixture.Object("email", ""),
			"no at":             fixture.Object("email", "ada.example.com"),
			"with a name":       fixture.Object("email", "Ada <ada@example.com>"),
			"two":               fixture.Object("email", "ada@example.com, eve@example.com"),
			"header injection":  fixture.Object("email", "ada@example.com\r\nBcc: eve@example.com"),
			"over-long":         fixture.Object("email", strings.Repeat("a", 250)+"@example.com"),
			"unknown field":     fixture.Object("email", "ada@example.com", "admin", "true"),
			"a body over 64 kB": fixture.Object("email", strings.Repeat("a", 70_000)),
		} {
			if a := post(path, body); a.Status != 400 || a.Code != "richiesta-non-valida" {
				t.Errorf("%s, %s: %d %.200s", path, name, a.Status, a.Body)
			}
		}
		want(t, post(path, fixture.Object("email", "ada@example.com"), "Content-Type", "text/plain"), 400, "", path,
			", wrong content type")
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
		a := post("/v1/pro/verifica-cripta", fixture.Object("email", "ada@example.com", "signature", signature))
		if a.Status != 400 || len(a.Errors) == 0 || !strings.Contains(a.Errors[0].Name, "signature") {
			t.Errorf("signature %s: %d %s", name, a.Status, a.Body)
		}
	}
	for _, query := range []string{"", "?session_id=", "?session_id=a&session_id=b"} {
		want(t, s.Do("GET", "/api/v1/pro/conferma"+query, ""), 400, "", "conferma", query)
	}
	for _, id := range []string{"cs_test_unknown", "../../etc/passwd", "cs_%2F"} {
		want(t, s.Confirm(id), 404, "sessione-sconosciuta", "session ", id)
	}
}
