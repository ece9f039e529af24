package solanapay

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"time"

	"verdetto/shared/pay"
)

// tokenProgram is not Token-2022, whose coins can charge for transfers or reverse transfers.
const tokenProgram = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"

const decimals = 6

type rule struct {
	wallet, mint string
}

// A json.RawMessage field is nil if the node omitted the field. The JSON value null is not nil.
type record struct {
	BlockTime   *int64          `json:"blockTime"`
	Transaction json.RawMessage `json:"transaction"`
	Meta        *struct {
		Err               json.RawMessage `json:"err"`
		PreTokenBalances  *[]balance      `json:"preTokenBalances"`
		PostTokenBalances *[]balance      `json:"postTokenBalances"`
		InnerInstructions []struct {
			Index        int           `json:"index"`
			Instructions []instruction `json:"instructions"`
		} `json:"innerInstructions"`
		LoadedAddresses struct {
			Writable []string `json:"writable"`
			Readonly []string `json:"readonly"`
		} `json:"loadedAddresses"`
	} `json:"meta"`
}

type balance struct {
	AccountIndex  *int   `json:"accountIndex"`
	Mint          string `json:"mint"`
	Owner         string `json:"owner"`
	ProgramID     string `json:"programId"` // omitted by old nodes
	UITokenAmount struct {
		Amount   string `json:"amount"`
		Decimals int    `json:"decimals"`
	} `json:"uiTokenAmount"`
}

func unreadable(format string, args ...any) error {
	return fmt.Errorf("%w: %s", pay.ErrUnreadable, fmt.Sprintf(format, args...))
}

func (r rule) read(body []byte, signature pay.Signature) (pay.Payment, error) {
	var rec record
	if err := json.Unmarshal(body, &rec); err != nil {
		return pay.Payment{}, unreadable("%v", err)
	}
	if rec.Meta == nil || rec.Meta.Err == nil {
		return pay.Payment{}, unreadable("its outcome is missing")
	}
	tx, err := readTransaction(&rec)
	if err != nil {
		return pay.Payment{}, err
	}
	// Without this check, a second signature of the transaction could claim the same payment again.
	if tx.signature != signature {
		return pay.Payment{}, unreadable("the node answered with the transaction %s", tx.signature)
	}
	if string(rec.Meta.Err) != "null" {
		return pay.Payment{}, fmt.Errorf("%w: %.200s", pay.ErrFailedTransaction, rec.Meta.Err)
	}
	units, payers, err := r.moved(&rec, len(tx.keys))
	if err != nil {
		return pay.Payment{}, err
	}
	if slices.Contains(tx.keys[:tx.signers], r.wallet) {
		// A wallet that signed may have traded for USDC, and nobody may claim such a gain.
		units = min(units, 0)
	}
	memos, err := tx.memos(&rec)
	if err != nil {
		return pay.Payment{}, err
	}
	payment := pay.Payment{Signature: signature, Units: units, Memos: memos, Payers: payers}
	if rec.BlockTime != nil {
		payment.At = time.Unix(*rec.BlockTime, 0).UTC()
	}
	return payment, nil
}

type tokenBalance struct {
	amount uint64
	owner  string
	ours   bool
}

func (r rule) moved(rec *record, accounts int) (units int64, payers []string, err error) {
	before, err := r.holdings(rec.Meta.PreTokenBalances, accounts)
	if err != nil {
		return 0, nil, err
	}
	after, err := r.holdings(rec.Meta.PostTokenBalances, accounts)
	if err != nil {
		return 0, nil, err
	}
	for account, h := range before {
		if !h.ours && after[account].amount < h.amount {
			payers = append(payers, h.owner)
		}
	}
	slices.Sort(payers)
	units, err = net(before, after)
	return units, slices.Compact(payers), err
}

// If the wallet becomes the owner of an account, the balance that the account already had is no gain.
func net(before, after map[int]tokenBalance) (int64, error) {
	sum := new(big.Int)
	add := func(amount uint64, sign int64) {
		term := new(big.Int).SetUint64(amount)
		sum.Add(sum, term.Mul(term, big.NewInt(sign)))
	}
	for account, h := range after {
		if h.ours {
			add(h.amount, 1)
			add(before[account].amount, -1)
		}
	}
	for account, h := range before {
		if h.ours && !after[account].ours {
			add(h.amount, -1)
		}
	}
	if !sum.IsInt64() {
		return 0, unreadable("more USDC than there can be")
	}
	return sum.Int64(), nil
}

// The map's keys are indexes of accounts in the transaction.
func (r rule) holdings(balances *[]balance, accounts int) (map[int]tokenBalance, error) {
	if balances == nil {
		return nil, unreadable("the token balances are missing")
	}
	found := map[int]tokenBalance{}
	seen := map[int]bool{}
	for _, b := range *balances {
		if b.AccountIndex == nil || *b.AccountIndex < 0 || *b.AccountIndex >= accounts {
			return nil, unreadable("a balance is of no account")
		}
		if seen[*b.AccountIndex] {
			return nil, unreadable("account %d is listed twice", *b.AccountIndex)
		}
		seen[*b.AccountIndex] = true
		if b.Mint != r.mint {
			continue
		}
		amount, err := strconv.ParseUint(b.UITokenAmount.Amount, 10, 64)
		switch {
		case err != nil:
			return nil, unreadable("amount %.40q", b.UITokenAmount.Amount)
		case b.UITokenAmount.Decimals != decimals:
			return nil, unreadable("a coin of %d decimals", b.UITokenAmount.Decimals)
		case b.ProgramID != "" && b.ProgramID != tokenProgram:
			return nil, unreadable("a coin of another token program")
		case b.Owner == "":
			return nil, unreadable("the owner of account %d is missing", *b.AccountIndex)
		}
		found[*b.AccountIndex] = tokenBalance{amount, b.Owner, b.Owner == r.wallet}
	}
	return found, nil
}
