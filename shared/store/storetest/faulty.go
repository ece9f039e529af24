package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"verdetto/shared/store"
)

var ErrInjected = fmt.Errorf("%w: injected fault", store.ErrUnavailable)

type Side int

// Before: the call has no effect. After: the call takes effect, but the caller gets an error.
const (
	Before Side = iota
	After
)

func (s Side) String() string { return [...]string{"before", "after"}[s] }

// Calls are counted from 0. Faulty is safe for concurrent use.
type Faulty struct {
	store.Table
	mu    sync.Mutex
	calls int
	fails func(call int) (fail bool, side Side)
}

func NewFaulty(t store.Table) *Faulty { return &Faulty{Table: t} }

func (f *Faulty) FailOnce(call int, side Side) {
	f.Arm(func(n int) (bool, Side) { return n == call, side })
}

// DieAt simulates a killed process: all calls after the given one fail too, until Heal.
func (f *Faulty) DieAt(call int, side Side) {
	f.Arm(func(n int) (bool, Side) {
		if n > call {
			return true, Before
		}
		return n == call, side
	})
}

func (f *Faulty) Heal() { f.Arm(nil) }

func (f *Faulty) Arm(fails func(int) (bool, Side)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls, f.fails = 0, fails
}

func (f *Faulty) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

func (f *Faulty) next() (fail bool, side Side) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.calls
	f.calls++
	if f.fails == nil {
		return false, Before
	}
	return f.fails(n)
}

func (f *Faulty) around(call func() error) error {
	fail, side := f.next()
	if fail && side == Before {
		return ErrInjected
	}
	err := call()
	if fail && (err == nil || errors.Is(err, store.ErrNotFound)) {
		return ErrInjected
	}
	return err
}

func (f *Faulty) Get(ctx context.Context, key store.Key, read store.Consistency) (item store.Item, err error) {
	err = f.around(func() error { item, err = f.Table.Get(ctx, key, read); return err })
	return item, err
}

func (f *Faulty) Query(ctx context.Context, r store.Range) (items []store.Item, err error) {
	err = f.around(func() error { items, err = f.Table.Query(ctx, r); return err })
	return items, err
}

func (f *Faulty) Write(ctx context.Context, ops ...store.Op) error {
	return f.around(func() error { return f.Table.Write(ctx, ops...) })
}

func (f *Faulty) Take(ctx context.Context, key store.Key, n, limit int64, expires time.Time) (count int64, err error) {
	err = f.around(func() error { count, err = f.Table.Take(ctx, key, n, limit, expires); return err })
	return count, err
}

// EachFault runs flow once without faults, then once for each call and side. flow must retry as a caller would, and
// check the final state.
func EachFault(
	t *testing.T, open func(t *testing.T) store.Table, arm func(f *Faulty, call int, side Side),
	flow func(t *testing.T, f *Faulty),
) (combinations int) {
	t.Helper()
	clean := NewFaulty(open(t))
	flow(t, clean)
	calls := clean.Calls()
	if calls == 0 {
		t.Fatal("the flow makes no calls")
	}
	for call := range calls {
		for _, side := range []Side{Before, After} {
			combinations++
			t.Run(fmt.Sprintf("call %d fails %s its effect", call, side), func(t *testing.T) {
				f := NewFaulty(open(t))
				arm(f, call, side)
				flow(t, f)
			})
		}
	}
	return combinations
}
