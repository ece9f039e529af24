package pro_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go/base58"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/apikey"
	"verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

// Tests of USDC payments without a memo that binds them to an address. A claim with the payer's
// signature takes precedence over a claim without it.

// payer is a wallet that pays. Its key signs proofs.
type payer struct{ key ed25519.PrivateKey }

func newPayer(n byte) payer { return payer{ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, 32))} }

func (p payer) pay(s fixture.Shop, memo string) pay.Signature {
	return s.Payments.Node.Pay(playmoney.Transfer{
		Wallet: onemachine.StandInWallet, Mint: pay.DevnetUSDC, Units: fixture.Price, Memo: memo,
		From: base58.Encode(p.key.Public().(ed25519.PublicKey)),
	})
}

func (p payer) proof(email string, signature pay.Signature) []byte {
	return ed25519.Sign(p.key, []byte("Verdetto Pro payment\n"+email+"\n"+signature.String()))
}

// claim claims a payment for an e-mail address. The parameter signature is the transaction. The
// parameter firma is the payer's proof of the payment, and may be empty.
func claim(s fixture.Shop, email string, signature pay.Signature, firma string) fixture.Reply {
	fields := []string{"email", email, "signature", signature.String()}
	if firma != "" {
		fields = append(fields, "firma", firma)
	}
	return s.Do("POST", "/v1/pro/verifica-cripta", fixture.Object(fields...))
}

func TestWhoPaidOutranksWhoClaims(t *testing.T) {
	s := parallel(t)
	ada := newPayer(1)
	signature := ada.pay(s, "thanks")
	eve := claim(s, "eve@example.com", signature, "")
	if eve.Status != 200 || !s.Works(eve.APIKey) {
		t.Fatalf("%d %s", eve.Status, eve.Body)
	}
	s.Clock.Add(29 * 24 * time.Hour)
	want(t, claim(s, "ada@example.com", signature, ""), 409, "pagamento-gia-usato", "a second claim without proof")
	if details := s.Do("GET", "/v1/pro/cripta?email=Ada@example.com", ""); !strings.Contains(details.Body,
		`"proofText":"Verdetto Pro payment\nada@example.com\nSIGNATURE"`) {
		t.Errorf("what to sign is not told: %s", details.Body)
	}
	own := claim(s, "Ada@example.com", signature, base58.Encode(ada.proof("ada@example.com", signature)))
	if own.Status != 200 || !s.Works(own.APIKey) || !own.ExpiresAt.Equal(s.Clock.Now().AddDate(0, 0, 30)) {
		t.Errorf("with proof: %d %s", own.Status, own.Body)
	}
	if s.Works(eve.APIKey) {
		t.Error("the stranger's key still works")
	}
	for name, a := range map[string]fixture.Reply{
		"again": claim(s, "ada@example.com", signature,
			base58.Encode(ada.proof("ada@example.com", signature))),
		"another proof": claim(s, "bob@example.com", signature,
			base64.StdEncoding.EncodeToString(ada.proof("bob@example.com", signature))),
		"without, again": claim(s, "eve@example.com", signature, ""),
	} {
		want(t, a, 409, "pagamento-gia-usato", name)
	}
	if !s.Works(own.APIKey) {
		t.Error("the proven claim was lost")
	}
}

// TestProofsThatAreNone: a claim with an invalid firma (the payer's signature) is refused with the
// reason. That also holds after another address has claimed the payment.
func TestProofsThatAreNone(t *testing.T) {
	s := parallel(t)
	ada, bob := newPayer(1), newPayer(2)
	signature, other := ada.pay(s, ""), ada.pay(s, "")
	good := ada.proof("ada@example.com", signature)
	for name, c := range map[string]struct {
		firma  string
		status int
		code   string
	}{
		"no signature":        {"hello", 400, "richiesta-non-valida"},
		"too short":           {base64.StdEncoding.EncodeToString(good[:63]), 400, "richiesta-non-valida"},
		"by another wallet":   {base58.Encode(bob.proof("ada@example.com", signature)), 422, "prova-non-valida"},
		"for another address": {base58.Encode(ada.proof("eve@example.com", signature)), 422, "prova-non-valida"},
		"of another payment":  {base58.Encode(ada.proof("ada@example.com", other)), 422, "prova-non-valida"},
		"the payment's own":   {signature.String(), 422, "prova-non-valida"},
		"one changed bit":     {base58.Encode(append([]byte{good[0] ^ 1}, good[1:]...)), 422, "prova-non-valida"},
	} {
		want(t, claim(s, "ada@example.com", signature, c.firma), c.status, c.code, name)
	}
	want(t, claim(s, "ada@example.com", signature, base64.StdEncoding.EncodeToString(good)), 200, "", "the good one")
}

// TestProofNeverBeatsWhatIsFinal: three kinds of claims are final, even against a proof: a payment
// that a memo binds, a claim recorded by an earlier version, and a claim that is older than 30
// days.
func TestProofNeverBeatsWhatIsFinal(t *testing.T) {
	s := parallel(t)
	ada := newPayer(1)
	proven := func(signature pay.Signature) fixture.Reply {
		return claim(s, "ada@example.com", signature, base58.Encode(ada.proof("ada@example.com", signature)))
	}
	bound := ada.pay(s, pay.BindingMemo([]byte(fixture.Pepper), "bob@example.com"))
	want(t, proven(bound), 403, "pagamento-di-altri", "a bound payment")
	want(t, claim(s, "bob@example.com", bound, ""), 200, "", "a bound payment, by whose it is")
	marked := ada.pay(s, "")
	if err := s.Table.Write(t.Context(), store.Op{Mode: store.Create, Item: store.Item{
		Key:  store.Key{Partition: "CASHED#payment/" + marked.String(), Sort: "MARK"},
		Data: bytes.Repeat([]byte{'{'}, len(apikey.Hash{})),
	}}); err != nil {
		t.Fatal(err)
	}
	want(t, proven(marked), 409, "", "a payment that an earlier version marked")
	old := ada.pay(s, "")
	claim(s, "eve@example.com", old, "")
	s.Clock.Add(31 * 24 * time.Hour)
	want(t, proven(old), 422, "pagamento-scaduto", "after 31 days")
}

// TestClaimsRace: many callers claim one payment in any order, with and without the payer's
// signature. The payer gets the plan in the end, and no other address keeps the paid days.
func TestClaimsRace(t *testing.T) {
	t.Parallel()
	const rounds, strangers = 100, 4
	s := open(t)
	for round := range rounds {
		withProof := round%2 == 0
		ada := newPayer(byte(round))
		signature := ada.pay(s, "")
		owner := fmt.Sprintf("ada%d@example.com", round)
		stranger := func(n int) string { return fmt.Sprintf("eve%d.%d@example.com", round, n) }
		var wg sync.WaitGroup
		if withProof {
			wg.Go(func() {
				if a := claim(s, owner, signature, base58.Encode(ada.proof(owner, signature))); a.Status != 200 ||
					a.APIKey == "" {
					t.Errorf("round %d: the payer gets %d %s", round, a.Status, a.Body)
				}
			})
		}
		for n := range strangers {
			wg.Go(func() { claim(s, stranger(n), signature, "") })
		}
		wg.Wait()
		plans := 0
		for n := range strangers {
			if live(s, stranger(n)) {
				plans++
			}
		}
		if withProof != live(s, owner) || withProof == (plans == 1) || plans > 1 {
			t.Errorf("round %d, with proof %v: who paid has a plan: %v; %d strangers have one", round, withProof,
				live(s, owner), plans)
		}
	}
}

// live reports whether an address has a live plan.
func live(s fixture.Shop, email string) bool {
	c, err := s.Pro.Keys.Customer(s.T.Context(), apikey.CustomerIDOf([]byte(fixture.Pepper), email))
	return err == nil && c.Plan().Live(s.Clock.Now())
}

// TestTakingOverUnderFaults: the payer takes a payment over from an address that claimed it, while
// one call to the store fails. After a retry the payer has all paid days.
func TestTakingOverUnderFaults(t *testing.T) {
	t.Parallel()
	fixture.EachFault(t, func(t *testing.T, f *storetest.Faulty, clock *storetest.Clock) {
		s := fixture.OpenShop(t, f, clock)
		ada := newPayer(1)
		signature := ada.pay(s, "")
		begun := s.Clock.Now()
		s.Retry(f, func() fixture.Reply { return claim(s, "eve@example.com", signature, "") })
		a := s.Retry(f, func() fixture.Reply {
			return claim(s, "ada@example.com", signature, base58.Encode(ada.proof("ada@example.com", signature)))
		})
		f.Heal()
		if a.Status != 200 && a.Code != "pagamento-gia-usato" || a.Status == 200 && !s.Works(a.APIKey) {
			t.Errorf("%d %s", a.Status, a.Body)
		}
		if end := s.Customer("ada@example.com").Crypto; !end.Equal(begun.AddDate(0, 0, 30)) ||
			live(s, "eve@example.com") {
			t.Errorf("the payer's plan ends %v; the stranger has one: %v", end, live(s, "eve@example.com"))
		}
	})
}

// TestAThiefCannotEraseHisTracks: a thief claims another person's payment, then has his own
// customer data erased. The payer can still claim the payment with a proof.
func TestAThiefCannotEraseHisTracks(t *testing.T) {
	s := parallel(t)
	ada := newPayer(1)
	signature := ada.pay(s, "")
	must(t, s.Verify("eve@example.com", signature), 200, "")
	if err := s.Pro.Keys.Erase(t.Context(), s.Customer("eve@example.com").ID, func(store.Job) bool { return false }); err != nil {
		t.Fatal(err)
	}
	a := claim(s, "ada@example.com", signature, base58.Encode(ada.proof("ada@example.com", signature)))
	if a.Status != 200 || !s.Works(a.APIKey) {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}
