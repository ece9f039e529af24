package store

import (
	"bytes"
	"context"
	"errors"
	"time"

	"verdetto/shared/apikey"
)

// A recovery replaces a lost key by a new key that is sent by mail. The new key is Pending until
// the carrier has accepted the mail. The previous key is then Former, so that Undo can restore
// that key.

func (c Customer) Guarded(now time.Time) bool { return now.Before(c.GuardedUntil) }

func (c Customer) Recovered(asked time.Time, fresh apikey.Hash) bool {
	return bytes.Equal(c.Hash, fresh[:]) || bytes.Equal(c.Voided, fresh[:]) || c.IssuedAt.After(asked)
}

// Owned returns the hash of the key that Undo would restore, or of the current key.
func (c Customer) Owned() []byte {
	if c.Former != nil {
		return c.Former.Hash
	}
	return c.Hash
}

// Activate changes nothing if the key is no longer pending, for example after a rotation, a purchase or an Undo.
func (k Customers) Activate(ctx context.Context, id apikey.CustomerID, fresh apikey.Hash, now time.Time) error {
	return k.Change(ctx, id, func(c *Customer) error {
		if !c.Pending.is(fresh[:]) {
			return nil
		}
		former := c.Former
		if former == nil && len(c.Hash) > 0 {
			former = &KeyHash{c.Hash, c.IssuedAt}
		}
		c.replaceKey(fresh, now)
		c.Former = former
		return nil
	})
}

func (k Customers) Cancel(ctx context.Context, id apikey.CustomerID, fresh apikey.Hash) error {
	return k.Change(ctx, id, func(c *Customer) error {
		if c.Pending.is(fresh[:]) {
			c.Pending = nil
		}
		return nil
	})
}

var ErrNothingToUndo = errors.New("no recovery to undo")

// Undo makes the former key, if there is one, current again, and a pending key invalid. The
// parameter owned is the beginning of the hash that Owned returns. Undo is idempotent.
func (k Customers) Undo(ctx context.Context, id apikey.CustomerID, owned []byte, guarded time.Time) error {
	return k.Change(ctx, id, func(c *Customer) error {
		if err := c.undoable(owned); err != nil {
			return err
		}
		switch {
		case c.Former != nil:
			c.Voided, c.Hash, c.IssuedAt = c.Hash, c.Former.Hash, c.Former.At
		case c.Pending != nil:
			c.Voided = c.Pending.Hash
		case !c.GuardedUntil.IsZero():
			return nil // an earlier call has undone the recovery
		}
		c.Former, c.Pending, c.GuardedUntil = nil, nil, guarded.UTC().Truncate(time.Second)
		return nil
	})
}

func (k Customers) Undoable(ctx context.Context, id apikey.CustomerID, owned []byte) error {
	c, err := k.orNew(ctx, id)
	if err != nil {
		return err
	}
	return c.undoable(owned)
}

func (c Customer) undoable(owned []byte) error {
	if len(owned) == 0 || !bytes.HasPrefix(c.Owned(), owned) {
		return ErrNothingToUndo
	}
	return nil
}

// RotationGrace is how long Rotate accepts the replaced key again, in case the first answer was lost.
const RotationGrace = 10 * time.Minute

var ErrNotHeld = errors.New("the key is not the current one")

// Within RotationGrace, Rotate can be repeated with the same keys, because the first answer may have been lost.
func (k Customers) Rotate(
	ctx context.Context, shown apikey.Key, fresh apikey.Hash, now time.Time,
) (stored Customer, err error) {
	rotate := func(c *Customer) error {
		switch {
		case c.HasKey(shown):
			old := c.Hash
			c.replaceKey(fresh, now)
			c.Rotated = &KeyHash{old, now.UTC()}
		case !c.HasRotated(shown, now) || !bytes.Equal(c.Hash, fresh[:]):
			return ErrNotHeld
		}
		stored = *c
		return nil
	}
	err = retryWhile(ctx, tries, func() error { return k.Change(ctx, shown.Customer, rotate) })
	return stored, err
}

func (c Customer) HasRotated(shown apikey.Key, now time.Time) bool {
	return c.Rotated != nil && len(c.Rotated.Hash) == len(apikey.Hash{}) &&
		shown.Matches(apikey.Hash(c.Rotated.Hash)) && now.Sub(c.Rotated.At) < RotationGrace
}
