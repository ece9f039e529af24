package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/apikey"
)

// How a key is replaced by mail. A fresh key is Pending until the carrier has
// taken the mail, and is refused; then one write makes it the current one and
// keeps the one before as Former, for Undo. At every moment one key works.

// KeyHash is what is stored of a key that is not the current one.
type KeyHash struct {
	Hash []byte `json:"hash"`
	// When it was issued; of a pending one, since when it is pending; of a rotated one, when it was
	// replaced
	At time.Time `json:"at"`
}

func (k *KeyHash) is(hash []byte) bool { return k != nil && bytes.Equal(k.Hash, hash) }

// Guarded reports whether a recovery has to be confirmed by mail first.
func (c Customer) Guarded(now time.Time) bool { return c.Guard || now.Before(c.GuardedUntil) }

// Recovered tells whether a recovery that was asked for at a moment, and whose
// fresh key has a hash, is over: it took effect, was undone, or another key came since.
func (c Customer) Recovered(asked time.Time, fresh apikey.Hash) bool {
	return bytes.Equal(c.Hash, fresh[:]) || bytes.Equal(c.Voided, fresh[:]) || c.Issued.After(asked)
}

// Owned is the hash of the key that the owner had before the recoveries that can
// still be undone; without any it is that of the current key. Empty: there was none.
func (c Customer) Owned() []byte {
	if c.Former != nil {
		return c.Former.Hash
	}
	return c.Hash
}

// Activate makes the pending key the current one, if it is still pending: a
// rotation, a purchase or an undoing in between has cleared it.
func (k Customers) Activate(ctx context.Context, id apikey.CustomerID, fresh apikey.Hash, now time.Time) error {
	return k.Change(ctx, id, func(c *Customer) error {
		if !c.Pending.is(fresh[:]) {
			return nil
		}
		former := c.Former
		if former == nil && len(c.Hash) > 0 {
			former = &KeyHash{c.Hash, c.Issued}
		}
		c.replaceKey(fresh, now)
		c.Former = former
		return nil
	})
}

// Cancel forgets a pending key that could not be mailed.
func (k Customers) Cancel(ctx context.Context, id apikey.CustomerID, fresh apikey.Hash) error {
	return k.Change(ctx, id, func(c *Customer) error {
		if c.Pending.is(fresh[:]) {
			c.Pending = nil
		}
		return nil
	})
}

// ErrNothingToUndo: the recovery was not, or the key was rotated or bought since.
var ErrNothingToUndo = errors.New("no recovery to undo")

// Undo brings back the key whose hash begins so, which was the owner's before
// the recoveries since; what they made is void, and until a moment every
// recovery has to be confirmed. Done again it changes nothing.
func (k Customers) Undo(ctx context.Context, id apikey.CustomerID, owned []byte, guarded time.Time) error {
	return k.Change(ctx, id, func(c *Customer) error {
		if err := c.undoable(owned); err != nil {
			return err
		}
		switch {
		case c.Former != nil:
			c.Voided, c.Hash, c.Issued = c.Hash, c.Former.Hash, c.Former.At
		case c.Pending != nil: // the mail came before the key was made the current one
			c.Voided = c.Pending.Hash
		case !c.GuardedUntil.IsZero():
			return nil // it was undone before
		}
		c.Former, c.Pending, c.GuardedUntil = nil, nil, guarded.UTC().Truncate(time.Second)
		return nil
	})
}

// Undoable tells whether Undo would do its work, or has done it: ErrNothingToUndo otherwise.
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

// RotationGrace is how long the key that was rotated away may ask for its successor again.
const RotationGrace = 10 * time.Minute

// ErrNotHeld: the key is not the customer's.
var ErrNotHeld = errors.New("the key is not the current one")

// Rotate puts a fresh key in the place of the one that is shown, and returns the customer as stored.
// Where the fresh key has replaced the shown one before, as after a lost answer, nothing
// changes. ErrNotHeld for any other key.
func (k Customers) Rotate(
	ctx context.Context, shown apikey.Key, fresh apikey.Hash, now time.Time,
) (stored Customer, err error) {
	err = k.Change(ctx, shown.Customer, func(c *Customer) error {
		switch {
		case c.Holds(shown):
			old := c.Hash
			c.replaceKey(fresh, now)
			c.Rotated = &KeyHash{old, now.UTC()}
		case !c.HasRotated(shown, now) || !bytes.Equal(c.Hash, fresh[:]):
			return ErrNotHeld
		}
		stored = *c
		return nil
	})
	return stored, err
}

// HasRotated tells whether a key was rotated away so lately that it may ask for its successor again.
func (c Customer) HasRotated(shown apikey.Key, now time.Time) bool {
	return c.Rotated != nil && len(c.Rotated.Hash) == len(apikey.Hash{}) &&
		shown.Matches(apikey.Hash(c.Rotated.Hash)) && now.Sub(c.Rotated.At) < RotationGrace
}

func offerKey(id string) Key { return Key{"OFFER#" + id, "JOB"} }

// Offer stores a job that is left when somebody who knows the id accepts it
// before a moment. Offered again under the same id it changes nothing.
func (o Outbox) Offer(ctx context.Context, id string, j Job, until time.Time) error {
	err := write(ctx, o.Table, over(Item{Key: offerKey(id), Expires: until}), j)
	return wrap(unless(err, ErrExists), "offer a job")
}

// Offered is ErrNotFound where nothing is offered under the id, or not any more.
func (o Outbox) Offered(ctx context.Context, id string) error {
	_, err := o.offered(ctx, id)
	return err
}

func (o Outbox) offered(ctx context.Context, id string) (Item, error) {
	item, err := o.Table.Get(ctx, offerKey(id), Strong)
	return item, wrap(err, "read offered job")
}

// Accept leaves the job that is offered under an id, once: accepted again it changes nothing.
func (o Outbox) Accept(ctx context.Context, id string, now time.Time) error {
	return RetryConflicts(ctx, func() error {
		item, err := o.offered(ctx, id)
		if err != nil || len(item.Data) == 0 {
			return err
		}
		var j Job
		if err := json.Unmarshal(item.Data, &j); err != nil {
			return fmt.Errorf("read offered job: %w", err)
		}
		j.At, item.Data = now, nil
		w := writes{ops: []Op{over(item)}}
		w.leave(o, j)
		return w.to(ctx, o.Table)
	})
}
