package apikey

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"time"
)

// A token is used for a short time instead of a key, or without one (anonymously). Its signature is
// checked without a read from the store.
//
// A customer's token holds the customer id, the expiry and a mark of its key, from which the key
// cannot be derived. Comparing the mark with that of the stored key shows whether the key was
// replaced since. A customer's token contains "vd_", so that a proxy in front of the service
// recognises calls with a key.
const (
	tokenScheme = "token_vd_"
	freeScheme  = "token_free_"
	markBytes   = 16
	tokenBytes  = idBytes + 8 + markBytes + sha256.Size
	freeBytes   = 8 + sha256.Size
)

type Token struct {
	Customer CustomerID // empty: anonymous
	Until    time.Time
	mark     [markBytes]byte
}

type TokenSigner struct{ key []byte }

func NewTokenSigner(secret []byte) TokenSigner {
	return TokenSigner{MAC(secret, "access token")}
}

// CustomerToken panics if the customer id is malformed.
func (s TokenSigner) CustomerToken(customer CustomerID, key Hash, until time.Time) string {
	id, err := decode(string(customer), idBytes)
	if err != nil {
		panic("apikey: a token is made for a customer that has no id: " + err.Error())
	}
	mark := s.mark(customer, key)
	return tokenScheme + s.signed(append(binary.BigEndian.AppendUint64(id, uint64(until.Unix())), mark[:]...))
}

func (s TokenSigner) AnonymousToken(until time.Time) string {
	return freeScheme + s.signed(binary.BigEndian.AppendUint64(nil, uint64(until.Unix())))
}

// Read parses a token and verifies its signature, but not its expiry. It checks the length first,
// so that invalid input of any size costs the same.
func (s TokenSigner) Read(text string) (t Token, ok bool) {
	if rest, isToken := strings.CutPrefix(text, tokenScheme); isToken {
		data, ok := s.open(rest, tokenBytes)
		if !ok {
			return t, false
		}
		t.Customer = CustomerID(base64.RawURLEncoding.EncodeToString(data[:idBytes]))
		t.Until = time.Unix(int64(binary.BigEndian.Uint64(data[idBytes:])), 0)
		copy(t.mark[:], data[idBytes+8:])
		return t, true
	}
	rest, isToken := strings.CutPrefix(text, freeScheme)
	data, ok := s.open(rest, freeBytes)
	if !isToken || !ok {
		return t, false
	}
	t.Until = time.Unix(int64(binary.BigEndian.Uint64(data)), 0)
	return t, true
}

// MadeFor reports whether a customer's token was made for the key with this hash.
func (s TokenSigner) MadeFor(t Token, key Hash) bool {
	mark := s.mark(t.Customer, key)
	return t.Customer != "" && hmac.Equal(mark[:], t.mark[:])
}

func (s TokenSigner) mark(customer CustomerID, key Hash) [markBytes]byte {
	return [markBytes]byte(MAC(s.key, "key\x00"+string(customer)+string(key[:])))
}

// signed returns the payload and its signature in base64. Each kind of token has its own payload
// length, so one kind cannot pass for another.
func (s TokenSigner) signed(says []byte) string {
	return base64.RawURLEncoding.EncodeToString(append(says, MAC(s.key, "token\x00"+string(says))...))
}

func (s TokenSigner) open(text string, size int) ([]byte, bool) {
	if len(text) != base64.RawURLEncoding.EncodedLen(size) {
		return nil, false
	}
	data, err := decode(text, size)
	if err != nil {
		return nil, false
	}
	says, signature := data[:size-sha256.Size], data[size-sha256.Size:]
	return says, hmac.Equal(signature, MAC(s.key, "token\x00"+string(says)))
}
