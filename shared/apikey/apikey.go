// Package apikey makes, reads and hashes Pro keys, and says when a plan is
// live. It is pure: randomness is handed in, and nothing is stored here.
//
// A key is "vd_", the customer's id and a secret, both in unpadded URL-safe base64: 68 characters
// in all. Only a hash of the secret is ever stored. The id is derived from the customer's e-mail
// address, so an address has one customer, a customer has one key, and putting a new hash in place
// of the old one revokes the old key in the same write.
package apikey

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"time"
)

const (
	scheme    = "vd_"
	idBytes   = 16
	secBytes  = 32
	idChars   = 22 // of base64
	keyLength = len(scheme) + idChars + 43
)

// CustomerID names a customer without saying who it is.
type CustomerID string

// Hash is what is stored of a key's secret.
type Hash [sha256.Size]byte

// Key is a key that was read from its text.
type Key struct {
	Customer CustomerID
	secret   [secBytes]byte
}

// Of derives the customer of an e-mail address. The pepper is the operator's
// secret; with another one every address is another customer.
func Of(pepper []byte, email string) CustomerID {
	mac := hmac.New(sha256.New, pepper)
	mac.Write([]byte("customer\x00" + Normalize(email)))
	return CustomerID(base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:idBytes]))
}

// Normalize is the form under which addresses are compared: no space around it, lower case.
func Normalize(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// Mint makes a new key for a customer from random bytes, as text to be shown
// once and as the hash to be stored.
func Mint(random io.Reader, customer CustomerID) (text string, hash Hash, err error) {
	var secret [secBytes]byte
	if _, err := io.ReadFull(random, secret[:]); err != nil {
		return "", Hash{}, fmt.Errorf("mint key: %w", err)
	}
	if _, err := decode(string(customer), idBytes); err != nil {
		return "", Hash{}, fmt.Errorf("mint key: customer id %q: %w", customer, err)
	}
	text = scheme + string(customer) + base64.RawURLEncoding.EncodeToString(secret[:])
	return text, hashOf(secret), nil
}

// Parse reads a key. It looks at the length first, so that nonsense of any size costs the same.
func Parse(text string) (Key, bool) {
	if len(text) != keyLength || !strings.HasPrefix(text, scheme) {
		return Key{}, false
	}
	id, rest := text[len(scheme):len(scheme)+idChars], text[len(scheme)+idChars:]
	if _, err := decode(id, idBytes); err != nil {
		return Key{}, false
	}
	secret, err := decode(rest, secBytes)
	if err != nil {
		return Key{}, false
	}
	return Key{CustomerID(id), [secBytes]byte(secret)}, true
}

// decode is strict: each value has one spelling only.
func decode(s string, size int) ([]byte, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err == nil && len(b) != size {
		err = fmt.Errorf("%d bytes, want %d", len(b), size)
	}
	return b, err
}

func hashOf(secret [secBytes]byte) Hash {
	// The secret is 256 random bits: a plain hash of it cannot be searched.
	return sha256.Sum256(secret[:])
}

// Matches tells in constant time whether the key is the one that the hash was made of.
func (k Key) Matches(h Hash) bool {
	own := hashOf(k.secret)
	return subtle.ConstantTimeCompare(own[:], h[:]) == 1
}

// Grace is how long a plan outlasts what was paid for by card, so that a card
// that is charged a day late does not stop anyone's work.
const Grace = 3 * 24 * time.Hour

// Plan is what a customer has paid for.
type Plan struct {
	Until time.Time // end of the plan, grace included; zero: there is none
}

// Live tells whether the plan holds at a moment.
func (p Plan) Live(now time.Time) bool { return now.Before(p.Until) }
