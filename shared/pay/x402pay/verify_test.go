package x402pay

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"

	"verdetto/shared/pay"
)

const price = 10_000 // 0.01 USDC

var (
	feeKey   = keyOf("fee payer")
	payerKey = keyOf("payer")
	payer    = addressOf(payerKey)
	wallet   = addressOf(keyOf("wallet"))
	mint     = solana.MustPublicKeyFromBase58(pay.MainnetUSDC)
)

func keyOf(name string) ed25519.PrivateKey {
	seed := make([]byte, ed25519.SeedSize)
	copy(seed, name)
	return ed25519.NewKeyFromSeed(seed)
}

func addressOf(key ed25519.PrivateKey) solana.PublicKey {
	return solana.PublicKeyFromBytes(key.Public().(ed25519.PublicKey))
}

func accountOf(owner, mint solana.PublicKey) solana.PublicKey {
	account, _, err := solana.FindAssociatedTokenAddress(owner, mint)
	if err != nil {
		panic(err)
	}
	return account
}

func seller(t testing.TB) *Seller {
	t.Helper()
	s, err := New(Config{Network: Mainnet, Mint: pay.MainnetUSDC, Wallet: wallet.String(), FeeKey: feeKey})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type draft struct {
	feePayer solana.PublicKey
	calls    []solana.Instruction
	version  solana.MessageVersion
	config   solana.TransactionConfig
	blocked  solana.Hash
	sign     []ed25519.PrivateKey

	message func(*solana.Message)
	signed  func(*solana.Transaction)
	wire    func([]byte) []byte
	payload func(*Payload)
}

func call(program solana.PublicKey, data []byte, accounts ...*solana.AccountMeta) solana.Instruction {
	return solana.NewInstruction(program, accounts, data)
}

func limitCall(units uint32) solana.Instruction {
	return call(solana.ComputeBudget, binary.LittleEndian.AppendUint32([]byte{2}, units))
}

func priceCall(each uint64) solana.Instruction {
	return call(solana.ComputeBudget, binary.LittleEndian.AppendUint64([]byte{3}, each))
}

func transferOf(source, mint, destination, owner solana.PublicKey, units uint64, decimals byte) solana.Instruction {
	return call(solana.TokenProgramID, append(binary.LittleEndian.AppendUint64([]byte{transferChecked}, units),
		decimals),
		solana.Meta(source).WRITE(), solana.Meta(mint), solana.Meta(destination).WRITE(), solana.Meta(owner).SIGNER())
}

func good(t testing.TB) *draft {
	return &draft{
		feePayer: addressOf(feeKey), version: solana.MessageVersionV0, sign: []ed25519.PrivateKey{payerKey},
		calls: []solana.Instruction{
			limitCall(20_000), priceCall(1),
			transferOf(accountOf(payer, mint), mint, accountOf(wallet, mint), payer, price, 6),
			call(solana.MemoProgramID, []byte("00112233445566778899aabbccddeeff")),
		},
	}
}

func asV1(limit uint32, fee uint64) func(*draft) {
	return func(d *draft) {
		d.version, d.calls = solana.MessageVersionV1, d.calls[2:]
		d.config = solana.TransactionConfig{}.WithComputeUnitLimit(limit).WithPriorityFee(fee)
	}
}

func (d *draft) payment(t testing.TB, s *Seller) Payload {
	t.Helper()
	tx, err := solana.NewTransaction(d.calls, d.blocked, solana.TransactionPayer(d.feePayer))
	if err != nil {
		t.Fatal(err)
	}
	tx.Message.TransactionConfig = d.config
	if _, err := tx.Message.SetVersion(d.version); err != nil {
		t.Fatal(err)
	}
	if d.message != nil {
		d.message(&tx.Message)
	}
	message, err := tx.Message.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	tx.Signatures = make([]solana.Signature, tx.Message.Header.NumRequiredSignatures)
	for _, key := range d.sign {
		for i, account := range tx.Message.AccountKeys[:tx.Message.Header.NumRequiredSignatures] {
			if account == addressOf(key) {
				copy(tx.Signatures[i][:], ed25519.Sign(key, message))
			}
		}
	}
	if d.signed != nil {
		d.signed(tx)
	}
	wire, err := tx.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if d.wire != nil {
		wire = d.wire(wire)
	}
	p := Payload{X402Version: Version, Accepted: s.Requirements(price)}
	p.Payload.Transaction = base64.StdEncoding.EncodeToString(wire)
	if d.payload != nil {
		d.payload(&p)
	}
	return p
}

func TestPaymentsThatPass(t *testing.T) {
	s := seller(t)
	for name, c := range map[string]struct {
		change func(*draft)
		fee    int64
	}{
		"as the published clients make it":   {func(*draft) {}, 10_001},
		"of the first version":               {func(d *draft) { d.version = solana.MessageVersionLegacy }, 10_001},
		"of version 1":                       {asV1(20_000, 0), 10_000},
		"of version 1, as dear as it may be": {asV1(20_000, 10_000), MaxFee},
		"of version 1, with calls about computing that change nothing": {func(d *draft) {
			calls := d.calls
			asV1(20_000, 5_000)(d)
			d.calls = calls
		}, 15_001},
		"without a memo": {func(d *draft) { d.calls = d.calls[:3] }, 10_001},
		"in another order": {func(d *draft) { d.calls[0], d.calls[2] = d.calls[2], d.calls[0] },
			10_001},
		"at no price of computing": {func(d *draft) { d.calls[1] = priceCall(0) }, 10_000},
		"as dear as it may be":     {func(d *draft) { d.calls[1] = priceCall(500_000) }, MaxFee},
		"guarded by a wallet": {func(d *draft) {
			guard := call(lighthouse, []byte{1}, solana.Meta(accountOf(payer, mint)))
			d.calls = append(d.calls, guard, guard, guard)
		}, 10_001},
		"from another account of the payer's": {func(d *draft) {
			d.calls[2] = transferOf(addressOf(keyOf("old account")), mint, accountOf(wallet, mint), payer, price, 6)
		}, 10_001},
	} {
		t.Run(name, func(t *testing.T) {
			d := good(t)
			c.change(d)
			sent := d.payment(t, s)
			p, err := s.Verify(sent, s.Requirements(price))
			if err != nil {
				t.Fatal(err)
			}
			if p.Payer != payer.String() || p.Units != price || p.Fee != c.fee {
				t.Errorf("%s pays %d units, and we %d lamports", p.Payer, p.Units, p.Fee)
			}
			signature, wire := p.Sign()
			tx, err := solana.TransactionFromBytes(wire)
			if err != nil {
				t.Fatal(err)
			}
			if err := tx.VerifySignatures(); err != nil || pay.Signature(tx.Signatures[0]) != signature {
				t.Errorf("signed as %s: %v", signature, err)
			}
			if again, same := p.Sign(); again != signature || !bytes.Equal(same, wire) {
				t.Error("signing twice gives another transaction")
			}
		})
	}
}

// Only the fee payer's signature may differ, because Sign overwrites that signature.
func TestEveryByte(t *testing.T) {
	s := seller(t)
	for name, change := range map[string]func(*draft){"0": func(*draft) {}, "1": asV1(20_000, 1)} {
		d := good(t)
		change(d)
		sent := d.payment(t, s)
		wire, err := base64.StdEncoding.DecodeString(sent.Payload.Transaction)
		if err != nil {
			t.Fatal(err)
		}
		from := 1
		if name == "1" {
			from = len(wire) - 2*solana.SignatureLength
		}
		for i := range wire {
			for _, bit := range []byte{1, 0x80} {
				changed := bytes.Clone(wire)
				changed[i] ^= bit
				sent.Payload.Transaction = base64.StdEncoding.EncodeToString(changed)
				_, err := s.Verify(sent, s.Requirements(price))
				if ours := i >= from && i < from+solana.SignatureLength; (err == nil) != ours {
					t.Errorf("version %s, byte %d: %v", name, i, err)
				}
			}
		}
	}
}

func TestParsePayload(t *testing.T) {
	s := seller(t)
	sent := good(t).payment(t, s)
	text, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	header := base64.StdEncoding.EncodeToString(text)
	if got, err := ParsePayload(header); err != nil || got != sent {
		t.Errorf("%+v %v", got, err)
	}
	for name, header := range map[string]string{
		"no base64": "{}", "no JSON": base64.StdEncoding.EncodeToString([]byte("paid")),
		"a list":                     base64.StdEncoding.EncodeToString([]byte("[]")),
		"long":                       strings.Repeat("A", maxHeader+1),
		"an amount that is a number": base64.StdEncoding.EncodeToString([]byte(`{"accepted":{"amount":1}}`)),
	} {
		var r *Refusal
		if _, err := ParsePayload(header); !errors.As(err, &r) || r.Reason != invalidPayload {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNew(t *testing.T) {
	whole := Config{Network: Devnet, Mint: pay.DevnetUSDC, Wallet: wallet.String(), FeeKey: feeKey}
	for name, change := range map[string]func(*Config){
		"network": func(c *Config) { c.Network = "solana" }, "mint": func(c *Config) { c.Mint = "USDC" },
		"wallet": func(c *Config) { c.Wallet = "" }, "key": func(c *Config) { c.FeeKey = c.FeeKey[:32] },
	} {
		c := whole
		change(&c)
		if _, err := New(c); err == nil || strings.Contains(err.Error(), string(feeKey)) {
			t.Errorf("a bad %s: %v", name, err)
		}
	}
	if s, err := New(whole); err != nil || s.FeePayer() != addressOf(feeKey).String() {
		t.Errorf("%v %v", s, err)
	}
}

func FuzzVerify(f *testing.F) {
	s := seller(f)
	want := s.Requirements(price)
	wire, err := base64.StdEncoding.DecodeString(good(f).payment(f, s).Payload.Transaction)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(wire)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, wire []byte) {
		p := Payload{X402Version: Version, Accepted: want}
		p.Payload.Transaction = base64.StdEncoding.EncodeToString(wire)
		passed, err := s.Verify(p, want)
		if err != nil {
			return
		}
		_, whole := passed.Sign()
		tx, err := solana.TransactionFromBytes(whole)
		if err != nil || tx.VerifySignatures() != nil || passed.Fee > MaxFee || passed.Units != price {
			t.Errorf("%+v passed: %v", passed, err)
		}
	})
}
