// Package pay defines how the service takes payments: by card (Checkout) and on a blockchain
// (Chain). Its types belong to no particular card processor or chain. It also holds the rules for
// payments in USDC.
//
// An answer without an error was true when the payment service gave it. Every call ends within
// Timeout. Every error wraps one of the errors below or the error of the caller's context. Package
// pay stores nothing: the caller must ensure that a payment counts once.
//
// Start with Checkout and Chain. The packages stripepay and solanapay implement them. Package
// playmoney imitates Stripe and a Solana node for tests and development.
package pay

import (
	"errors"
	"time"
)

// Timeout is the longest duration of a call, retries included.
const Timeout = 8 * time.Second

// Errors of both interfaces.
var (
	// ErrUnavailable: the payment service did not answer. A retry with the same idempotency key is
	// safe and may succeed.
	ErrUnavailable = errors.New("payment service unavailable")
	// ErrRefused: the other side rejected the call. A retry does not help, because the
	// configuration is wrong: a secret, a price or an address.
	ErrRefused = errors.New("refused by the payment service")
)

// Errors of Checkout.
var (
	ErrNoSuchSession      = errors.New("no such checkout session")
	ErrNoSuchSubscription = errors.New("no such subscription")
	ErrNoSuchCustomer     = errors.New("no such customer of the payment service")
	// ErrNoPrice: the product has no single amount per period, or is no longer sold.
	ErrNoPrice = errors.New("the price is not one amount")
	// ErrBadEmail: the processor rejects the address.
	ErrBadEmail = errors.New("e-mail address not accepted")
	// ErrKeyReused: the idempotency key was used for another request.
	ErrKeyReused = errors.New("idempotency key used for another request")

	ErrBadSignature = errors.New("webhook signature does not match")
	ErrStale        = errors.New("webhook delivery is too old or from the future")
	ErrMalformed    = errors.New("webhook payload is not an event")
)

// Errors of Chain.
var (
	// ErrNotFound: the nodes know no transaction with that signature. A transaction sent seconds
	// ago may not be visible yet.
	ErrNotFound = errors.New("no such transaction")
	// ErrNotFinal: the transaction exists but may still vanish. Retry later.
	ErrNotFinal = errors.New("transaction is not final yet")
	// ErrFailedTransaction: the transaction is final and moved nothing.
	ErrFailedTransaction = errors.New("transaction failed")
	// ErrUnreadable: the node's answer lacks or contradicts what a payment is judged by. The
	// payment is neither accepted nor rejected.
	ErrUnreadable = errors.New("transaction cannot be judged")
)
