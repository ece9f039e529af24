package apikey

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"time"
)

// A token stands for a key, or for nobody, for a short time. It is signed, so that one that was
// made up or changed is known without reading anything. It holds the customer's id, when it ends,
// and a mark of the key that it was made for, from which the key cannot be had: who compares it
// with the mark of the key that is stored now finds out whether that key was replaced since.
//
// What begins as none of the prefixes is no token. That of a customer's holds "vd_", by which
// whoever stands before the service tells calls with a key from others; no key begins so.
const (
	tokenScheme = "token_vd_"
	freeScheme  = "token_free_"
	markBytes   = 16
	tokenBytes  = idBytes + 8 + markBytes + sha256.Size
	freeBytes   = 8 + sha256.Size
)

// Token is one that was read from its text, under a right signature.
type Token struct {
	Customer CustomerID // empty: nobody's
	Until    time.Time
	mark     [markBytes]byte
}

// TokenSigner makes tokens and reads them. Its secret is the operator's, or is derived from that.
type TokenSigner struct{ key []byte }

// NewTokenSigner derives a signer from a secret, for this one purpose.
func NewTokenSigner(secret []byte) TokenSigner {
	return TokenSigner{sign(secret, []byte("access token"))}
}

// Of makes a token of a customer's key, which is told by its hash. It panics where the id is none.
func (s TokenSigner) Of(customer CustomerID, key Hash, until time.Time) string {
	id, err := decode(string(customer), idBytes)
	if err != nil {
		panic("apikey: a token is made for a customer that has no id: " + err.Error()) // ids are ours
	}
	mark := s.mark(customer, key)
	return tokenScheme + s.signed(append(binary.BigEndian.AppendUint64(id, uint64(until.Unix())), mark[:]...))
}

// Free makes a token of nobody's.
func (s TokenSigner) Free(until time.Time) string {
	return freeScheme + s.signed(binary.BigEndian.AppendUint64(nil, uint64(until.Unix())))
}

// Read reads a token. Whether it has ended is for the caller to see. It looks at
// the length first, so that nonsense of any size costs the same.
func (s TokenSigner) Read(text string) (t Token, ok bool) {
	if rest, of := strings.CutPrefix(text, tokenScheme); of {
		data, ok := s.open(rest, tokenBytes)
		if !ok {
			return t, false
		}
		t.Customer = CustomerID(base64.RawURLEncoding.EncodeToString(data[:idBytes]))
		t.Until = time.Unix(int64(binary.BigEndian.Uint64(data[idBytes:])), 0)
		copy(t.mark[:], data[idBytes+8:])
		return t, true
	}
	rest, of := strings.CutPrefix(text, freeScheme)
	data, ok := s.open(rest, freeBytes)
	if !of || !ok {
		return t, false
	}
	t.Until = time.Unix(int64(binary.BigEndian.Uint64(data)), 0)
	return t, true
}

// MadeFor tells whether a customer's token was made for the key of a hash.
func (s TokenSigner) MadeFor(t Token, key Hash) bool {
	mark := s.mark(t.Customer, key)
	return t.Customer != "" && hmac.Equal(mark[:], t.mark[:])
}

func (s TokenSigner) mark(customer CustomerID, key Hash) [markBytes]byte {
	return [markBytes]byte(sign(s.key, []byte("key\x00"+string(customer)), key[:]))
}

// signed is what a token says, with its signature behind it. What is said has
// another length for each kind, so that none is taken for the other.
func (s TokenSigner) signed(says []byte) string {
	return base64.RawURLEncoding.EncodeToString(append(says, sign(s.key, []byte("token\x00"), says)...))
}

// open gives what a signed text of a size says.
func (s TokenSigner) open(text string, size int) ([]byte, bool) {
	if len(text) != base64.RawURLEncoding.EncodedLen(size) {
		return nil, false
	}
	data, err := decode(text, size)
	if err != nil {
		return nil, false
	}
	says, signature := data[:size-sha256.Size], data[size-sha256.Size:]
	return says, hmac.Equal(signature, sign(s.key, []byte("token\x00"), says))
}

func sign(key []byte, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, p := range parts {
		mac.Write(p)
	}
	return mac.Sum(nil)
}
