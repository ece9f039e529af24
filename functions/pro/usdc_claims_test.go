package pro_test

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"sync"
	"testing"

	"github.com/gagliardetto/solana-go/base58"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/apikey"
	"verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
)

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

func claim(s fixture.Shop, email string, signature pay.Signature, firma string) fixture.Reply {
	fields := []string{"email", email, "signature", signature.String()}
	if firma != "" {
		fields = append(fields, "firma", firma)
	}
	return s.Do("POST", "/v1/pro/verifica-cripta", fixture.Object(fields...))
}

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

func live(s fixture.Shop, email string) bool {
	c, err := s.Pro.Keys.Customer(s.T.Context(), apikey.CustomerIDOf([]byte(fixture.Pepper), email))
	return err == nil && c.Plan().Live(s.Clock.Now())
}
