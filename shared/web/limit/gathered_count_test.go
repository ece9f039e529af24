package limit

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/store"
)

type slowly struct {
	counters
	begun, goOn chan struct{}
	once        sync.Once
	contexts    []error
}

func (s *slowly) Take(ctx context.Context, key store.Key, n, limit int64, expires time.Time) (int64, error) {
	s.once.Do(func() { close(s.begun); <-s.goOn })
	s.contexts = append(s.contexts, ctx.Err())
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return s.counters.Take(ctx, key, n, limit, expires)
}

func gather(t *testing.T, calls int, ctxOf func(n int) context.Context, meanwhile func()) (decisions []Decision, errs []error,
	c *slowly, l *Limiter) {
	t.Helper()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c = &slowly{begun: make(chan struct{}), goOn: make(chan struct{})}
	l = New(c, func() time.Time { return now })
	decisions, errs = make([]Decision, calls), make([]error, calls)
	var all sync.WaitGroup
	call := func(n int) { decisions[n], errs[n] = l.Take(ctxOf(n), together, "a") }
	all.Go(func() { call(0) })
	<-c.begun
	for n := 1; n < calls; n++ {
		all.Go(func() { call(n) })
		for l.gathered() < n && t.Context().Err() == nil {
			runtime.Gosched()
		}
	}
	meanwhile()
	close(c.goOn)
	all.Wait()
	return decisions, errs, c, l
}

func (l *Limiter) gathered() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, waiting := range l.counting {
		n += len(waiting)
	}
	return n
}

func TestGatheredCallsAreCountedTogether(t *testing.T) {
	const calls = 150
	decisions, errs, c, l := gather(t, calls, func(int) context.Context { return t.Context() }, func() {})
	if c.asked != 2 {
		t.Errorf("%d writes", c.asked)
	}
	var remaining []int64
	for n, d := range decisions {
		if errs[n] != nil {
			t.Error(errs[n])
		}
		if d.Allowed {
			remaining = append(remaining, d.Remaining)
		} else if d.Remaining != 0 {
			t.Errorf("a refused call has %d left", d.Remaining)
		}
	}
	slices.Sort(remaining)
	want := make([]int64, together.Calls)
	for n := range want {
		want[n] = int64(n)
	}
	if diff := cmp.Diff(want, remaining); diff != "" {
		t.Errorf("what was left to those that passed (-want +got)\n%s", diff)
	}
	if d, err := l.Take(t.Context(), together, "a"); d.Allowed || err != nil || c.asked != 2 {
		t.Errorf("the next one: %+v %v, %d writes", d, err, c.asked)
	}
	if window, kept, err := l.Usage(t.Context(), together, "a"); window != together.Calls ||
		kept != together.Calls || err != nil {
		t.Errorf("used %d, %d, %v", window, kept, err)
	}
	if len(l.counting) != 0 {
		t.Errorf("%d subjects are still being counted", len(l.counting))
	}
}

func TestCanceledCallFailsNoOther(t *testing.T) {
	gone, hangUp := context.WithCancel(t.Context())
	decisions, errs, c, _ := gather(t, 120, func(n int) context.Context {
		if n == 1 {
			return gone
		}
		return t.Context()
	}, hangUp)
	passed := 0
	for n, d := range decisions {
		switch {
		case n == 1 && errs[n] == nil:
			t.Error("the one that hung up was not told")
		case n != 1 && errs[n] != nil:
			t.Errorf("call %d: %v", n, errs[n])
		case n != 1 && d.Allowed:
			passed++
		}
	}
	if passed != int(together.Calls)-1 || slices.ContainsFunc(c.contexts, func(err error) bool { return err != nil }) {
		t.Errorf("%d passed beside it; writes ended with %v", passed, c.contexts)
	}
}
