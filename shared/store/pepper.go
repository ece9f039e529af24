package store

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"

	"verdetto/shared/apikey"
)

var (
	pepperKey = Key{"SECRET", "PEPPER"}
	// pepperMark shows which pepper a store uses, without revealing the pepper.
	pepperMark = Key{"SERVICE", "PEPPER"}
)

var ErrOtherPepper = errors.New(
	"the store was made with another pepper, so no customer or subscriber in it would be found, and no earlier link would work; give the service the pepper that it had: set VERDETTO_PEPPER to what was exported, or use verdetto pepper import",
)

// CheckPepper stores the mark if the store has none.
func CheckPepper(ctx context.Context, table Table, pepper []byte) error {
	mark := apikey.MAC(pepper, "verdetto: the pepper of a store")
	item, err := table.Get(ctx, pepperMark, Eventual)
	if errors.Is(err, ErrNotFound) {
		item.Data, err = createOrGet(ctx, table, Item{Key: pepperMark, Data: mark})
	}
	if err != nil {
		return fmt.Errorf("check pepper: %w", err)
	}
	if !hmac.Equal(item.Data, mark) {
		return ErrOtherPepper
	}
	return nil
}

func HasPepperMark(ctx context.Context, table Table) (bool, error) {
	_, err := table.Get(ctx, pepperMark, Strong)
	return err == nil, wrap(unless(err, ErrNotFound), "check pepper")
}

func StoredPepper(ctx context.Context, table Table) ([]byte, error) {
	item, err := table.Get(ctx, pepperKey, Strong)
	return item.Data, wrap(err, "read pepper")
}

// Pepper returns the stored pepper. If none is stored, Pepper stores and returns fresh.
func Pepper(ctx context.Context, table Table, fresh []byte) ([]byte, error) {
	pepper, err := createOrGet(ctx, table, Item{Key: pepperKey, Data: fresh})
	return pepper, wrap(err, "store pepper")
}

func ReplacePepper(ctx context.Context, table Table, pepper []byte) error {
	if err := table.Write(ctx, set(Item{Key: pepperKey, Data: pepper}), remove(pepperMark)); err != nil {
		return fmt.Errorf("store pepper: %w", err)
	}
	return CheckPepper(ctx, table, pepper)
}
