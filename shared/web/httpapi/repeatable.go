package httpapi

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"io"
	"strings"
)

// Repeatable is embedded in the input of an endpoint that creates something. It makes the
// endpoint idempotent: the same call with the same Idempotency-Key creates nothing twice.
//
// No key is stored. What the call creates is derived from the call, so a duplicate finds the
// existing item in the store.
type Repeatable struct {
	IdempotencyKey string `header:"Idempotency-Key" minLength:"16" maxLength:"100" doc:"16 to 100 characters that nobody can guess, such as a UUID: the same call with the same ones is answered as the first was, and creates nothing more"`
}

// Random returns the source of randomness for the call. Without an Idempotency-Key it is fresh;
// otherwise it is 32 bytes derived from the purpose, call and key.
func (in Repeatable) Random(ctx context.Context, fresh io.Reader, purpose string, call ...string) io.Reader {
	if in.IdempotencyKey == "" {
		return fresh
	}
	key := hmac.New(sha256.New, callOf(ctx).api.config.Pepper)
	key.Write([]byte(purpose))
	h := hmac.New(sha256.New, key.Sum(nil))
	h.Write([]byte(strings.Join(append(call, in.IdempotencyKey), "\x00")))
	return strings.NewReader(string(h.Sum(nil)))
}
