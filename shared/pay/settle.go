package pay

import (
	"context"
	"errors"
	"time"
)

// Settler sends signed transactions. A caller that lost the answer can send the same transaction
// again: nothing is paid twice.
type Settler interface {
	Height(ctx context.Context) (uint64, error)

	// Settle sends a transaction and waits for the outcome. ErrRefusedTransaction means that a node
	// refused the transaction, and that no node that answered knows the transaction.
	Settle(ctx context.Context, s Signed) (Outcome, error)

	// Outcome does not send the transaction. After an error, the transaction may have taken effect, or
	// may still do so.
	Outcome(ctx context.Context, signature Signature, until uint64) (Outcome, error)

	// Balance is in lamports (billionths of a SOL).
	Balance(ctx context.Context, address string) (int64, error)
}

type Signed struct {
	Signature Signature
	Wire      []byte
	Until     uint64 // the transaction cannot take effect above this block height
}

// LastHeight adds the 150 blocks for which a blockhash is valid, and 150 by which the node may lag.
func LastHeight(height uint64) uint64 { return height + 2*150 }

type Outcome string

const (
	TookEffect   Outcome = "settled" // confirmed by the network, perhaps not final yet
	MovedNothing Outcome = "failed"  // the network still charged its fee
	TooLate      Outcome = "expired"
)

const SettleTimeout = 20 * time.Second

var ErrRefusedTransaction = errors.New("transaction refused by the node that tried it")

var ErrInsufficientFunds = errors.New("the payer has not enough")
