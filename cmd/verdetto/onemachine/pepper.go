package onemachine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
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
	key := store.Key{Partition: "SECRET", Sort: "PEPPER"}
	fresh := make([]byte, 32)
	rand.Read(fresh)
	err := table.Write(ctx, store.Op{Mode: store.Create, Item: store.Item{Key: key, Data: fresh}})
	if err == nil {
		return fresh, nil
	}
	if !errors.Is(err, store.ErrExists) {
		return nil, fmt.Errorf("make pepper: %w", err)
	}
	item, err := table.Get(ctx, key, store.Strong)
	if err != nil {
		return nil, fmt.Errorf("read pepper: %w", err)
	}
	return item.Data, nil
}
