package pay

import (
	"errors"
	"fmt"

	"github.com/gagliardetto/solana-go/base58"
)

// Signature names a transaction.
type Signature [64]byte

// ErrNotSignature: the text does not name a transaction.
var ErrNotSignature = errors.New("not the signature of a transaction")

// ParseSignature reads base58 of exactly 64 bytes, the one spelling that wallets
// and explorers show. It refuses any other encoding, so that a transaction has
// one name only.
func ParseSignature(text string) (Signature, error) {
	var s Signature
	if err := base58.Decode64(text, (*[64]byte)(&s)); err != nil {
		return Signature{}, fmt.Errorf("%w: %w", ErrNotSignature, err)
	}
	return s, nil
}

// String returns the spelling that ParseSignature reads.
func (s Signature) String() string { return base58.Encode64((*[64]byte)(&s)) }
