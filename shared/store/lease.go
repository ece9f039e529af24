package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"verdetto/shared/runtime/retry"
)

var ErrHeld = errors.New("held by another")

// A Lease expires, so that a crashed process does not block others for long.
type Lease struct {
	Table    Table
	Name     string
	Holder   string
	Duration time.Duration
	Now      func() time.Time

	mu      sync.Mutex
	version int64
	until   time.Time
}

const (
	MailLease    = "mail"
	RefreshLease = "refresh"
)

func (l *Lease) key() Key { return Key{"LEASE#" + l.Name, "HOLDER"} }

// Hold takes or renews the lease. If another holder has the lease, Hold fails with ErrHeld.
func (l *Lease) Hold(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	until := l.Now().Add(l.Duration).Truncate(time.Second)
	var err error
	if l.version > 0 && l.remaining() == 0 {
		// After the lease has expired, another holder's item can have the version that this process
		// knows.
		err = l.find(ctx)
	}
	if err == nil {
		err = l.write(ctx, until)
	}
	if isConflict(err) {
		// An earlier call may have taken effect although this process got no answer.
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
	if errors.Is(err, ErrHeld) { // after other errors this process may still hold the lease
		l.until = time.Time{}
	}
	return fmt.Errorf("hold the lease of %s: %w", l.Name, err)
}

func (l *Lease) Remaining() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.remaining()
}

func (l *Lease) remaining() time.Duration { return max(0, l.until.Sub(l.Now())) }

// If the lease is lost, While cancels the context of work. If another process holds the lease, While fails with
// ErrHeld and does not call work.
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

// Await is like While, but waits while another process holds the lease. waiting may be nil.
func (l *Lease) Await(ctx context.Context, waiting func(), work func(context.Context) error) error {
	for {
		if err := l.While(ctx, work); !errors.Is(err, ErrHeld) {
			return err
		}
		if waiting != nil {
			waiting()
			waiting = nil
		}
		if err := retry.Sleep(ctx, awaitEvery); err != nil {
			return err
		}
	}
}

const awaitEvery = time.Second

var ErrLost = errors.New("the lease was lost")

func (l *Lease) renew(ctx context.Context, stop context.CancelCauseFunc) {
	for retry.Sleep(ctx, l.Duration/4) == nil {
		if l.Remaining() > 0 {
			_ = l.Hold(ctx) // a failure shows in Remaining
		}
		if l.Remaining() == 0 && ctx.Err() == nil {
			stop(fmt.Errorf("hold the lease of %s: %w", l.Name, ErrLost))
			return
		}
	}
}

func (l *Lease) write(ctx context.Context, until time.Time) error {
	item := Item{Key: l.key(), Version: l.version, Data: []byte(l.Holder), Expires: until}
	if err := l.Table.Write(ctx, replace(item)); err != nil {
		return err
	}
	l.version++
	return nil
}

func (l *Lease) find(ctx context.Context) error {
	item, err := l.Table.Get(ctx, l.key(), Strong)
	l.version = 0
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	// A lease that ends later than Duration and 24 hours from now was stored by a wrong clock.
	case string(item.Data) != l.Holder && !item.Expires.After(l.Now().Add(l.Duration+24*time.Hour)):
		return ErrHeld
	}
	l.version = item.Version
	return nil
}

func (l *Lease) Release(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.version == 0 || l.remaining() == 0 { // an expired lease may belong to another holder
		return nil
	}
	err := l.Table.Write(ctx, Op{Mode: Remove, Item: Item{Key: l.key(), Version: l.version}})
	l.version, l.until = 0, time.Time{}
	return wrap(unless(err, ErrConflict), "release the lease of %s", l.Name)
}

// DropLeases may be called only if no other process uses the table.
func DropLeases(ctx context.Context, table Table) error {
	for _, name := range []string{MailLease, RefreshLease} {
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
