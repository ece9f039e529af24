package httpapi

import (
	"bytes"
	"context"
	"io"
	"strings"

	"verdetto/shared/apikey"
)

// Repeatable adds the header Idempotency-Key to the input of an endpoint that creates something.
//
// The Idempotency-Key is not stored. Instead, the created item is derived from the call and the
// Idempotency-Key (see Random), so that a repeated call finds the stored item.
type Repeatable struct {
	IdempotencyKey string `header:"Idempotency-Key" minLength:"16" maxLength:"100" doc:"16 to 100 unguessable characters, such as a UUID. The same call with the same key gets the first answer again and creates nothing more"`
}

// Random returns fresh or, if there is an Idempotency-Key, 32 bytes derived from purpose, call and
// the key.
func (in Repeatable) Random(ctx context.Context, fresh io.Reader, purpose string, call ...string) io.Reader {
	if in.IdempotencyKey == "" {
		return fresh
	}
	return bytes.NewReader(apikey.MAC(callOf(ctx).api.config.Pepper, purpose,
		strings.Join(append(call, in.IdempotencyKey), "\x00")))
}
