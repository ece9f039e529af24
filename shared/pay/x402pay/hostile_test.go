package x402pay

import (
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"
	"github.com/google/go-cmp/cmp"

	"verdetto/shared/pay"
)

var (
	other       = keyOf("other")
	stranger    = addressOf(other)
	fee         = addressOf(feeKey)
	source      = accountOf(payer, mint)
	destination = accountOf(wallet, mint)
	transfer    = []*solana.AccountMeta{solana.Meta(source).WRITE(), solana.Meta(mint), solana.Meta(destination).WRITE(),
		solana.Meta(payer).SIGNER()}
)

func paying(c solana.Instruction, sign ...ed25519.PrivateKey) func(*draft) {
	return func(d *draft) { d.calls[2], d.sign = c, append(d.sign, sign...) }
}

func adding(c solana.Instruction, sign ...ed25519.PrivateKey) func(*draft) {
	return func(d *draft) { d.calls, d.sign = append(d.calls, c), append(d.sign, sign...) }
}

func asking(change func(*Payload)) func(*draft) { return func(d *draft) { d.payload = change } }

func text(change func(string) string) func(*draft) {
	return asking(func(p *Payload) { p.Payload.Transaction = change(p.Payload.Transaction) })
}

func token(data []byte, accounts ...*solana.AccountMeta) solana.Instruction {
	return call(solana.TokenProgramID, data, accounts...)
}

func memo(accounts ...*solana.AccountMeta) solana.Instruction {
	return call(solana.MemoProgramID, []byte("x"), accounts...)
}

func ten(first byte) []byte { return append(binary.LittleEndian.AppendUint64([]byte{first}, price), 6) }

func lamports(n uint64) []byte { return binary.LittleEndian.AppendUint64([]byte{2, 0, 0, 0}, n) }

var hostile = map[string][]struct {
	name   string
	change func(*draft)
	reason string
}{
	"of other requirements": {
		{"another version of the protocol", asking(func(p *Payload) { p.X402Version = 1 }), invalidVersion},
		{"another scheme", asking(func(p *Payload) { p.Accepted.Scheme = "upto" }), unsupportedScheme},
		{"the test network", asking(func(p *Payload) { p.Accepted.Network = Devnet }), invalidNetwork},
		{"another chain", asking(func(p *Payload) { p.Accepted.Network = "eip155:8453" }), invalidNetwork},
		{"a lower price accepted", asking(func(p *Payload) { p.Accepted.Amount = "1" }), invalidRequirements},
		{"another coin accepted", asking(func(p *Payload) { p.Accepted.Asset = pay.DevnetUSDC }), invalidRequirements},
		{"another wallet accepted", asking(func(p *Payload) { p.Accepted.PayTo = payer.String() }),
			invalidRequirements},
		{"another fee payer accepted", asking(func(p *Payload) { p.Accepted.Extra.FeePayer = payer.String() }),
			invalidRequirements},
		{"more time accepted", asking(func(p *Payload) { p.Accepted.MaxTimeoutSeconds = 1 << 30 }),
			invalidRequirements},
	},
	"written otherwise than the network reads it": {
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
		{"an account that is not there", func(
			d *draft) {
			d.message = func(m *solana.Message) { m.Instructions[2].Accounts[2] = 99 }
		}, undecoded},
		{"a program that is not there", func(
			d *draft) {
			d.message = func(m *solana.Message) { m.Instructions[3].ProgramIDIndex = 99 }
		}, undecoded},
		{"an account twice", func(d *draft) {
			d.message = func(m *solana.Message) { m.AccountKeys[len(m.AccountKeys)-1] = m.AccountKeys[1] }
		}, undecoded},
		{"of version 1 at too high a fee", asV1(20_000, 10_001), feeTooHigh},
		{"of version 1 at a fee that overflows", asV1(20_000, 1<<64-1), feeTooHigh},
		{"of version 1 at too high a fee together with its calls", func(d *draft) {
			calls := append([]solana.Instruction{limitCall(1), priceCall(1)}, d.calls[2:]...)
			asV1(20_000, 10_000)(d)
			d.calls = calls
		}, feeTooHigh},
		{"of version 1 without a limit", func(d *draft) {
			asV1(0, 0)(d)
			d.config.ComputeUnitLimit = nil
		}, badLimit},
		{"accounts in a look-up table", func(d *draft) {
			d.message = func(m *solana.Message) {
				m.SetAddressTableLookups([]solana.MessageAddressTableLookup{{AccountKey: stranger,
					WritableIndexes: []byte{0}}})
			}
		}, undecoded},
	},
	"signed by others, or not": {
		{"the fee is somebody else's", func(d *draft) { d.feePayer = stranger }, invalidRequirements},
		{"the fee is the payer's", func(d *draft) { d.feePayer = payer }, undecoded},
		{"the fee is the payer's, and another signs", func(d *draft) {
			d.feePayer, d.sign = payer, append(d.sign, other)
			d.calls[3] = memo(solana.Meta(stranger).SIGNER())
		}, invalidRequirements},
		{"not signed", func(d *draft) { d.sign = nil }, badSignature},
		{"another's signature", func(d *draft) {
			d.signed = func(tx *solana.Transaction) { copy(tx.Signatures[1][:], ed25519.Sign(other, []byte("x"))) }
		}, badSignature},
		{"changed after it was signed", func(d *draft) {
			d.signed = func(tx *solana.Transaction) { tx.Message.RecentBlockhash[0] ^= 1 }
		}, badSignature},
		{"a third who signs", adding(memo(solana.Meta(stranger).SIGNER()), other), undecoded},
	},
	"with other transfers": {
		{"another coin", paying(transferOf(source, solana.MustPublicKeyFromBase58(pay.DevnetUSDC), destination, payer,
			price, 6)), mintMismatch},
		{"to the payer", paying(transferOf(source, mint, source, payer, price, 6)), toOthers},
		{"to another wallet", paying(transferOf(source, mint, accountOf(stranger, mint), payer, price, 6)), toOthers},
		{"to the wallet itself", paying(transferOf(source, mint, wallet, payer, price, 6)), toOthers},
		{"from the wallet's account", paying(transferOf(destination, mint, destination, payer, price, 6)), toOthers},
		{"one unit short", paying(transferOf(source, mint, destination, payer, price-1, 6)), amountMismatch},
		{"one unit more", paying(transferOf(source, mint, destination, payer, price+1, 6)), amountMismatch},
		{"nothing", paying(transferOf(source, mint, destination, payer, 0, 6)), amountMismatch},
		{"other decimals", paying(transferOf(source, mint, destination, payer, price, 9)), amountMismatch},
		{"of coins that we own", func(d *draft) {
			d.calls[2] = transferOf(accountOf(fee, mint), mint, destination, fee, price, 6)
			d.calls[3] = memo(solana.Meta(payer).SIGNER())
		}, feePayerNamed},
		{"of another's coins", func(d *draft) {
			d.calls[2] = transferOf(source, mint, destination, stranger, price, 6)
			d.calls[2].(*solana.GenericInstruction).AccountValues[3].IsSigner = false
			d.calls[3] = memo(solana.Meta(payer).SIGNER())
		}, badSignature},
		{"an unchecked transfer", paying(token(binary.LittleEndian.AppendUint64([]byte{3}, price), transfer[0],
			transfer[2], transfer[3])), noTransfer},
		{"an approval", paying(token(ten(13), transfer...)), noTransfer},
		{"coins burnt", paying(token(ten(15), transfer...)), noTransfer},
		{"an owner of several signers", paying(token(ten(transferChecked), append(transfer, solana.Meta(stranger))...)),
			noTransfer},
		{"too few accounts", paying(token(ten(transferChecked), transfer[1:]...)), noTransfer},
		{"another token program", paying(call(solana.Token2022ProgramID, ten(transferChecked), transfer...)),
			badInstructions},
		{"no transfer", func(d *draft) { d.calls[2] = memo(solana.Meta(payer).SIGNER()) }, noTransfer},
		{"two transfers", adding(transferOf(source, mint, destination, payer, price, 6)), noTransfer},
		{"and back again", adding(transferOf(destination, mint, source, payer, price, 6)), toOthers},
	},
	"with other calls": {
		{"our SOL to the payer", adding(call(solana.SystemProgramID, lamports(1), solana.Meta(fee).WRITE().SIGNER(),
			solana.Meta(payer).WRITE())), feePayerNamed},
		{"the payer's SOL to us", adding(call(solana.SystemProgramID, lamports(1), solana.Meta(payer).WRITE().SIGNER(),
			solana.Meta(fee).WRITE())), feePayerNamed},
		{"a nonce that never expires", func(d *draft) {
			advance := call(solana.SystemProgramID, []byte{4, 0, 0, 0}, solana.Meta(stranger).WRITE(),
				solana.Meta(payer).SIGNER())
			d.calls = append([]solana.Instruction{advance}, d.calls...)
		}, badInstructions},
		{"an account made at our cost", adding(call(solana.SPLAssociatedTokenAccountProgramID, nil,
			solana.Meta(fee).WRITE().SIGNER(), solana.Meta(destination).WRITE())), feePayerNamed},
		{"we are named in a memo", adding(memo(solana.Meta(fee).SIGNER())), feePayerNamed},
		{"we are named to a guard", adding(call(lighthouse, []byte{1}, solana.Meta(fee))), feePayerNamed},
		{"we are the program", adding(call(fee, nil)), undecoded},
		{"a program of their own", adding(call(stranger, []byte{1}, solana.Meta(source).WRITE())), badInstructions},
		{"eight calls", func(d *draft) {
			for len(d.calls) < 8 {
				d.calls = append(d.calls, memo())
			}
		}, badInstructions},
		{"a dear place", func(d *draft) { d.calls[1] = priceCall(500_050) }, feeTooHigh},
		{"a dear place by overflow", func(d *draft) { d.calls[0], d.calls[1] = limitCall(1<<32-1), priceCall(1<<63) },
			feeTooHigh},
		{"much computing", func(d *draft) { d.calls[0], d.calls[1] = limitCall(1<<32-1), priceCall(3) }, feeTooHigh},
		{"no limit of computing", func(d *draft) { d.calls = d.calls[1:] }, badLimit},
		{"no price of computing", func(d *draft) { d.calls = append(d.calls[:1], d.calls[2:]...) }, badPrice},
		{"two limits", adding(limitCall(1)), badLimit},
		{"two prices", adding(priceCall(1)), badPrice},
		{"a heap", adding(call(solana.ComputeBudget, []byte{1, 0, 0, 4, 0})), badLimit},
		{"an empty budget", adding(call(solana.ComputeBudget, nil)), badLimit},
	},
}

func TestHostilePayments(t *testing.T) {
	s := seller(t)
	for group, cases := range hostile {
		for _, c := range cases {
			t.Run(group+": "+c.name, func(t *testing.T) {
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
}
