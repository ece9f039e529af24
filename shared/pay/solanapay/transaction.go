package solanapay

import (
	"encoding/base64"
	"encoding/json"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/base58"

	"verdetto/shared/pay"
)

var memoPrograms = map[string]bool{
	"Memo1UhkJRfHyvLMcVucJwxXEuD728EqVDDwxDxFMNo": true,
	solana.MemoProgramID.String():                 true,
}

// maxMemo is a length in base58 characters that no memo in a transaction can reach.
const maxMemo = 16 << 10

type transaction struct {
	signature pay.Signature
	keys      []string // signers come first, accounts from look-up tables last
	signers   int
	calls     []call
}

type call struct{ program, data string }

func readTransaction(rec *record) (transaction, error) {
	var encoded []string
	if err := json.Unmarshal(rec.Transaction, &encoded); err != nil || len(encoded) != 2 || encoded[1] != "base64" {
		return transaction{}, unreadable("the transaction is not in base64")
	}
	wire, err := base64.StdEncoding.DecodeString(encoded[0])
	if err != nil {
		return transaction{}, unreadable("the transaction is not in base64")
	}
	signed, err := solana.TransactionFromBytes(wire)
	if err != nil {
		return transaction{}, unreadable("the transaction: %v", err)
	}
	if len(signed.Signatures) == 0 {
		return transaction{}, unreadable("the transaction is not signed")
	}
	tx := transaction{signature: pay.Signature(signed.Signatures[0]), signers: len(signed.Signatures)}
	for _, key := range signed.Message.AccountKeys {
		tx.keys = append(tx.keys, key.String())
	}
	tx.keys = append(tx.keys, rec.Meta.LoadedAddresses.Writable...)
	tx.keys = append(tx.keys, rec.Meta.LoadedAddresses.Readonly...)
	if len(tx.keys) < tx.signers {
		return transaction{}, unreadable("more signatures than accounts")
	}
	for _, in := range signed.Message.Instructions {
		tx.calls = append(tx.calls, call{tx.key(int(in.ProgramIDIndex)), string(in.Data)})
	}
	return tx, nil
}

func (tx *transaction) key(i int) string {
	if i < 0 || i >= len(tx.keys) {
		return ""
	}
	return tx.keys[i]
}

type instruction struct {
	ProgramIDIndex *int   `json:"programIdIndex"`
	Data           string `json:"data"` // base58
}

func (tx *transaction) resolve(in instruction) (call, error) {
	if in.ProgramIDIndex == nil {
		return call{}, nil
	}
	c := call{program: tx.key(*in.ProgramIDIndex)}
	if !memoPrograms[c.program] {
		return c, nil
	}
	if len(in.Data) > maxMemo {
		return call{}, unreadable("a memo")
	}
	data, err := base58.Decode(in.Data)
	if err != nil && in.Data != "" {
		return call{}, unreadable("a memo")
	}
	c.data = string(data)
	return c, nil
}

func (tx *transaction) memos(rec *record) ([]string, error) {
	var found []string
	note := func(c call) {
		if memoPrograms[c.program] {
			found = append(found, c.data)
		}
	}
	for i, c := range tx.calls {
		note(c)
		for _, inner := range rec.Meta.InnerInstructions {
			if inner.Index != i {
				continue
			}
			for _, in := range inner.Instructions {
				c, err := tx.resolve(in)
				if err != nil {
					return nil, err
				}
				note(c)
			}
		}
	}
	return found, nil
}
