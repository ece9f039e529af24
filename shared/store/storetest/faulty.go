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

// ErrInjected is the fault that Faulty injects; it is a store.ErrUnavailable.
var ErrInjected = fmt.Errorf("%w: injected fault", store.ErrUnavailable)

// Side says whether a call fails before or after it took effect.
type Side int

// The sides of a call.
const (
	Before Side = iota
	After
)

func (s Side) String() string { return [...]string{"before", "after"}[s] }

// Faulty is a table that fails where a test asks for it. It counts calls from 0. It
// is safe for concurrent use, though then which call is which is up to the scheduler.
type Faulty struct {
	store.Table
	mu    sync.Mutex
	calls int
	fails func(call int) (fail bool, side Side)
}

// NewFaulty wraps a table; until a fault is asked for it only counts.
func NewFaulty(t store.Table) *Faulty { return &Faulty{Table: t} }

// FailOnce has one call, counted from now, fail on a side.
func (f *Faulty) FailOnce(call int, side Side) {
	f.arm(func(n int) (bool, Side) { return n == call, side })
}

// DieAt has a call, counted from now, fail on a side, and every later one before
// it takes effect, as if the process had been killed there, until Heal.
func (f *Faulty) DieAt(call int, side Side) {
	f.arm(func(n int) (bool, Side) {
		if n > call {
			return true, Before
		}
		return n == call, side
	})
}

// Heal ends all faults and starts counting at 0.
func (f *Faulty) Heal() { f.arm(nil) }

func (f *Faulty) arm(fails func(int) (bool, Side)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls, f.fails = 0, fails
}

// Calls is how many calls there were since the count began.
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

// around carries out a call and its fault.
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

// Get implements store.Table.
func (f *Faulty) Get(ctx context.Context, key store.Key, read store.Consistency) (item store.Item, err error) {
	err = f.around(func() error { item, err = f.Table.Get(ctx, key, read); return err })
	return item, err
}

// Query implements store.Table.
func (f *Faulty) Query(ctx context.Context, r store.Range) (items []store.Item, err error) {
	err = f.around(func() error { items, err = f.Table.Query(ctx, r); return err })
	return items, err
}

// Write implements store.Table.
func (f *Faulty) Write(ctx context.Context, ops ...store.Op) error {
	return f.around(func() error { return f.Table.Write(ctx, ops...) })
}

// Take implements store.Table.
func (f *Faulty) Take(ctx context.Context, key store.Key, n, limit int64, expires time.Time) (count int64, err error) {
	err = f.around(func() error { count, err = f.Table.Take(ctx, key, n, limit, expires); return err })
	return count, err
}

// EachFault runs a flow once without faults to count its calls, and then once for every call and
// side, each time over an empty table. flow brings its work to an end, trying again as a caller
// would, and checks the end state. EachFault returns how many combinations ran.
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
