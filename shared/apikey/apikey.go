// Package apikey creates, parses and hashes Pro keys, and defines when a plan ends. It also signs
// access tokens. Start with Mint and Parse; TokenSigner is for access tokens.
package apikey

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/net/idna"
)

const (
	scheme    = "vd_"
	idBytes   = 16
	secBytes  = 32
	idChars   = 22
	keyLength = len(scheme) + idChars + 43
)

// CustomerID identifies a customer without revealing the e-mail address.
type CustomerID string

type Hash [sha256.Size]byte

type Key struct {
	Customer CustomerID
	secret   [secBytes]byte
}

// The id depends on the pepper.
func CustomerIDOf(pepper []byte, email string) CustomerID {
	return CustomerID(Pseudonym(pepper, "customer\x00"+Normalize(email)))
}

// Normalize returns an e-mail address in the form from which the CustomerID is computed.
func Normalize(email string) string {
	local, domain, found := strings.Cut(strings.ToLower(strings.TrimSpace(email)), "@")
	if !found {
		return local
	}
	return local + "@" + ASCIIDomain(domain)
}

// ASCIIDomain returns xn--mnchen-3ya.de for münchen.de. It does not change a domain that has no
// such form.
func ASCIIDomain(domain string) string {
	ascii, err := idna.Lookup.ToASCII(domain)
	if err != nil || !strings.Contains(ascii, "xn--") {
		return domain
	}
	return ascii
}

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

// Parse checks the length first, so that long invalid input is refused cheaply.
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

func decode(s string, size int) ([]byte, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err == nil && len(b) != size {
		err = fmt.Errorf("%d bytes, want %d", len(b), size)
	}
	return b, err
}

func hashOf(secret [secBytes]byte) Hash {
	// The secret is 256 random bits, so an unsalted fast hash is safe from brute force.
	return sha256.Sum256(secret[:])
}

// Matches compares in constant time.
func (k Key) Matches(h Hash) bool {
	hash := hashOf(k.secret)
	return subtle.ConstantTimeCompare(hash[:], h[:]) == 1
}

const Grace = 3 * 24 * time.Hour

type Plan struct {
	Until time.Time // zero if there is no plan
}

func (p Plan) Live(now time.Time) bool { return now.Before(p.Until) }
