package pay

import (
	"context"
	"time"
)

type Chain interface {
	// Payment fails for a transaction that is not final, because such a transaction may still vanish.
	Payment(ctx context.Context, signature Signature) (Payment, error)

	// Find returns transactions that contain the reference, oldest first. Anyone can copy a
	// reference from the chain, so call Payment before you trust a transaction.
	Find(ctx context.Context, reference Reference) ([]Signature, error)
}

// MaxFound is the most transactions that a Solana node returns for one call of
// getSignaturesForAddress.
const MaxFound = 1000

type Payment struct {
	Signature Signature
	// Units is what the wallet gained or, if negative, lost, in millionths of a USDC. If the wallet
	// itself signed, as in a swap, Units is not positive.
	Units int64
	Memos []string
	At    time.Time
	// Payers are the sorted owners, without the wallet, of the accounts whose USDC balance fell.
	Payers []string
}
