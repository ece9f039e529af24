package solanapay

import (
	"encoding/base64"
	"fmt"
	"slices"
	"testing"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/base58"
	gocmp "github.com/google/go-cmp/cmp"

	"verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
)

func TestVersion1(t *testing.T) {
	payer := solana.MustPublicKeyFromBase58(playmoney.Address("payer"))
	source, receiver := solana.MustPublicKeyFromBase58(playmoney.Address("source")),
		solana.MustPublicKeyFromBase58(playmoney.Address("receiver"))
	transfer := func(units uint64) solana.Instruction {
		data := append([]byte{12}, byte(units), byte(units>>8), byte(units>>16), 0, 0, 0, 0, 0, 6)
		return solana.NewInstruction(solana.TokenProgramID, solana.AccountMetaSlice{solana.Meta(source).WRITE(),
			solana.Meta(solana.MustPublicKeyFromBase58(pay.MainnetUSDC)), solana.Meta(receiver).WRITE(),
			solana.Meta(payer).SIGNER()}, data)
	}
	memo := func(text string) solana.Instruction {
		return solana.NewInstruction(solana.MemoProgramID, nil, []byte(text))
	}
	other := solana.NewInstruction(solana.MustPublicKeyFromBase58(playmoney.Address("a program that pays")),
		solana.AccountMetaSlice{solana.Meta(payer).SIGNER(), solana.Meta(source).WRITE(), solana.Meta(receiver).WRITE(),
			solana.Meta(solana.TokenProgramID), solana.Meta(solana.MemoProgramID)}, []byte("pay"))
	for name, c := range map[string]struct {
		calls []solana.Instruction
		inner string
		memos []string
	}{
		"no memo":        {[]solana.Instruction{transfer(price)}, "", nil},
		"memo before":    {[]solana.Instruction{memo("vd1:a"), transfer(price)}, "", []string{"vd1:a"}},
		"memo after":     {[]solana.Instruction{transfer(price), memo("vd1:a")}, "", []string{"vd1:a"}},
		"memo between":   {[]solana.Instruction{transfer(1), memo("vd1:a"), transfer(price - 1)}, "", []string{"vd1:a"}},
		"inner transfer": {[]solana.Instruction{other, memo("last")}, "vd1:a", []string{"vd1:a", "last"}},
	} {
		t.Run(name, func(t *testing.T) {
			config := solana.TransactionConfig{}.WithComputeUnitLimit(20_000).WithPriorityFee(7)
			tx, err := solana.NewTransaction(c.calls, solana.Hash{1}, solana.TransactionPayer(payer),
				solana.TransactionV1Config(config))
			if err != nil {
				t.Fatal(err)
			}
			signature := pay.Signature{1, 2, 3}
			tx.Signatures = []solana.Signature{solana.Signature(signature)}
			wire, err := tx.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			keys := tx.Message.AccountKeys
			balance := func(account solana.PublicKey, owner, amount string) map[string]any {
				return map[string]any{"accountIndex": slices.Index(keys, account), "mint": pay.MainnetUSDC, "owner": owner,
					"programId": tokenProgram, "uiTokenAmount": map[string]any{"amount": amount, "decimals": 6}}
			}
			inner := []any{}
			if c.inner != "" {
				inner = append(inner, map[string]any{"index": 0, "instructions": []any{map[string]any{
					"programIdIndex": slices.Index(keys, solana.MemoProgramID), "data": base58.Encode([]byte(c.inner))}}})
			}
			paid := fmt.Sprint(price)
			got, err := ours.read(encode(t, map[string]any{
				"slot": 1, "blockTime": noon.Unix(), "version": 1,
				"transaction": []string{base64.StdEncoding.EncodeToString(wire), "base64"},
				"meta": map[string]any{"err": nil, "innerInstructions": inner,
					"preTokenBalances":  []any{balance(source, payer.String(), paid), balance(receiver, wallet, "0")},
					"postTokenBalances": []any{balance(source, payer.String(), "0"), balance(receiver, wallet, paid)}},
			}), signature)
			want := pay.Payment{Signature: signature, Units: price, Memos: c.memos, At: noon,
				Payers: []string{payer.String()}}
			if diff := gocmp.Diff(want, got); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
}
