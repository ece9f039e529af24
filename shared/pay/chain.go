package pay

import (
	"context"
	"time"
)

// Chain verifies payments in USDC to one wallet.
type Chain interface {
	// Payment reads a final transaction and returns what it moved to the wallet. It fails with
	// ErrNotFound, ErrNotFinal, ErrFailedTransaction, ErrUnreadable, ErrRefused or ErrUnavailable.
	// The Payment of a final transaction never changes.
	Payment(ctx context.Context, signature Signature) (Payment, error)

	// Find returns at most MaxFound of the newest transactions with a reference, in order of time
	// and without failed ones. They may not be final. Anyone can copy a reference from the chain,
	// so call Payment to learn what each transaction moved.
	Find(ctx context.Context, reference Reference) ([]Signature, error)
}

// MaxFound is the most that a node returns at once. Whoever copies a reference so often that the real
// payment is no longer found pays the network's fee for each copy, and the payer can still name the
// payment by its signature.
const MaxFound = 1000

// Payment is what a transaction did to the balance of the wallet.
type Payment struct {
	Signature Signature
	// Units is the net amount that the wallet's accounts received, in millionths of a USDC. It is 0
	// if the transaction did not concern the wallet or only moved USDC between its accounts,
	// negative for an outgoing payment, and never positive if the wallet itself signed, as in a
	// swap.
	Units int64
	Memos []string // unchanged, in order
	At    time.Time
	// Payers are the addresses whose USDC the transaction moved, sorted: the owners, before the
	// transaction, of the accounts whose balance fell. The wallet's own accounts do not count.
	Payers []string
}
