// Package migration copies a store to another store of any kind while the old store is in use.
// Start with Mover.
//
// Each pass makes the target equal to the source. It reads both stores, writes the items that
// differ, and deletes items that are only in the target. No progress is recorded: after a crash,
// the next pass finds by comparison what is missing.
//
// The last pass, Finish, runs after all programs that write to the source have stopped. It reads
// both stores again and compares the digest of every item (version, expiry and data). Then it marks
// the target as complete. Until then, the target is marked as incomplete, and a server refuses to
// use it. A lease ensures that only one process migrates at a time. If the target has other data,
// the migration changes nothing.
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
	// ErrNotEmpty means that the target contains data that no unfinished migration wrote.
	ErrNotEmpty = errors.New("it holds data already, and no migration to it is unfinished")
	// ErrIncomplete means that the source itself is the target of an unfinished migration.
	ErrIncomplete = errors.New("it is not complete itself")
	// ErrEmpty means that the source has no items.
	ErrEmpty = errors.New("it holds nothing")
	// ErrWritten means that another process wrote to the source or the target during Finish.
	ErrWritten = errors.New("somebody else writes to it")
)

// Mover copies the items of one store to another.
type Mover struct {
	From, To store.Whole
	Name     string // of the source, for people
	Now      func() time.Time
	// Progress, if set, is called after every 1,000 items read, with the numbers of items read and
	// written.
	Progress func(read, written int)
}

// Report holds the numbers of items of a pass.
type Report struct {
	Items   int // in the source
	Written int
	Deleted int // from the target
}

const (
	leaseFor = time.Minute
	// Each of the workers writes batches in parallel. A batch has at most mostItems items and about
	// mostBytes bytes.
	workers   = 4
	mostItems = 100
	mostBytes = 4 << 20
)

// Copy runs one pass while the source is in use.
func (m *Mover) Copy(ctx context.Context) (Report, error) {
	return m.alone(ctx, func(p *pass) error { return p.run() })
}

// Finish runs the last pass, after all programs that write to the source have stopped. It compares
// both stores item by item and marks the target as complete.
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

// alone runs a pass while this process holds the lease of the target.
func (m *Mover) alone(ctx context.Context, work func(*pass) error) (report Report, err error) {
	lease := store.Migration{Table: m.To}.Lease(rand.Text())
	lease.Duration, lease.Now = leaseFor, m.Now
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

// mayBegin fails if the target contains data of its own. Otherwise it marks the target as
// incomplete.
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

// holds reports whether a store contains at least one item.
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
