package onemachine

import (
	"context"
	"crypto/rand"
	"os"

	"verdetto/shared/store"
)

// Pepper gives the secret that pseudonyms and customer ids are derived with.
// VERDETTO_PEPPER goes first, as in the Lambda functions; without it the pepper
// lives in the store itself, made once: a key works as long as the file does.
func Pepper(ctx context.Context, table store.Table) ([]byte, error) {
	if given := os.Getenv("VERDETTO_PEPPER"); given != "" {
		return []byte(given), nil
	}
	fresh := make([]byte, 32)
	rand.Read(fresh)
	return store.Pepper(ctx, table, fresh)
}
