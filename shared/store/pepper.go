package store

import (
	"context"
	"fmt"
)

// StoredPepper gives the secret that a store has already, or ErrNotFound.
func StoredPepper(ctx context.Context, table Table) ([]byte, error) {
	item, err := table.Get(ctx, Key{"SECRET", "PEPPER"}, Strong)
	if err != nil {
		return nil, fmt.Errorf("read pepper: %w", err)
	}
	return item.Data, nil
}

// Pepper gives the secret of a store that has one of its own (key: SECRET): the
// fresh one where there is none yet.
func Pepper(ctx context.Context, table Table, fresh []byte) ([]byte, error) {
	pepper, err := createOrGet(ctx, table, Item{Key: Key{"SECRET", "PEPPER"}, Data: fresh})
	if err != nil {
		return nil, fmt.Errorf("store pepper: %w", err)
	}
	return pepper, nil
}
