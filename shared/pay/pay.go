// Package pay is the interface to payments: what the service needs of a card processor
// (Checkout) and of a blockchain (Chain), in words that belong to neither, and
// the pure rules of payments in USDC.
//
// It promises that an answer without an error is the truth at the other side's
// end when it was asked, that every call ends within Timeout, and that an error
// is one of the sentinels below or the caller's own context ending. Nothing is
// stored here: that a payment counts once is the caller's to remember.
package pay

import (
	"errors"
	"time"
)

// Timeout is how long a call may take, its retries included.
const Timeout = 8 * time.Second

// Errors of both interfaces.
var (
	// ErrUnavailable: the other side could not be asked or could not answer. The
	// same call may succeed later; with the same idempotency key it is safe.
	ErrUnavailable = errors.New("payment service unavailable")
	// ErrRefused: the other side understood and will not. Asking again does not
	// help: the configuration is wrong (a secret, a price, an address).
	ErrRefused = errors.New("refused by the payment service")
)

// Errors of Checkout.
var (
	ErrNoSuchSession      = errors.New("no such checkout session")
	ErrNoSuchSubscription = errors.New("no such subscription")
	ErrNoSuchCustomer     = errors.New("no such customer of the payment service")
	// ErrNoPrice: what is sold has no single amount for a period, or is not sold any more.
	ErrNoPrice = errors.New("the price is not one amount")
	// ErrBadEmail: the processor does not take the address for one.
	ErrBadEmail = errors.New("e-mail address not accepted")
	// ErrKeyReused: the idempotency key was used before, for something else.
	ErrKeyReused = errors.New("idempotency key used for another request")

	ErrBadSignature = errors.New("webhook signature does not match")
	ErrStale        = errors.New("webhook delivery is too old or from the future")
	ErrMalformed    = errors.New("webhook payload is not an event")
)

// Errors of Chain.
var (
	// ErrNotFound: no transaction has that signature, as far as the nodes know. One
	// that was sent seconds ago may look like this.
	ErrNotFound = errors.New("no such transaction")
	// ErrNotFinal: the transaction exists and may still vanish. Ask again.
	ErrNotFinal = errors.New("transaction is not final yet")
	// ErrFailedTransaction: the transaction is final and moved nothing.
	ErrFailedTransaction = errors.New("transaction failed")
	// ErrUnreadable: the node's answer lacks, or contradicts, what a payment is
	// judged by. Nothing was concluded from it.
	ErrUnreadable = errors.New("transaction cannot be judged")
)
