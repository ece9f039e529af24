package httpapi

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"io"
	"strings"
)

// Repeatable is embedded in the input of an endpoint that creates something. It makes the endpoint
// idempotent: a repeated call with the same Idempotency-Key creates nothing more.
//
// The Idempotency-Key is not stored. Instead, the id of the created item is derived from the call,
// so a repeated call finds the stored item.
type Repeatable struct {
	IdempotencyKey string `header:"Idempotency-Key" minLength:"16" maxLength:"100" doc:"16 to 100 unguessable characters, such as a UUID. The same call with the same key gets the first answer again and creates nothing more"`
}

// Random returns the source of randomness for a call. Without an Idempotency-Key it returns fresh.
// Otherwise it returns 32 bytes derived from purpose, call and the Idempotency-Key.
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
