package httpapi

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"io"
	"strings"
)

// Repeatable is embedded in the input of an endpoint that creates something: the same call
// with the same Idempotency-Key creates nothing twice.
//
// Nothing is stored for it: what is created is derived from the call, so the same call
// makes the same thing, and the store finds that it is there.
type Repeatable struct {
	Again string `header:"Idempotency-Key" minLength:"16" maxLength:"100" doc:"16 to 100 characters that nobody can guess, such as a UUID: the same call with the same ones is answered as the first was, and creates nothing more"`
}

// Random is what the call creates from: fresh, or 32 bytes that are derived for a
// purpose from what tells the call apart from all others.
func (in Repeatable) Random(ctx context.Context, fresh io.Reader, purpose string, call ...string) io.Reader {
	if in.Again == "" {
		return fresh
	}
	key := hmac.New(sha256.New, callOf(ctx).api.config.Pepper)
	key.Write([]byte(purpose))
	h := hmac.New(sha256.New, key.Sum(nil))
	h.Write([]byte(strings.Join(append(call, in.Again), "\x00")))
	return strings.NewReader(string(h.Sum(nil)))
}
