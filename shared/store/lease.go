package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"verdetto/shared/runtime/retry"
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

	mu      sync.Mutex // guards what follows
	version int64
	until   time.Time
}

// The names of all leases.
const (
	MailLease      = "mail"
	RefreshLease   = "refresh"
	migrationLease = "migration"
)

func (l *Lease) key() Key { return Key{"LEASE#" + l.Name, "HOLDER"} }

// Hold takes the lease, or renews it. ErrHeld: somebody else has it. After any
// other error it is not known who has it; Hold may be called again.
func (l *Lease) Hold(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	until := l.Now().Add(l.For).Truncate(time.Second)
	var err error
	if l.version > 0 && l.left() == 0 {
		// An item that has expired begins again at version 1: another's may stand at ours.
		err = l.find(ctx)
	}
	if err == nil {
		err = l.write(ctx, until)
	}
	if isConflict(err) {
		// An earlier call of ours may have taken effect without our learning of it.
		if err = l.find(ctx); err == nil {
			err = l.write(ctx, until)
		}
	}
	switch {
	case err == nil:
		l.until = until
		return nil
	case isConflict(err):
		err = ErrHeld
	}
	if errors.Is(err, ErrHeld) { // else what was held is held until its end, at least
		l.until = time.Time{}
	}
	return fmt.Errorf("hold the lease of %s: %w", l.Name, err)
}

// Left is how long the lease is certainly held.
func (l *Lease) Left() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.left()
}

func (l *Lease) left() time.Duration { return max(0, l.until.Sub(l.Now())) }

// While does work while the lease is held, renewing it meanwhile. The work's
// context ends when the lease is lost, and what is lost is not taken again: another
// may have finished what was begun. ErrHeld: somebody else has it, and nothing was done.
func (l *Lease) While(ctx context.Context, work func(context.Context) error) error {
	if err := l.Hold(ctx); err != nil {
		return err
	}
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var renewing sync.WaitGroup
	renewing.Go(func() { l.renew(working, stop) })
	err := work(working)
	stop(nil)
	renewing.Wait()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if errors.Is(context.Cause(working), ErrLost) {
		err = errors.Join(err, context.Cause(working))
	}
	return errors.Join(err, l.Release(last))
}

// ErrLost: a lease ended, or another took it, before the work was done.
var ErrLost = errors.New("the lease was lost")

// renew renews the lease from time to time. A renewal that fails is tried again while there is time.
func (l *Lease) renew(ctx context.Context, stop context.CancelCauseFunc) {
	for retry.Sleep(ctx, l.For/4) == nil {
		if l.Left() > 0 {
			_ = l.Hold(ctx) // what came of it is seen by what is left
		}
		if l.Left() == 0 && ctx.Err() == nil {
			stop(fmt.Errorf("hold the lease of %s: %w", l.Name, ErrLost))
			return
		}
	}
}

func (l *Lease) write(ctx context.Context, until time.Time) error {
	item := Item{Key: l.key(), Version: l.version, Data: []byte(l.Holder), Expires: until}
	if err := l.Table.Write(ctx, over(item)); err != nil {
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
	// else a wrong clock took it
	case string(item.Data) != l.Holder && !item.Expires.After(l.Now().Add(l.For+24*time.Hour)):
		return ErrHeld
	}
	l.version = item.Version
	return nil
}

// Release gives the lease back. Where it is no longer ours, that is no error.
func (l *Lease) Release(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.version == 0 || l.left() == 0 { // what is over needs no giving back, and may be another's
		return nil
	}
	err := l.Table.Write(ctx, Op{Mode: Remove, Item: Item{Key: l.key(), Version: l.version}})
	l.version, l.until = 0, time.Time{}
	return wrap(unless(err, ErrConflict), "release the lease of %s", l.Name)
}

// DropLeases ends all leases. It is for a table that no other process has open:
// whoever held one is gone, and nobody has to wait for its end.
func DropLeases(ctx context.Context, table Table) error {
	for _, name := range []string{MailLease, RefreshLease, migrationLease} {
		key := (&Lease{Name: name}).key()
		_, err := table.Get(ctx, key, Strong)
		if err == nil {
			err = table.Write(ctx, remove(key))
		}
		if err := unless(err, ErrNotFound); err != nil {
			return wrap(err, "drop the lease of %s", name)
		}
	}
	return nil
}
