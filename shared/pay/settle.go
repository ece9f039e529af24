package pay

import (
	"context"
	"errors"
	"time"
)

// Settler sends signed transactions and waits for their outcome. A transaction's signature is known
// before it is sent, so a caller that lost the answer can retry, and nothing is paid twice.
type Settler interface {
	// Height returns the block height of the network, as far as the nodes know it.
	Height(ctx context.Context) (uint64, error)

	// Settle sends a transaction, or sends it again, and waits until the outcome is known or the
	// context ends. It fails like Outcome, or with ErrRefusedTransaction if a node's simulation of
	// the transaction failed, in which case this call did not send the transaction.
	Settle(ctx context.Context, s Signed) (Outcome, error)

	// Outcome returns the outcome of a transaction without sending it; until is that of Signed.
	// After an error, the transaction may have taken effect, or may still do so. ErrUnavailable
	// means that no node gave a usable answer.
	Outcome(ctx context.Context, signature Signature, until uint64) (Outcome, error)

	// Balance is in lamports (billionths of a SOL).
	Balance(ctx context.Context, address string) (int64, error)
}

type Signed struct {
	Signature Signature
	Wire      []byte
	Until     uint64 // last height at which it can take effect, see LastHeight
}

// LastHeight returns the last block height at which a transaction can take effect, from the height
// that a node reported when the transaction was made. A blockhash is valid for 150 blocks, and the
// node may lag by another 150.
func LastHeight(height uint64) uint64 { return height + 2*150 }

// Outcome is permanent.
type Outcome string

const (
	TookEffect   Outcome = "settled" // two thirds of the network's stake voted for it
	MovedNothing Outcome = "failed"  // the network still charged its fee
	TooLate      Outcome = "expired" // it never took effect and never will
)

// SettleTimeout is how long to wait for Settle.
const SettleTimeout = 20 * time.Second

var ErrRefusedTransaction = errors.New("transaction refused by the node that tried it")

// ErrInsufficientFunds comes with ErrRefusedTransaction if the payer has too few coins.
var ErrInsufficientFunds = errors.New("the payer has not enough")
