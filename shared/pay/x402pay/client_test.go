package x402pay

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gagliardetto/solana-go"

	"verdetto/shared/pay"
	"verdetto/shared/pay/x402pay/svmlocal"
)

// These tests are paid by published clients, unmodified, over Solana's own
// runtime: signatures, blockhashes, the compute budget and the token program are
// the real ones. make tools fetches both.

// network is that runtime, as a node.
type network struct {
	*svmlocal.Network
	t *testing.T
}

const held = 1_000_000 // units that the payer has at first

// openNetwork starts a network on which the payer holds some USDC and we some SOL.
func openNetwork(t *testing.T) network {
	t.Helper()
	payer := addressOf(payerKey)
	return network{svmlocal.Open(t, svmlocal.World{
		Mint: pay.MainnetUSDC,
		Accounts: []svmlocal.Account{
			{Owner: payer.String(), Account: accountOf(t, payer, mint).String(), Units: held},
			{Owner: wallet.String(), Account: accountOf(t, wallet, mint).String()},
		},
		Lamports: map[string]int64{addressOf(feeKey).String(): 1_000_000_000},
	}), t}
}

// balances are the payer's and the wallet's units, and our lamports.
func (n network) balances() [3]int64 {
	n.t.Helper()
	return [3]int64{
		n.Number("hold", accountOf(n.t, addressOf(payerKey), mint).String()), n.Number("hold", accountOf(n.t, wallet, mint).String()), n.Number("lamports", addressOf(feeKey).String()),
	}
}

// shop sells one answer over HTTP, as the protocol says, and remembers what it was paid with.
type shop struct {
	*Seller
	network network
	sent    []Payload
	before  func() // happens between judging a payment and sending it
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	want := s.Requirements(price)
	settled := Settlement{Network: Mainnet}
	fail := func(err error) {
		header, encodeErr := Required{X402Version: Version, Error: err.Error(), Resource: Resource{URL: "http://" + r.Host + r.URL.Path}, Accepts: []Requirements{want}}.Header()
		if encodeErr != nil {
			s.network.t.Error(encodeErr)
		}
		w.Header().Set(RequiredHeader, header)
		w.WriteHeader(http.StatusPaymentRequired)
	}
	header := r.Header.Get(SignatureHeader)
	if header == "" {
		fail(errors.New(SignatureHeader + " is missing"))
		return
	}
	payload, err := ParsePayload(header)
	if err != nil {
		fail(err)
		return
	}
	s.sent = append(s.sent, payload)
	payment, err := s.Verify(payload, want)
	if err != nil {
		fail(err)
		return
	}
	if s.before != nil {
		s.before()
	}
	signature, wire := payment.Sign()
	if _, err := s.network.Call("sendTransaction", base64.StdEncoding.EncodeToString(wire), map[string]string{"encoding": "base64"}); err != nil {
		fail(err)
		return
	}
	settled.Success, settled.Transaction, settled.Payer, settled.Amount = true, signature.String(), payment.Payer, want.Amount
	if header, err = settled.Header(); err != nil {
		s.network.t.Error(err)
	}
	w.Header().Set(ResponseHeader, header)
	fmt.Fprint(w, "the answer")
}

// TestClientsPay: a published client that is asked for a payment makes it, and
// gets the answer and the name of the transaction; the wallet then has the price,
// the payer that much less, and we have paid the network what Verify said. The
// same payment does nothing a second time.
func TestClientsPay(t *testing.T) {
	for name, client := range svmlocal.Clients {
		t.Run(name, func(t *testing.T) {
			s := &shop{Seller: seller(t), network: openNetwork(t)}
			server := httptest.NewServer(s)
			defer server.Close()
			before := s.network.balances()
			status, header, body := svmlocal.Run(t, client(t, server.URL+"/v1/answer", s.network.URL, seedOf(payerKey)))
			if status != "200" || body != "the answer" {
				t.Fatalf("%s %s %s", status, header, body)
			}
			var settled Settlement
			text, err := base64.StdEncoding.DecodeString(header)
			if err == nil {
				err = json.Unmarshal(text, &settled)
			}
			if _, parseErr := pay.ParseSignature(settled.Transaction); err != nil || parseErr != nil || !settled.Success || settled.Payer != addressOf(payerKey).String() {
				t.Errorf("%+v %v %v", settled, err, parseErr)
			}
			payment, err := s.Verify(s.sent[0], s.Requirements(price))
			if err != nil {
				t.Fatal(err)
			}
			after := s.network.balances()
			if want := [3]int64{before[0] - price, before[1] + price, before[2] - payment.Fee}; after != want {
				t.Errorf("%v, want %v", after, want)
			}
			signature, wire := payment.Sign()
			if signature.String() != settled.Transaction {
				t.Errorf("signed again it is %s", signature)
			}
			if _, err := s.network.Call("sendTransaction", base64.StdEncoding.EncodeToString(wire), nil); err == nil || s.network.balances() != after {
				t.Errorf("sent again: %v, %v", err, s.network.balances())
			}
		})
	}
}

// TestWhatTheNetworkRefuses: a payment that is good as it stands, but not on the
// network, moves nothing and costs us nothing, since a node tries it first.
func TestWhatTheNetworkRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		key    ed25519.PrivateKey
		before func(t *testing.T, n network)
	}{
		"its blockhash has expired": {payerKey, func(t *testing.T, n network) {
			if _, err := n.Call("expire"); err != nil {
				t.Fatal(err)
			}
		}},
		"the payer spends all of it first": {payerKey, func(t *testing.T, n network) {
			d := good(t)
			payer := addressOf(payerKey)
			d.calls[2] = transferOf(accountOf(t, payer, mint), mint, accountOf(t, wallet, mint), payer, held, 6)
			d.blocked = solana.MustHashFromBase58(n.Blockhash())
			send(t, n, d)
		}},
		"the payer never had any": {keyOf("pauper"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shop{Seller: seller(t), network: openNetwork(t)}
			server := httptest.NewServer(s)
			defer server.Close()
			var before [3]int64
			s.before = func() {
				if c.before != nil {
					c.before(t, s.network)
				}
				before = s.network.balances()
			}
			status, header, body := svmlocal.Run(t, svmlocal.Clients["fetch, of npm"](t, server.URL+"/v1/answer", s.network.URL, seedOf(c.key)))
			if status != "402" || header != "null" || body != "" || len(s.sent) != 1 {
				t.Errorf("%s %s %s, %d payments", status, header, body, len(s.sent))
			}
			if after := s.network.balances(); after != before || before == [3]int64{} {
				t.Errorf("%v, before %v", after, before)
			}
		})
	}
}

// send has a payment take effect, judged or not.
func send(t *testing.T, n network, d *draft) {
	t.Helper()
	s := seller(t)
	payload := d.payment(t, s)
	want := s.Requirements(held)
	payload.Accepted = want
	p, err := s.Verify(payload, want)
	if err != nil {
		t.Fatal(err)
	}
	_, wire := p.Sign()
	if _, err := n.Call("sendTransaction", base64.StdEncoding.EncodeToString(wire), nil); err != nil {
		t.Fatal(err)
	}
}

func seedOf(key ed25519.PrivateKey) string { return hex.EncodeToString(key.Seed()) }
