package onemachine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"

	"verdetto/shared/store"
)

// PepperInUse is the secret of a service that runs, or has run, over a store. None
// is made: what is derived with a fresh one is of no use to a service that has another.
func PepperInUse(ctx context.Context, table store.Table, name string) ([]byte, error) {
	if given := os.Getenv("VERDETTO_PEPPER"); given != "" {
		return []byte(given), nil
	}
	pepper, err := store.StoredPepper(ctx, table)
	if errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("no service has run over -store %s: it holds no pepper, and VERDETTO_PEPPER is not set. Check the name, or set VERDETTO_PEPPER to what the service has", name)
	}
	return pepper, err
}

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
