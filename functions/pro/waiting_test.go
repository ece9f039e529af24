package pro_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/pay"
	"verdetto/shared/pay/paytest"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/store/storetest"
)

const (
	adasToken = "000102030405060708090a0b0c0d0e0f"
	evesToken = "f0f102030405060708090a0b0c0d0e0f"
)

// asked returns the payment that a waiting page asks the payer to make.
func asked(s fixture.Shop, email, token string) playmoney.Transfer {
	s.T.Helper()
	a := s.Do("GET", "/v1/pro/cripta?email="+url.QueryEscape(email)+"&t="+token, "", "Accept", html)
	link := regexp.MustCompile(`href="(solana:[^"]+)"`).FindStringSubmatch(a.Body)
	if a.Status != 200 || link == nil || !strings.Contains(a.Body, "<svg") {
		s.T.Fatalf("%d %s", a.Status, a.Body)
	}
	u, err := url.Parse(strings.ReplaceAll(link[1], "&amp;", "&"))
	if err != nil {
		s.T.Fatal(err)
	}
	q := u.Query()
	return playmoney.Transfer{Wallet: u.Opaque, Mint: q.Get("spl-token"), Units: fixture.Price, Memo: q.Get("memo"),
		Reference: q.Get("reference")}
}

func wait(s fixture.Shop, email, token string, more ...string) fixture.Reply {
	return s.Do("POST", "/v1/pro/cripta/attesa",
		fixture.Object(append([]string{"email", email, "t", token}, more...)...))
}

func state(a fixture.Reply) string {
	if m := regexp.MustCompile(`"status":"([a-z-]+)"`).FindStringSubmatch(a.Body); a.Status == 200 && m != nil {
		return m[1]
	}
	return fmt.Sprint(a.Status, " ", a.Body)
}

// TestWaitingForAPayment: the page that asked for a payment shows the bought key, for 10 minutes.
// No other page shows the key.
func TestWaitingForAPayment(t *testing.T) {
	s := parallel(t)
	want := func(what, state1 string, a fixture.Reply) {
		t.Helper()
		if got := state(a); got != state1 {
			t.Errorf("%s: %s, want %s", what, got, state1)
		}
	}
	payment := asked(s, "ada@example.com", adasToken)
	if again := asked(s, "Ada@example.com", adasToken); again != payment {
		t.Error("reloaded, the page asks for another payment")
	}
	want("before", "in-attesa", wait(s, "ada@example.com", adasToken))
	sent := s.Payments.Node.Send(payment)
	want("sent", "in-attesa", wait(s, "ada@example.com", adasToken))
	s.Payments.Node.Advance(sent, playmoney.Confirmed)
	want("confirmed", "visto", wait(s, "ada@example.com", adasToken))
	s.Payments.Node.Advance(sent, playmoney.Finalized)

	// A stranger knows the payer's e-mail address and sees the chain, but only has the token of
	// another page.
	want("a stranger's page", "in-attesa", wait(s, "ada@example.com", evesToken))
	want("the token with another address", "in-attesa", wait(s, "eve@example.com", adasToken))
	a := wait(s, "ada@example.com", adasToken)
	want("paid", "pagato", a)
	if !s.Works(a.APIKey) {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	want("a stranger's page, later", "in-attesa", wait(s, "ada@example.com", evesToken))
	want("a stranger with the signature", "usato", wait(s, "ada@example.com", evesToken, "signature", sent.String()))
	if again := wait(s, "ada@example.com", adasToken); again.APIKey != a.APIKey {
		t.Errorf("looked at again: %d %s", again.Status, again.Body)
	}
	page := s.Form("/v1/pro/cripta/attesa", "email=ada%40example.com&t="+adasToken, "Accept-Language", "en")
	if fixture.KeyPattern.FindString(page.Body) != a.APIKey ||
		!strings.Contains(page.Page(), "does not renew by itself") {
		t.Errorf("as a page: %d %s", page.Status, page.Page())
	}
	s.Clock.Add(10 * time.Minute)
	want("after ten minutes", "usato", wait(s, "ada@example.com", adasToken))
	if got := s.Customer("ada@example.com").Crypto; !got.Equal(s.Clock.Now().Add(-10*time.Minute).AddDate(0, 0, 30)) {
		t.Errorf("looking again and again lengthened the plan to %v", got)
	}
}

// TestWaitingForWhatBuysNothing: each kind of wrong payment has its own state on the waiting page.
// The request for the state never fails.
func TestWaitingForWhatBuysNothing(t *testing.T) {
	s := parallel(t)
	for want, spoil := range map[string]func(*playmoney.Transfer){
		"insufficiente": func(p *playmoney.Transfer) { p.Units-- },
		"di-altri": func(p *playmoney.Transfer) {
			p.Memo = pay.BindingMemo([]byte(fixture.Pepper),
				"bob@example.com")
		},
		// A failed transaction does not count: the payer has to send another one.
		"in-attesa": func(p *playmoney.Transfer) { p.Failed = true },
	} {
		token := fmt.Sprintf("%032x", len(want))
		p := asked(s, "ada@example.com", token)
		spoil(&p)
		s.Payments.Node.Pay(p)
		if got := state(wait(s, "ada@example.com", token)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		wantBody(t, s.Form("/v1/pro/cripta/attesa", "email=ada%40example.com&t="+token, "Accept-Language", "en"), 200,
			"<svg", want, ", as a page")
	}
	failed := s.Payments.Node.Pay(playmoney.Transfer{Wallet: onemachine.StandInWallet, Mint: pay.DevnetUSDC,
		Units: fixture.Price, Failed: true}).String()
	old := s.Send(fixture.Price, "").String()
	s.Clock.Add(31 * 24 * time.Hour)
	unheard := strings.Repeat("5", 87)
	for signature, want := range map[string]string{failed: "fallito", old: "scaduto", unheard: "non-trovato"} {
		if got := state(wait(s, "ada@example.com", adasToken, "signature", signature)); got != want {
			t.Errorf("%s: %s, want %s", signature, got, want)
		}
	}
	for body, want := range map[string]string{
		`{"email":"ada","t":"` + adasToken + `"}`:                                  "email",
		`{"email":"ada@example.com","t":"short"}`:                                  "t",
		`{"email":"ada@example.com","t":"` + adasToken + `","signature":"<none>"}`: "signature",
	} {
		if a := s.Do("POST", "/v1/pro/cripta/attesa", body); a.Status != 400 || len(a.Errors) != 1 ||
			a.Errors[0].Name != want {
			t.Errorf("%s: %d %s", body, a.Status, a.Body)
		}
	}
	wantPage(t, s.Form("/v1/pro/cripta/attesa", "email=ada%40example.com&signature=none&t="+adasToken,
		"Accept-Language", "en"), 200, "We know no transaction with that signature", "mistyped on the page")
	paytest.Break(s.Payments.Node).Down(true)
	if a := wait(s, "ada@example.com", adasToken); a.Status != 503 || a.Header.Get("Retry-After") == "" {
		t.Errorf("without a node: %d %s", a.Status, a.Body)
	}
}

// TestOthersMayNameAReference: other people can copy a reference into their transactions once it is
// on the chain. The service still finds the real payment, with the same number of calls.
func TestOthersMayNameAReference(t *testing.T) {
	s := parallel(t)
	payment := asked(s, "ada@example.com", adasToken)
	dust := payment
	dust.Units = 1
	s.Payments.Node.Pay(dust) // a stranger saw the QR code
	s.Payments.Node.Pay(payment)
	for range 20 {
		s.Payments.Node.Pay(dust)
	}
	before := s.Payments.Node.Calls()
	if a := wait(s, "ada@example.com", adasToken); !s.Works(a.APIKey) {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	for range 100 { // for another page, all dust
		flood := asked(s, "ada@example.com", evesToken)
		flood.Units = 1
		s.Payments.Node.Pay(flood)
	}
	if got := state(wait(s, "ada@example.com", evesToken)); got != "insufficiente" {
		t.Error(got)
	}
	if calls := s.Payments.Node.Calls() - before; calls > 3+6 {
		t.Errorf("two looks cost %d calls of the node", calls)
	}
}

// TestWaitingUnderFaults: one call to the store fails while a page waits for its payment. The
// payment buys one plan and one key, and the page shows the key.
func TestWaitingUnderFaults(t *testing.T) {
	t.Parallel()
	underFaults(t, func(t *testing.T, s fixture.Shop, f *storetest.Faulty) {
		s.Payments.Node.Pay(asked(s, "ada@example.com", adasToken))
		begun := s.Clock.Now()
		a := s.Retry(f, func() fixture.Reply { return wait(s, "ada@example.com", adasToken) })
		f.Heal()
		if again := wait(s, "ada@example.com", adasToken); a.APIKey == "" || again.APIKey != a.APIKey ||
			!s.Works(a.APIKey) {
			t.Errorf("%d %s; again %s", a.Status, a.Body, again.Body)
		}
		if end := s.Customer("ada@example.com").Crypto; !end.Equal(begun.AddDate(0, 0, 30)) {
			t.Errorf("the plan ends %v", end)
		}
	})
}
