package pay

import (
	"context"
	"time"
)

// Chain verifies payments in USDC to one wallet.
type Chain interface {
	// Payment reads a final transaction and says what it moved to the wallet. Otherwise
	// ErrNotFound, ErrNotFinal, ErrFailedTransaction, ErrUnreadable or ErrUnavailable. A
	// transaction that is final stays so: its Payment is the same for ever.
	Payment(ctx context.Context, signature Signature) (Payment, error)

	// Find lists the newest transactions that name a reference, oldest first, at
	// most MaxFound of them; those that failed are left out, and none is no error.
	// They may not be final yet, and anybody can name a reference once it is seen
	// on the chain: what they moved is Payment's to say.
	Find(ctx context.Context, reference Reference) ([]Signature, error)
}

// MaxFound is how many transactions Find gives at most.
const MaxFound = 25

// Payment is what a transaction did for the wallet.
type Payment struct {
	Signature Signature
	// Units are millionths of a USDC that the transaction left in the wallet's accounts, less what
	// it took out of them: 0 for one that did not concern the wallet, only moved USDC within it, or
	// was signed by the wallet itself, such as a swap; negative for one that paid out.
	Units int64
	Memos []string // as they were written, in order
	At    time.Time
	Slot  uint64
	// Payers are the addresses whose USDC the transaction moved: owners, before it,
	// of accounts other than the wallet's whose balance fell; sorted.
	Payers []string
	Payer  string // address that signed first and paid the network's fee; not always whose USDC it was
}
