package store

import (
	"context"
	"fmt"
)

// Pepper gives the secret of a store that has one of its own (key: SECRET): the
// fresh one where there is none yet.
func Pepper(ctx context.Context, table Table, fresh []byte) ([]byte, error) {
	pepper, err := createOrGet(ctx, table, Item{Key: Key{"SECRET", "PEPPER"}, Data: fresh})
	if err != nil {
		return nil, fmt.Errorf("store pepper: %w", err)
	}
	return pepper, nil
}
