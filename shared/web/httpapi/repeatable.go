package httpapi

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"io"
	"strings"
)

// Repeatable is embedded in the input of an endpoint that creates something: a
// caller who has lost the answer makes the same call again with the same
// Idempotency-Key, and nothing is created twice.
//
// Nothing is stored for it. What is created is made of randomness; that of a
// repeatable call is derived from the call, so that the same call makes the same
// thing, and who stores it finds that it is there. Another body under the same
// Idempotency-Key is another call.
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
