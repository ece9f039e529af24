package apikey

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"time"
)

// A customer's token contains "vd_", so that a firewall in front of the service recognises calls
// with a key. The mark in a token shows whether the key was replaced, but does not reveal the key.
const (
	tokenScheme = "token_vd_"
	freeScheme  = "token_free_"
	markBytes   = 16
	tokenBytes  = idBytes + 8 + markBytes + sha256.Size
	freeBytes   = 8 + sha256.Size
)

type Token struct {
	Customer CustomerID // empty for an anonymous caller
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

// Read verifies the signature of a token, but not the expiry.
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

func (s TokenSigner) MadeFor(t Token, key Hash) bool {
	mark := s.mark(t.Customer, key)
	return t.Customer != "" && hmac.Equal(mark[:], t.mark[:])
}

func (s TokenSigner) mark(customer CustomerID, key Hash) [markBytes]byte {
	return [markBytes]byte(MAC(s.key, "key\x00"+string(customer)+string(key[:])))
}

// Each kind of token has its own payload length, so one kind cannot pass for another.
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
