package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
)

var (
	pepperKey = Key{"SECRET", "PEPPER"}
	// pepperMark says which pepper a store was made with, and does not hold it.
	pepperMark = Key{"SERVICE", "PEPPER"}
)

// ErrOtherPepper: with this pepper nothing of any person in the store is found.
var ErrOtherPepper = errors.New(
	"the store was made with another pepper, so no key, alert or link in it would be found; give the service the pepper that it had: set VERDETTO_PEPPER to what was exported, or use verdetto pepper import",
)

// CheckPepper fails with ErrOtherPepper if the store was made with another pepper.
// A store that does not say yet is marked with this one. It is one eventual read else.
func CheckPepper(ctx context.Context, table Table, pepper []byte) error {
	mac := hmac.New(sha256.New, pepper)
	mac.Write([]byte("verdetto: the pepper of a store"))
	mark := mac.Sum(nil)
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

// HasPepperMark reports whether a store says which pepper it was made with.
func HasPepperMark(ctx context.Context, table Table) (bool, error) {
	_, err := table.Get(ctx, pepperMark, Strong)
	return err == nil, wrap(unless(err, ErrNotFound), "check pepper")
}

// StoredPepper returns the secret that a store has already, or ErrNotFound.
func StoredPepper(ctx context.Context, table Table) ([]byte, error) {
	item, err := table.Get(ctx, pepperKey, Strong)
	return item.Data, wrap(err, "read pepper")
}

// Pepper returns the secret of a store that has one of its own (key: SECRET): the
// fresh one where there is none yet.
func Pepper(ctx context.Context, table Table, fresh []byte) ([]byte, error) {
	pepper, err := createOrGet(ctx, table, Item{Key: pepperKey, Data: fresh})
	return pepper, wrap(err, "store pepper")
}

// ReplacePepper has a store keep a pepper, whatever it was made with.
func ReplacePepper(ctx context.Context, table Table, pepper []byte) error {
	if err := table.Write(ctx, set(Item{Key: pepperKey, Data: pepper}), remove(pepperMark)); err != nil {
		return fmt.Errorf("store pepper: %w", err)
	}
	return CheckPepper(ctx, table, pepper)
}
