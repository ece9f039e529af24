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
	"github.com/google/go-cmp/cmp"

	"verdetto/shared/pay"
)

const price = 10_000 // a hundredth of a USDC

var (
	feeKey   = keyOf("fee payer")
	payerKey = keyOf("payer")
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

func accountOf(t testing.TB, owner, mint solana.PublicKey) solana.PublicKey {
	t.Helper()
	account, _, err := solana.FindAssociatedTokenAddress(owner, mint)
	if err != nil {
		t.Fatal(err)
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

// draft is a transaction in the making, as a client makes it.
type draft struct {
	feePayer solana.PublicKey
	calls    []solana.Instruction
	version  solana.MessageVersion
	blocked  solana.Hash
	sign     []ed25519.PrivateKey // beside the fee payer, whose place is left empty

	message func(*solana.Message)     // changes what is signed
	signed  func(*solana.Transaction) // changes what was signed
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

// transferOf is a checked transfer; owner signs.
func transferOf(source, mint, destination, owner solana.PublicKey, units uint64, decimals byte) solana.Instruction {
	return call(solana.TokenProgramID, append(binary.LittleEndian.AppendUint64([]byte{transferChecked}, units), decimals),
		solana.Meta(source).WRITE(), solana.Meta(mint), solana.Meta(destination).WRITE(), solana.Meta(owner).SIGNER())
}

// good is a payment as the published clients make it.
func good(t testing.TB) *draft {
	payer := addressOf(payerKey)
	return &draft{
		feePayer: addressOf(feeKey), version: solana.MessageVersionV0, sign: []ed25519.PrivateKey{payerKey},
		calls: []solana.Instruction{
			limitCall(20_000), priceCall(1),
			transferOf(accountOf(t, payer, mint), mint, accountOf(t, wallet, mint), payer, price, 6),
			call(solana.MemoProgramID, []byte("00112233445566778899aabbccddeeff")),
		},
	}
}

// payment is what the client sends.
func (d *draft) payment(t testing.TB, s *Seller) Payload {
	t.Helper()
	tx, err := solana.NewTransaction(d.calls, d.blocked, solana.TransactionPayer(d.feePayer))
	if err != nil {
		t.Fatal(err)
	}
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
		"as the published clients make it": {func(*draft) {}, 10_001},
		"of the first version":             {func(d *draft) { d.version = solana.MessageVersionLegacy }, 10_001},
		"without a memo":                   {func(d *draft) { d.calls = d.calls[:3] }, 10_001},
		"in another order":                 {func(d *draft) { d.calls[0], d.calls[2] = d.calls[2], d.calls[0] }, 10_001},
		"at no price of computing":         {func(d *draft) { d.calls[1] = priceCall(0) }, 10_000},
		"as dear as it may be":             {func(d *draft) { d.calls[1] = priceCall(500_000) }, MaxFee},
		"guarded by a wallet": {func(d *draft) {
			guard := call(lighthouse, []byte{1}, solana.Meta(accountOf(t, addressOf(payerKey), mint)))
			d.calls = append(d.calls, guard, guard, guard)
		}, 10_001},
		"from another account of the payer's": {func(d *draft) {
			d.calls[2] = transferOf(addressOf(keyOf("old account")), mint, accountOf(t, wallet, mint), addressOf(payerKey), price, 6)
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
			if p.Payer != addressOf(payerKey).String() || p.Units != price || p.Fee != c.fee {
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

// TestHostilePayments changes one thing in a good payment. Nothing of it is signed.
func TestHostilePayments(t *testing.T) {
	s := seller(t)
	payer, other := addressOf(payerKey), keyOf("other")
	source, destination := accountOf(t, payer, mint), accountOf(t, wallet, mint)
	fee := addressOf(feeKey)
	// paying replaces the transfer, with others who sign.
	paying := func(c solana.Instruction, sign ...ed25519.PrivateKey) func(*draft) {
		return func(d *draft) { d.calls[2], d.sign = c, append(d.sign, sign...) }
	}
	adding := func(c solana.Instruction, sign ...ed25519.PrivateKey) func(*draft) {
		return func(d *draft) { d.calls, d.sign = append(d.calls, c), append(d.sign, sign...) }
	}
	asking := func(change func(*Payload)) func(*draft) { return func(d *draft) { d.payload = change } }
	text := func(change func(string) string) func(*draft) {
		return asking(func(p *Payload) { p.Payload.Transaction = change(p.Payload.Transaction) })
	}
	token := func(data []byte, accounts ...*solana.AccountMeta) solana.Instruction {
		return call(solana.TokenProgramID, data, accounts...)
	}
	transferred := []*solana.AccountMeta{solana.Meta(source).WRITE(), solana.Meta(mint), solana.Meta(destination).WRITE(), solana.Meta(payer).SIGNER()}
	ten := func(first byte) []byte { return append(binary.LittleEndian.AppendUint64([]byte{first}, price), 6) }
	lamports := func(n uint64) []byte { return binary.LittleEndian.AppendUint64([]byte{2, 0, 0, 0}, n) }

	for _, c := range []struct {
		name   string
		change func(*draft)
		reason string
	}{
		{"another version of the protocol", asking(func(p *Payload) { p.X402Version = 1 }), invalidVersion},
		{"another scheme", asking(func(p *Payload) { p.Accepted.Scheme = "upto" }), unsupportedScheme},
		{"the test network", asking(func(p *Payload) { p.Accepted.Network = Devnet }), invalidNetwork},
		{"another chain", asking(func(p *Payload) { p.Accepted.Network = "eip155:8453" }), invalidNetwork},
		{"a lower price accepted", asking(func(p *Payload) { p.Accepted.Amount = "1" }), invalidRequirements},
		{"another coin accepted", asking(func(p *Payload) { p.Accepted.Asset = pay.DevnetUSDC }), invalidRequirements},
		{"another wallet accepted", asking(func(p *Payload) { p.Accepted.PayTo = payer.String() }), invalidRequirements},
		{"another fee payer accepted", asking(func(p *Payload) { p.Accepted.Extra.FeePayer = payer.String() }), invalidRequirements},
		{"more time accepted", asking(func(p *Payload) { p.Accepted.MaxTimeoutSeconds = 1 << 30 }), invalidRequirements},

		{"no transaction", text(func(string) string { return "" }), undecoded},
		{"no base64", text(func(s string) string { return "*" + s[1:] }), undecoded},
		{"cut short", text(func(s string) string { return s[:len(s)/2/4*4] }), undecoded},
		{"longer than the network takes", text(func(s string) string { return strings.Repeat("A", 4000) }), undecoded},
		{"something behind it", func(d *draft) { d.wire = func(w []byte) []byte { return append(w, 0) } }, undecoded},
		{"three signatures", func(d *draft) {
			d.signed = func(tx *solana.Transaction) { tx.Signatures = append(tx.Signatures, solana.Signature{}) }
		}, undecoded},
		{"one signature", func(d *draft) {
			d.wire = func(w []byte) []byte {
				w[0] = 1
				return append(w[:1+solana.SignatureLength], w[1+2*solana.SignatureLength:]...)
			}
		}, undecoded},
		{"an account that is not there", func(d *draft) { d.message = func(m *solana.Message) { m.Instructions[2].Accounts[2] = 99 } }, undecoded},
		{"a program that is not there", func(d *draft) { d.message = func(m *solana.Message) { m.Instructions[3].ProgramIDIndex = 99 } }, undecoded},
		{"an account twice", func(d *draft) {
			d.message = func(m *solana.Message) { m.AccountKeys[len(m.AccountKeys)-1] = m.AccountKeys[1] }
		}, undecoded},
		{"accounts in a look-up table", func(d *draft) {
			d.message = func(m *solana.Message) {
				m.SetAddressTableLookups([]solana.MessageAddressTableLookup{{AccountKey: addressOf(other), WritableIndexes: []byte{0}}})
			}
		}, undecoded},

		{"the fee is somebody else's", func(d *draft) { d.feePayer = addressOf(other) }, invalidRequirements},
		{"the fee is the payer's", func(d *draft) { d.feePayer = payer }, undecoded},
		{"the fee is the payer's, and another signs", func(d *draft) {
			d.feePayer, d.sign = payer, append(d.sign, other)
			d.calls[3] = call(solana.MemoProgramID, []byte("x"), solana.Meta(addressOf(other)).SIGNER())
		}, invalidRequirements},
		{"not signed", func(d *draft) { d.sign = nil }, badSignature},
		{"another's signature", func(d *draft) {
			d.signed = func(tx *solana.Transaction) { copy(tx.Signatures[1][:], ed25519.Sign(other, []byte("x"))) }
		}, badSignature},
		{"changed after it was signed", func(d *draft) {
			d.signed = func(tx *solana.Transaction) { tx.Message.RecentBlockhash[0] ^= 1 }
		}, badSignature},
		{"a third who signs", adding(call(solana.MemoProgramID, []byte("x"), solana.Meta(addressOf(other)).SIGNER()), other), undecoded},

		{"another coin", paying(transferOf(source, solana.MustPublicKeyFromBase58(pay.DevnetUSDC), destination, payer, price, 6)), mintMismatch},
		{"to the payer", paying(transferOf(source, mint, source, payer, price, 6)), toOthers},
		{"to another wallet", paying(transferOf(source, mint, accountOf(t, addressOf(other), mint), payer, price, 6)), toOthers},
		{"to the wallet itself", paying(transferOf(source, mint, wallet, payer, price, 6)), toOthers},
		{"from the wallet's account", paying(transferOf(destination, mint, destination, payer, price, 6)), toOthers},
		{"one unit short", paying(transferOf(source, mint, destination, payer, price-1, 6)), amountMismatch},
		{"one unit more", paying(transferOf(source, mint, destination, payer, price+1, 6)), amountMismatch},
		{"nothing", paying(transferOf(source, mint, destination, payer, 0, 6)), amountMismatch},
		{"other decimals", paying(transferOf(source, mint, destination, payer, price, 9)), amountMismatch},
		{"of coins that we own", func(d *draft) {
			d.calls[2] = transferOf(accountOf(t, fee, mint), mint, destination, fee, price, 6)
			d.calls[3] = call(solana.MemoProgramID, []byte("x"), solana.Meta(payer).SIGNER())
		}, feePayerNamed},
		{"of another's coins", func(d *draft) {
			d.calls[2] = transferOf(source, mint, destination, addressOf(other), price, 6)
			d.calls[2].(*solana.GenericInstruction).AccountValues[3].IsSigner = false
			d.calls[3] = call(solana.MemoProgramID, []byte("x"), solana.Meta(payer).SIGNER())
		}, badSignature},
		{"an unchecked transfer", paying(token(binary.LittleEndian.AppendUint64([]byte{3}, price), transferred[0], transferred[2], transferred[3])), noTransfer},
		{"an approval", paying(token(ten(13), transferred...)), noTransfer},
		{"coins burnt", paying(token(ten(15), transferred...)), noTransfer},
		{"an owner of several signers", paying(token(ten(transferChecked), append(transferred, solana.Meta(addressOf(other)))...)), noTransfer},
		{"too few accounts", paying(token(ten(transferChecked), transferred[1:]...)), noTransfer},
		{"another token program", paying(call(solana.Token2022ProgramID, ten(transferChecked), transferred...)), badInstructions},
		{"no transfer", func(d *draft) { d.calls[2] = call(solana.MemoProgramID, []byte("x"), solana.Meta(payer).SIGNER()) }, noTransfer},
		{"two transfers", adding(transferOf(source, mint, destination, payer, price, 6)), noTransfer},
		{"and back again", adding(transferOf(destination, mint, source, payer, price, 6)), toOthers},

		{"our SOL to the payer", adding(call(solana.SystemProgramID, lamports(1), solana.Meta(fee).WRITE().SIGNER(), solana.Meta(payer).WRITE())), feePayerNamed},
		{"the payer's SOL to us", adding(call(solana.SystemProgramID, lamports(1), solana.Meta(payer).WRITE().SIGNER(), solana.Meta(fee).WRITE())), feePayerNamed},
		{"a nonce that never expires", func(d *draft) {
			advance := call(solana.SystemProgramID, []byte{4, 0, 0, 0}, solana.Meta(addressOf(other)).WRITE(), solana.Meta(payer).SIGNER())
			d.calls = append([]solana.Instruction{advance}, d.calls...)
		}, badInstructions},
		{"an account made at our cost", adding(call(solana.SPLAssociatedTokenAccountProgramID, nil, solana.Meta(fee).WRITE().SIGNER(), solana.Meta(destination).WRITE())), feePayerNamed},
		{"we are named in a memo", adding(call(solana.MemoProgramID, []byte("x"), solana.Meta(fee).SIGNER())), feePayerNamed},
		{"we are named to a guard", adding(call(lighthouse, []byte{1}, solana.Meta(fee))), feePayerNamed},
		{"we are the program", adding(call(fee, nil)), undecoded},
		{"a program of their own", adding(call(addressOf(other), []byte{1}, solana.Meta(source).WRITE())), badInstructions},
		{"eight calls", func(d *draft) {
			for len(d.calls) < 8 {
				d.calls = append(d.calls, call(solana.MemoProgramID, []byte("x")))
			}
		}, badInstructions},
		{"a dear place", func(d *draft) { d.calls[1] = priceCall(500_050) }, feeTooHigh},
		{"a dear place by overflow", func(d *draft) { d.calls[0], d.calls[1] = limitCall(1<<32-1), priceCall(1<<63) }, feeTooHigh},
		{"much computing", func(d *draft) { d.calls[0], d.calls[1] = limitCall(1<<32-1), priceCall(3) }, feeTooHigh},
		{"no limit of computing", func(d *draft) { d.calls = d.calls[1:] }, badLimit},
		{"no price of computing", func(d *draft) { d.calls = append(d.calls[:1], d.calls[2:]...) }, badPrice},
		{"two limits", adding(limitCall(1)), badLimit},
		{"two prices", adding(priceCall(1)), badPrice},
		{"a heap", adding(call(solana.ComputeBudget, []byte{1, 0, 0, 4, 0})), badLimit},
		{"an empty budget", adding(call(solana.ComputeBudget, nil)), badLimit},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := good(t)
			c.change(d)
			p, err := s.Verify(d.payment(t, s), s.Requirements(price))
			var r *Refusal
			if !errors.As(err, &r) || r.Reason != c.reason || r.Detail == "" {
				t.Errorf("%v, want %s", err, c.reason)
			}
			if diff := cmp.Diff(Payment{}, p, cmp.AllowUnexported(Payment{})); diff != "" {
				t.Errorf("there is something to sign: %s", diff)
			}
		})
	}
}

// TestEveryByte changes each byte of a good payment: nothing else passes than what its payer has signed.
func TestEveryByte(t *testing.T) {
	s := seller(t)
	sent := good(t).payment(t, s)
	wire, err := base64.StdEncoding.DecodeString(sent.Payload.Transaction)
	if err != nil {
		t.Fatal(err)
	}
	for i := range wire {
		for _, bit := range []byte{1, 0x80} {
			changed := bytes.Clone(wire)
			changed[i] ^= bit
			sent.Payload.Transaction = base64.StdEncoding.EncodeToString(changed)
			_, err := s.Verify(sent, s.Requirements(price))
			if ours := i >= 1 && i < 1+solana.SignatureLength; (err == nil) != ours { // our signature's place: it is written anew
				t.Errorf("byte %d: %v", i, err)
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
		"no base64": "{}", "no JSON": base64.StdEncoding.EncodeToString([]byte("paid")), "a list": base64.StdEncoding.EncodeToString([]byte("[]")),
		"long": strings.Repeat("A", maxHeader+1), "an amount that is a number": base64.StdEncoding.EncodeToString([]byte(`{"accepted":{"amount":1}}`)),
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

// FuzzVerify: whatever is sent, what passes is signed by its payer and costs us no more than it may.
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
