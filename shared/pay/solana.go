package pay

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/gagliardetto/solana-go/base58"

	"verdetto/shared/apikey"
)

type Signature [64]byte

var ErrNotSignature = errors.New("not the signature of a transaction")

// ParseSignature refuses every encoding other than base58, so that a transaction has exactly one
// name.
func ParseSignature(text string) (Signature, error) {
	var s Signature
	if err := base58.Decode64(text, (*[64]byte)(&s)); err != nil {
		return Signature{}, fmt.Errorf("%w: %w", ErrNotSignature, err)
	}
	return s, nil
}

func (s Signature) String() string { return base58.Encode64((*[64]byte)(&s)) }

// Reference is an address that the payer's wallet adds to the transaction's accounts, so that
// Chain.Find finds the payment.
type Reference [32]byte

func (r Reference) String() string { return base58.Encode(r[:]) }

type Proof [ed25519.SignatureSize]byte

var ErrNotProof = errors.New("not a signature of 64 bytes in base58 or base64")

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

// ProofText returns the text that the payer signs to claim a payment for an e-mail address.
func ProofText(email, signature string) string {
	return "Verdetto Pro payment\n" + apikey.Normalize(email) + "\n" + signature
}

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
