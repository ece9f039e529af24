package pay

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/gagliardetto/solana-go/base58"

	"verdetto/shared/apikey"
)

// Signature names a transaction of Solana.
type Signature [64]byte

// ErrNotSignature: the text does not name a transaction.
var ErrNotSignature = errors.New("not the signature of a transaction")

// ParseSignature reads base58 of exactly 64 bytes, the one spelling that wallets and explorers
// show. It refuses any other encoding, so that a transaction has one name only.
func ParseSignature(text string) (Signature, error) {
	var s Signature
	if err := base58.Decode64(text, (*[64]byte)(&s)); err != nil {
		return Signature{}, fmt.Errorf("%w: %w", ErrNotSignature, err)
	}
	return s, nil
}

// String returns the spelling that ParseSignature reads.
func (s Signature) String() string { return base58.Encode64((*[64]byte)(&s)) }

// Reference is what a transaction can name beside its accounts so that it is found
// again: 32 bytes, in the form of an address that nobody has.
type Reference [32]byte

// String is the spelling of addresses.
func (r Reference) String() string { return base58.Encode(r[:]) }

// Proof is an ed25519 signature by an address that paid, over ProofText.
type Proof [ed25519.SignatureSize]byte

// ErrNotProof: the text is no signature.
var ErrNotProof = errors.New("not a signature of 64 bytes in base58 or base64")

// ParseProof reads a proof in base58 or in base64, as wallets give it.
func ParseProof(text string) (Proof, error) {
	var p Proof
	if base58.Decode64(text, (*[64]byte)(&p)) == nil {
		return p, nil
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b) != len(p) {
		return Proof{}, fmt.Errorf("read proof: %w", ErrNotProof)
	}
	return Proof(b), nil
}

// ProofText is what whoever paid signs to claim a payment for an e-mail address:
// three lines, without a line break at the end.
func ProofText(email, signature string) string {
	return "Verdetto Pro payment\n" + apikey.Normalize(email) + "\n" + signature
}

// Proves tells whether one of those who paid signed the claim of an e-mail address.
func (p Payment) Proves(proof Proof, email string) bool {
	text := []byte(ProofText(email, p.Signature.String()))
	for _, payer := range p.Payers {
		var key [ed25519.PublicKeySize]byte
		if base58.Decode32(payer, &key) == nil && ed25519.Verify(key[:], text, proof[:]) {
			return true
		}
	}
	return false
}
