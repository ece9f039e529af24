package x402_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"

	"verdetto/e2e/fixture"
	"verdetto/shared/pay"
	"verdetto/shared/pay/x402pay"
	"verdetto/shared/store"
)

func TestAPayerIsNotHarmed(t *testing.T) {
	t.Parallel()
	p, _, _ := open(t)
	settled := p.Payment("ada", price, 1)
	must(t, p.Ask(verdict, settled), 200, "")
	p.Chain.Fails = true
	failed := p.Payment("ada", price, 2)
	must(t, p.Ask(verdict, failed), 402, "")
	p.Chain.Fails = false
	lamports, sent := p.Chain.Lamports, p.Chain.Sent
	for i, copied := range []string{settled, failed} {
		stranger := fmt.Sprint("198.51.100.", 1+i, ":1")
		status := map[int]int{}
		for n := range 60 {
			w := p.AskFrom(stranger, fmt.Sprint(another, n), copied)
			status[w.Code]++
		}
		if status[402] != 20 || status[429] != 40 {
			t.Errorf("%s: %v", stranger, status)
		}
	}
	if w := p.AskFrom("198.51.100.9:1", verdict, failed); w.Code != 402 || p.Chain.Lamports != lamports ||
		p.Chain.Sent != sent {
		t.Errorf("a payment that failed is shown again: %d, %d lamports, %d sent", w.Code, lamports-p.Chain.Lamports,
			p.Chain.Sent-sent)
	}
	for n := range 3 {
		want(t, p.Ask(another, p.Payment("ada", price, 10+n)), 200, "", "its payer")
	}
}

func TestFeesAreLostOnce(t *testing.T) {
	t.Parallel()
	p, _, _ := open(t)
	p.Chain.Fails = true
	for payer := range 3 {
		name := fmt.Sprint("payer ", payer)
		p.Chain.Balances[address(name)] = price
		failed := p.Payment(name, price, 1)
		for from := range 250 {
			if w := p.AskFrom(fmt.Sprintf("198.51.%d.%d:1", payer, from), verdict, failed); w.Code != 402 &&
				w.Code != 429 {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
		}
	}
	p.Chain.Fails = false
	if lost := strings.Count(p.Log.String(), "payment failed on the chain"); lost != 3 || p.Chain.Sent != 3 {
		t.Errorf("%d fees, %d sent", lost, p.Chain.Sent)
	}
	want(t, p.Ask(verdict, p.Payment("ada", price, 1)), 200, "")
}

// On Solana, an assertion by the program Lighthouse can hold in a node's simulation and still fail in the block.
func TestAssertionsBurnNoMore(t *testing.T) {
	t.Parallel()
	p, _, _ := open(t)
	guard := solana.NewInstruction(solana.MustPublicKeyFromBase58("L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95"), nil,
		[]byte{15, 0})
	p.Chain.Fails = true
	for payer := range 60 {
		name := fmt.Sprint("payer ", payer)
		p.Chain.Balances[address(name)] = price
		must(t, p.AskFrom(fmt.Sprint("198.51.100.", payer, ":1"), verdict, p.Payment(name, price, 1, guard)), 402, "")
	}
	p.Chain.Fails = false
	if p.Chain.Sent != 50 {
		t.Errorf("%d sent", p.Chain.Sent)
	}
	w := p.Ask(verdict, p.Payment("ada", price, 1, guard))
	if required := header[x402pay.Required](t, w, x402pay.RequiredHeader); w.Code != 402 ||
		required.Error != "guarded_payments_not_accepted" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	want(t, p.Ask(verdict, p.Payment("ada", price, 2)), 200, "")
}

func TestOneKeyOneService(t *testing.T) {
	t.Parallel()
	p, _, _ := open(t)
	theirs, _, _ := open(t)
	other, err := x402pay.New(x402pay.Config{Network: x402pay.Mainnet, Mint: pay.MainnetUSDC,
		Wallet: fixture.PerCallWallet.String(), FeeKey: fixture.SolanaKey("other fees")})
	if err != nil {
		t.Fatal(err)
	}
	theirs.Seller = other
	if w := p.Ask(verdict, theirs.Payment("ada", price, 1)); w.Code != 402 || p.Chain.Calls > 0 {
		t.Errorf("%d %s, the chain was asked %d times", w.Code, w.Body, p.Chain.Calls)
	}
}

func TestInvalidPaymentsMakeNoCalls(t *testing.T) {
	t.Parallel()
	p, _, _ := open(t)
	for n := range 100 {
		must(t, p.Ask(verdict, p.Payment("ada", price+1+int64(n), n)), 402, "")
	}
	if p.Chain.Calls > 0 {
		t.Errorf("the chain was asked %d times", p.Chain.Calls)
	}
}

// A node may accept a payment that never gets into a block, for example because its blockhash
// expires soon.
func TestOpenPaymentsAreBounded(t *testing.T) {
	t.Parallel()
	p, clock, _ := open(t)
	p.Chain.Fault = failing(pay.ErrNotFound, "send")
	first := p.Payment("ada", price, 0)
	for range 30 {
		if w := p.Ask(verdict, first); w.Code != 503 || w.Header().Get("Retry-After") == "" {
			t.Fatalf("shown again: %d %s", w.Code, w.Body)
		}
	}
	from := func(n int) string { return fmt.Sprint("198.51.100.", n, ":1") }
	status := map[int]int{}
	for n := range 60 {
		if n%10 == 0 {
			clock.Add(store.OpenFor)
		}
		w := p.AskFrom(from(n), verdict, p.Payment("ada", price, 1+n))
		status[w.Code]++
	}
	if status[503] != 4 || status[429] != 56 {
		t.Errorf("of one payer: %v", status)
	}
	p.Chain.Expire()
	p.Chain.Fault = nil
	clock.Add(store.OpenFor)
	want(t, p.AskFrom(from(99), verdict, p.Payment("ada", price, 99)), 200, "", "once the others came to nothing")
	want(t, p.Ask(verdict, first), 402, "", "expired")
}

func TestSlotsOfTheLostAreFreed(t *testing.T) {
	t.Parallel()
	p, clock, _ := open(t)
	p.Chain.Fault = failing(pay.ErrUnavailable, "sent", "outcome")
	lost := make([]string, 5)
	for n := range lost {
		p.Chain.Fails = n == 0
		lost[n] = p.Payment("ada", price, n)
		must(t, p.Ask(verdict, lost[n]), 503, "")
		clock.Add(store.OpenFor)
	}
	bob := address("bob")
	p.Chain.Balances[bob] = 1_000_000
	want(t, p.Ask(verdict, p.Payment("bob", price, 0)), 429, "", "while nobody knows")
	p.Chain.Fault = nil
	for n := range 4 {
		clock.Add(store.OpenFor)
		want(t, p.Ask(verdict, p.Payment("bob", price, 1+n)), 200, "", "payment ", n)
	}
	for n, payment := range lost {
		if w := p.Ask(verdict, payment); (w.Code == 200) != (n > 0) {
			t.Errorf("payment %d, shown again: %d %s", n, w.Code, w.Body)
		}
	}
	if fees := strings.Count(p.Log.String(), "payment failed on the chain"); fees != 1 {
		t.Errorf("%d fees are logged", fees)
	}
}
