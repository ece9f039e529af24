package pay

import (
	"context"
	"errors"
	"time"
)

// Settler sends signed transactions and waits for their outcome. A transaction's signature is known
// before it is sent. A caller that lost the answer can therefore retry, and nothing is paid twice.
type Settler interface {
	// Height returns the block height of the network, as far as the nodes know.
	Height(ctx context.Context) (uint64, error)

	// Settle sends a transaction, or sends it again. It waits until the outcome is known or the
	// context ends. It fails like Outcome, or with ErrRefusedTransaction if a node simulated the
	// transaction and it would fail now. In that case this call did not pass the transaction on.
	Settle(ctx context.Context, s Signed) (Outcome, error)

	// Outcome returns the outcome of a transaction, and sends nothing. With ErrNotFound and
	// ErrNotFinal the transaction may still take effect. With ErrUnavailable no node answered.
	Outcome(ctx context.Context, signature Signature, until uint64) (Outcome, error)

	// Balance returns the balance of an address in lamports (billionths of a SOL).
	Balance(ctx context.Context, address string) (int64, error)
}

// Signed is a signed transaction in wire format.
type Signed struct {
	Signature Signature
	Wire      []byte
	Until     uint64 // last height at which it can take effect, see LastHeight
}

// LastHeight returns the last height at which a transaction made at the given height can take
// effect. A blockhash is valid for 150 blocks. The node that reported the height may lag by another
// 150.
func LastHeight(height uint64) uint64 { return height + 2*150 }

// Outcome is the permanent outcome of a transaction.
type Outcome string

const (
	TookEffect   Outcome = "settled" // took effect; two thirds of the network's stake voted for it
	MovedNothing Outcome = "failed"  // moved nothing, but the network charged its fee
	TooLate      Outcome = "expired" // never took effect, and never will
)

// SettleTimeout is how long to wait for Settle: most transactions take 1 to 5 seconds.
const SettleTimeout = 20 * time.Second

// ErrRefusedTransaction: a node simulated the transaction, and it would fail.
var ErrRefusedTransaction = errors.New("transaction refused by the node that tried it")

// ErrInsufficientFunds is the cause of ErrRefusedTransaction if the payer has too few coins.
var ErrInsufficientFunds = errors.New("the payer has not enough")
