// Package pay defines how the service takes payments: by card (Checkout) and on a blockchain
// (Chain).
//
// Package pay also holds the rules for payments in USDC. Package pay stores nothing: the caller must
// ensure that a payment counts once.
//
// Start reading at Checkout and Chain. The packages stripepay and solanapay implement these interfaces.
package pay

import (
	"errors"
	"fmt"
	"time"
)

// Timeout limits one request to a payment service, including retries.
const Timeout = 8 * time.Second

var (
	// ErrUnavailable means that the payment service gave no usable answer. A retry with the same
	// idempotency key is safe.
	ErrUnavailable = errors.New("no usable answer")
	ErrRefused     = errors.New("it refused")
)

// Errors of Checkout.
var (
	ErrNoSuchSession      = errors.New("no such checkout session")
	ErrNoSuchSubscription = errors.New("no such subscription")
	ErrNoSuchCustomer     = errors.New("no such customer of the payment service")
	ErrNoPrice            = errors.New("the price is not one amount")
	ErrBadEmail           = errors.New("email address not accepted")
	ErrKeyReused          = errors.New("idempotency key used for another request")

	ErrBadSignature = errors.New("webhook signature does not match")
	ErrStale        = errors.New("webhook delivery is too old or from the future")
	ErrMalformed    = errors.New("webhook payload is not an event")
)

// Errors of Chain and Settler.
var (
	// ErrNotFound may also mean that the transaction was sent seconds ago and is not visible yet.
	ErrNotFound          = errors.New("no such transaction")
	ErrNotFinal          = errors.New("transaction is not final yet")
	ErrFailedTransaction = errors.New("transaction failed")
	// ErrUnreadable means that the node's answer could not be judged: the payment may be valid.
	ErrUnreadable     = errors.New("transaction cannot be judged")
	ErrUnknownVersion = fmt.Errorf("%w: this program does not know its version", ErrUnreadable)
)
