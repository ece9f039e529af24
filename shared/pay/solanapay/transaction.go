package solanapay

import (
	"bytes"
	"encoding/base64"
	"encoding/json"

	"github.com/gagliardetto/solana-go"

	"verdetto/shared/pay"
)

// memoPrograms are the two versions of the program that writes memos.
var memoPrograms = map[string]bool{
	"Memo1UhkJRfHyvLMcVucJwxXEuD728EqVDDwxDxFMNo": true,
	solana.MemoProgramID.String():                 true,
}

// maxMemo is the length in base58 of more than a program can be given.
const maxMemo = 16 << 10

// transaction is what was signed: who, and which programs were called with what.
type transaction struct {
	signature pay.Signature // the first, which is its name
	keys      []string      // the accounts: those that signed first, those of look-up tables last
	signers   int           // at least 1
	calls     []call
}

// call is a program and what it was given, which is text if it is a memo.
type call struct{ program, data string }

// readTransaction reads a record's transaction, as bytes or spelled out.
func readTransaction(rec *record) (transaction, error) {
	var tx transaction
	var err error
	switch body := bytes.TrimSpace(rec.Transaction); {
	case len(body) > 0 && body[0] == '[':
		tx, err = readBytes(rec)
	case len(body) > 0 && body[0] == '{':
		tx, err = readSpelled(rec)
	default:
		err = unreadable("the transaction is missing")
	}
	if err != nil {
		return transaction{}, err
	}
	if len(tx.keys) < tx.signers {
		return transaction{}, unreadable("more signatures than accounts")
	}
	return tx, nil
}

// readBytes reads ["...", "base64"], what the network itself was sent.
func readBytes(rec *record) (transaction, error) {
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
	if v := signed.Message.GetVersion(); v != solana.MessageVersionLegacy && v != solana.MessageVersionV0 || len(signed.Signatures) == 0 {
		return transaction{}, unreadable("the transaction is of no known version")
	}
	tx := transaction{signature: pay.Signature(signed.Signatures[0]), signers: len(signed.Signatures)}
	for _, key := range signed.Message.AccountKeys {
		tx.keys = append(tx.keys, key.String())
	}
	tx.load(rec)
	for _, in := range signed.Message.Instructions {
		if program := int(in.ProgramIDIndex); program < len(tx.keys) {
			tx.calls = append(tx.calls, call{tx.keys[program], string(in.Data)})
		} else {
			tx.calls = append(tx.calls, call{})
		}
	}
	return tx, nil
}

// readSpelled reads the transaction as JSON, with or without the node's parsing.
func readSpelled(rec *record) (transaction, error) {
	var spelled struct {
		Signatures []string `json:"signatures"`
		Message    struct {
			AccountKeys  []json.RawMessage `json:"accountKeys"`
			Instructions []instruction     `json:"instructions"`
		} `json:"message"`
	}
	if err := json.Unmarshal(rec.Transaction, &spelled); err != nil || len(spelled.Signatures) == 0 {
		return transaction{}, unreadable("the transaction is incomplete")
	}
	signature, err := pay.ParseSignature(spelled.Signatures[0])
	if err != nil {
		return transaction{}, unreadable("%v", err)
	}
	tx := transaction{signature: signature, signers: len(spelled.Signatures)}
	whole := false // parsed lists hold the keys of look-up tables too
	for _, raw := range spelled.Message.AccountKeys {
		var key string
		var parsed struct {
			Pubkey string `json:"pubkey"`
		}
		if json.Unmarshal(raw, &key) != nil {
			if err := json.Unmarshal(raw, &parsed); err != nil {
				return transaction{}, unreadable("an account's address is missing")
			}
			key, whole = parsed.Pubkey, true
		}
		if key == "" {
			return transaction{}, unreadable("an account's address is missing")
		}
		tx.keys = append(tx.keys, key)
	}
	if !whole {
		tx.load(rec)
	}
	for _, in := range spelled.Message.Instructions {
		c, err := tx.resolve(in)
		if err != nil {
			return transaction{}, err
		}
		tx.calls = append(tx.calls, c)
	}
	return tx, nil
}

// load appends the accounts of look-up tables, whose place is after all others.
func (tx *transaction) load(rec *record) {
	tx.keys = append(tx.keys, rec.Meta.LoadedAddresses.Writable...)
	tx.keys = append(tx.keys, rec.Meta.LoadedAddresses.Readonly...)
}

// instruction is a call in any of the forms that nodes write it.
type instruction struct {
	ProgramID      string          `json:"programId"`
	ProgramIDIndex *int            `json:"programIdIndex"`
	Data           string          `json:"data"`   // base58
	Parsed         json.RawMessage `json:"parsed"` // instead of data, where the node knows the program
}

// resolve finds a call's program, and what it was given if it is a memo; nobody
// needs that of another.
func (tx *transaction) resolve(in instruction) (call, error) {
	program := in.ProgramID
	if i := in.ProgramIDIndex; program == "" && i != nil && *i >= 0 && *i < len(tx.keys) {
		program = tx.keys[*i]
	}
	if !memoPrograms[program] {
		return call{program: program}, nil
	}
	var text *string
	if json.Unmarshal(in.Parsed, &text) == nil && text != nil {
		return call{program, *text}, nil
	}
	var data solana.Base58
	quoted, err := json.Marshal(in.Data)
	if err == nil && len(in.Data) <= maxMemo {
		err = data.UnmarshalJSON(quoted)
	}
	if err != nil || len(data) == 0 && in.Data != "" {
		return call{}, unreadable("a memo")
	}
	return call{program, string(data)}, nil
}

// memos lists what was written with the memo programs, by whichever program, in
// the order of writing.
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
