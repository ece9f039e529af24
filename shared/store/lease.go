package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrHeld: somebody else holds the lease.
var ErrHeld = errors.New("held by another")

// Lease lets one process at a time do something, as long as each that does it
// holds the lease and renews it before it ends. It is an item that expires: a
// process that dies holds it For at most (key: LEASE).
type Lease struct {
	Table  Table
	Name   string
	Holder string // tells processes apart: random
	For    time.Duration
	Now    func() time.Time

	version int64
	until   time.Time
}

func (l *Lease) key() Key { return Key{"LEASE#" + l.Name, "HOLDER"} }

// Hold takes the lease, or renews it. ErrHeld: somebody else has it. After any
// other error it is not known who has it; Hold may be called again.
func (l *Lease) Hold(ctx context.Context) error {
	until := l.Now().Add(l.For).Truncate(time.Second)
	var err error
	if l.version > 0 && l.Left() == 0 {
		// An item that has expired begins again at version 1: another's may stand at ours.
		err = l.find(ctx)
	}
	if err == nil {
		err = l.write(ctx, until)
	}
	if errors.Is(err, ErrExists) || errors.Is(err, ErrConflict) {
		// An earlier call of ours may have taken effect without our learning of it.
		if err = l.find(ctx); err == nil {
			err = l.write(ctx, until)
		}
	}
	switch {
	case err == nil:
		l.until = until
		return nil
	case errors.Is(err, ErrExists), errors.Is(err, ErrConflict):
		err = ErrHeld
	}
	l.until = time.Time{}
	return fmt.Errorf("hold the lease of %s: %w", l.Name, err)
}

// Left is how long the lease is certainly held.
func (l *Lease) Left() time.Duration { return max(0, l.until.Sub(l.Now())) }

func (l *Lease) write(ctx context.Context, until time.Time) error {
	op := Op{Mode: Replace, Item: Item{Key: l.key(), Version: l.version, Data: []byte(l.Holder), Expires: until}}
	if l.version == 0 {
		op.Mode = Create
	}
	if err := l.Table.Write(ctx, op); err != nil {
		return err
	}
	l.version++ // of an item that has expired nothing is left: a new one begins at 1
	return nil
}

// find learns at which version we hold the lease, if we do.
func (l *Lease) find(ctx context.Context) error {
	item, err := l.Table.Get(ctx, l.key(), Strong)
	l.version = 0
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	case string(item.Data) != l.Holder:
		return ErrHeld
	}
	l.version = item.Version
	return nil
}

// Release gives the lease back. Where it is no longer ours, that is no error.
func (l *Lease) Release(ctx context.Context) error {
	if l.version == 0 || l.Left() == 0 { // what is over needs no giving back, and may be another's
		return nil
	}
	err := l.Table.Write(ctx, Op{Mode: Remove, Item: Item{Key: l.key(), Version: l.version}})
	l.version, l.until = 0, time.Time{}
	if err != nil && !errors.Is(err, ErrConflict) {
		return fmt.Errorf("release the lease of %s: %w", l.Name, err)
	}
	return nil
}
