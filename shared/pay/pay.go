// Package pay defines how the service takes payments: by card (Checkout) and on a blockchain
// (Chain). It also holds the rules for payments in USDC.
//
// An answer without an error was true when the payment service gave it. Every error wraps an error
// of this package or that of the caller's context. Package pay stores nothing: the caller must
// ensure that a payment counts once.
//
// Start reading at Checkout and Chain. The packages stripepay and solanapay implement them. Package
// playmoney imitates Stripe and a Solana node.
package pay

import (
	"errors"
	"fmt"
	"time"
)

// Timeout bounds a question to a payment service, including retries. Session and Outcome may ask
// two questions, and Settle any number.
const Timeout = 8 * time.Second

var (
	// ErrUnavailable means that the payment service gave no usable answer. A retry with the same
	// idempotency key is safe and may succeed.
	ErrUnavailable = errors.New("no usable answer")
	ErrRefused     = errors.New("it refused")
)

var (
	ErrNoSuchSession      = errors.New("no such checkout session")
	ErrNoSuchSubscription = errors.New("no such subscription")
	ErrNoSuchCustomer     = errors.New("no such customer of the payment service")
	// ErrNoPrice means that the product has no single price per period, or is no longer sold.
	ErrNoPrice   = errors.New("the price is not one amount")
	ErrBadEmail  = errors.New("email address not accepted")
	ErrKeyReused = errors.New("idempotency key used for another request")

	ErrBadSignature = errors.New("webhook signature does not match")
	ErrStale        = errors.New("webhook delivery is too old or from the future")
	ErrMalformed    = errors.New("webhook payload is not an event")
)

var (
	// ErrNotFound means that the nodes know no such transaction. One that was sent seconds ago may
	// not be visible yet.
	ErrNotFound = errors.New("no such transaction")
	// ErrNotFinal means that the transaction exists but may still vanish. A later retry may
	// succeed.
	ErrNotFinal = errors.New("transaction is not final yet")
	// ErrFailedTransaction means that the transaction is final and moved nothing.
	ErrFailedTransaction = errors.New("transaction failed")
	// ErrUnreadable means that the node's answer lacks data about the payment or contradicts
	// itself. The payment is neither accepted nor rejected.
	ErrUnreadable = errors.New("transaction cannot be judged")
	// ErrUnknownVersion is an ErrUnreadable that a later version of this program may judge.
	ErrUnknownVersion = fmt.Errorf("%w: this program does not know its version", ErrUnreadable)
)
