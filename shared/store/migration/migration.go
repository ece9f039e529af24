// Package migration moves all that one store holds into another, of whatever kind
// each is, while the first one is served.
//
// A pass makes the target hold what the source holds: it reads both whole, writes
// what differs and deletes what the source does not have. What was copied before is
// found by comparing, so there is no record of progress that could be wrong: a pass
// that was killed anywhere is begun again and writes what is still missing. Passes
// are made while the source goes on being written, each with less to do. The last
// one, made when nobody writes any more, is a Finish: it reads the target again and
// compares it with the source item by item, by a digest of version, end and data,
// and only then says that the target is complete.
//
// Until then the target says of itself that it is not, and is not served. One
// process fills it at a time, by a lease. A store that holds data of its own is
// never written to.
package migration

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/store"
)

var (
	// ErrNotEmpty: the target holds data that no unfinished migration has put there.
	ErrNotEmpty = errors.New("it holds data already, and no migration to it is unfinished")
	// ErrIncomplete: the source is itself an unfinished target.
	ErrIncomplete = errors.New("it is not complete itself")
	// ErrEmpty: the source holds nothing.
	ErrEmpty = errors.New("it holds nothing")
	// ErrWritten: the source or the target was written by somebody else during a Finish.
	ErrWritten = errors.New("somebody else writes to it")
)

// Mover moves what a store holds.
type Mover struct {
	From, To store.Whole
	Name     string // of the source, for people
	Now      func() time.Time
	// Progress, where set, is told how many items were read from the source and written, now and then.
	Progress func(read, written int)
}

// Report is what a pass did.
type Report struct {
	Items   int // in the source
	Written int
	Deleted int // from the target
}

const (
	leaseFor = time.Minute
	// workers write at a time, each up to so many items or bytes.
	workers   = 4
	mostItems = 100
	mostBytes = 4 << 20
)

// Copy makes one pass.
func (m *Mover) Copy(ctx context.Context) (Report, error) {
	return m.alone(ctx, func(p *pass) error { return p.run() })
}

// Finish makes the last pass, when nobody writes to the source any more, compares
// both item by item, and says that the target is complete.
func (m *Mover) Finish(ctx context.Context) (Report, error) {
	return m.alone(ctx, func(p *pass) error {
		if err := p.run(); err != nil {
			return err
		}
		for _, side := range []struct {
			name  string
			table store.Whole
		}{{"the target", m.To}, {"the source", m.From}} {
			if err := p.compare(side.table); err != nil {
				return fmt.Errorf("compare %s with what was read of the source: %w", side.name, err)
			}
		}
		return p.held(store.Migration{Table: m.To}.Finish)
	})
}

// alone makes a pass while no other process makes one to the same target.
func (m *Mover) alone(ctx context.Context, work func(*pass) error) (report Report, err error) {
	lease := store.Migration{Table: m.To}.Lease(rand.Text())
	lease.For, lease.Now = leaseFor, m.Now
	err = lease.While(ctx, func(ctx context.Context) error {
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		p := &pass{Mover: m, ctx: ctx, stop: stop, lease: lease}
		defer func() { report = p.report }()
		if err := m.mayBegin(ctx); err != nil {
			return err
		}
		return work(p)
	})
	if errors.Is(err, store.ErrHeld) {
		err = fmt.Errorf(
			"another process is filling the target, or was killed at it less than %v ago: run this again then", leaseFor,
		)
	}
	if err != nil {
		return report, fmt.Errorf("migrate: %w", err)
	}
	return report, nil
}

// mayBegin makes sure that nothing is overwritten, and says that the target is not complete.
func (m *Mover) mayBegin(ctx context.Context) error {
	if _, unfinished, err := (store.Migration{Table: m.From}).Unfinished(ctx); err != nil {
		return fmt.Errorf("read the source: %w", err)
	} else if unfinished {
		return fmt.Errorf("read the source: %w", ErrIncomplete)
	}
	switch holds, err := m.holds(ctx, m.From); {
	case err != nil:
		return err
	case !holds:
		return fmt.Errorf("read the source: %w", ErrEmpty)
	}
	target := store.Migration{Table: m.To}
	_, unfinished, err := target.Unfinished(ctx)
	if err != nil {
		return err
	}
	if !unfinished {
		if holds, err := m.holds(ctx, m.To); err != nil {
			return err
		} else if holds {
			return fmt.Errorf("look at the target: %w", ErrNotEmpty)
		}
	}
	return target.Begin(ctx, m.Name)
}

// holds tells whether a store holds anything.
func (m *Mover) holds(ctx context.Context, table store.Whole) (bool, error) {
	something := errors.New("something")
	err := table.Each(ctx, func(i store.Item) error {
		if (store.Migration{}).Own(i.Key) {
			return nil
		}
		return something
	})
	if errors.Is(err, something) {
		return true, nil
	}
	return false, err
}
