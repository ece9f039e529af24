package pay

import (
	"context"
	"errors"
	"time"
)

// Settler has transactions take effect that were signed here. What a transaction is called is known
// before it is sent: so whoever has lost an answer asks again, and nothing is paid twice.
type Settler interface {
	// Height is how many blocks the network has made, as far as the nodes know.
	Height(ctx context.Context) (uint64, error)

	// Settle sends a transaction, for the first time or again, and waits until it is
	// known what became of it, or until the context ends. Beside the errors of
	// Outcome it is ErrRefusedTransaction where a node has tried the transaction and
	// it would not take effect now: this call has not passed it on.
	Settle(ctx context.Context, s Signed) (Outcome, error)

	// Outcome says what became of a transaction, and sends nothing. ErrNotFound and
	// ErrNotFinal: it may still take effect; ErrUnavailable: nobody could be asked.
	Outcome(ctx context.Context, signature Signature, until uint64) (Outcome, error)

	// Balance is what an address holds, in lamports (billionths of a SOL).
	Balance(ctx context.Context, address string) (int64, error)
}

// Signed is a transaction as the network takes it.
type Signed struct {
	Signature Signature
	Wire      []byte
	Until     uint64 // the height behind which it can take effect no more, see LastHeight
}

// LastHeight is the height behind which a transaction that was made before the
// network had so many blocks can take effect no more: its blockhash is good for
// 150 blocks, and the node that told the height may have been so far behind.
func LastHeight(height uint64) uint64 { return height + 2*150 }

// Outcome is what became of a transaction, for good.
type Outcome string

const (
	TookEffect   Outcome = "settled" // it took effect, and two thirds of the network's stake have voted for it
	MovedNothing Outcome = "failed"  // it moved nothing, and the network took its fee
	TooLate      Outcome = "expired" // it never took effect, and never will
)

// SettleTimeout is how long Settle is worth waiting for: most take one to five seconds.
const SettleTimeout = 20 * time.Second

// ErrRefusedTransaction: a node has tried the transaction, and it would not take effect.
var ErrRefusedTransaction = errors.New("transaction refused by the node that tried it")

// ErrInsufficientFunds is why, where its payer has not enough of the coin.
var ErrInsufficientFunds = errors.New("the payer has not enough")
