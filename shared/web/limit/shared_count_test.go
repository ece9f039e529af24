package limit

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/store"
)

var together = Limit{Name: "together", Calls: 100, Window: time.Hour}

var joint = Limit{Name: "joint", Calls: 600, Window: time.Hour}

func joins(t *testing.T, l *Limiter, subject string, calls int) (passed int) {
	t.Helper()
	for range calls {
		d, err := l.CountShared(t.Context(), joint, subject)
		if err != nil {
			t.Fatal(err)
		}
		if d.Allowed {
			passed++
		}
	}
	return passed
}

func TestJoinWritesSeldom(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := &counters{}
	l := New(c, func() time.Time { return now })
	var got [][2]int // passed, total writes
	for _, calls := range []int{minPending - 1, 1, 50} {
		got = append(got, [2]int{joins(t, l, "a", calls), c.asked})
	}
	now = now.Add(59 * time.Second)
	got = append(got, [2]int{joins(t, l, "a", 1), c.asked})
	now = now.Add(time.Second)
	for _, calls := range []int{1, 700} {
		passed := joins(t, l, "a", calls)
		got = append(got, [2]int{passed, c.asked})
	}
	want := [][2]int{{15, 0}, {1, 1}, {50, 1}, {1, 1}, {1, 2}, {532, 3}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls that passed, and writes (-want +got):\n%s", diff)
	}
	if _, full := l.Full(joint, "a"); !full {
		t.Error("the ceiling was reached and is not full")
	}
	if d, full := l.Full(joint, "b"); full || !d.Allowed {
		t.Error("another subject is full")
	}
	now = time.Date(2026, 3, 1, 13, 0, 0, 0, time.UTC)
	if _, full := l.Full(joint, "a"); full || joins(t, l, "a", 1) != 1 {
		t.Error("the next hour begins full")
	}
}

func TestProcessesLearnOfEachOther(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := &counters{}
	clock := func() time.Time { return now }
	first, second := New(c, clock), New(c, clock)
	joins(t, first, "a", 70)
	now = now.Add(time.Minute)
	joins(t, first, "a", 10) // this writes the 54 pending calls and 1 more, so the store counts 71
	if passed := joins(t, second, "a", 700); passed != 600-71 {
		t.Errorf("%d calls passed at the second process, want 529", passed)
	}
	now = now.Add(time.Minute)
	joins(t, first, "a", 1)
	if passed := joins(t, first, "a", 700); passed > minPending {
		t.Errorf("%d more calls passed at the first process", passed)
	}
}

func TestSmallLimitsAreExact(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, calls := range []int64{1, 5, 160, minSharedLimit - 1} {
		few := Limit{Name: "few", Calls: calls, Window: time.Hour}
		c := &counters{}
		var processes []*Limiter
		for range 4 {
			processes = append(processes, New(c, func() time.Time { return now }))
		}
		var all sync.WaitGroup
		var passed atomic.Int64
		for n := range 1000 {
			all.Go(func() {
				d, err := processes[n%4].CountShared(t.Context(), few, "a")
				if err != nil {
					t.Error(err)
				}
				if d.Allowed {
					passed.Add(1)
				}
			})
		}
		all.Wait()
		if passed.Load() != calls {
			t.Errorf("%d calls passed of %d", passed.Load(), calls)
		}
		for n, p := range processes {
			// A process may learn only from this extra call that the limit is reached.
			if d, err := p.CountShared(t.Context(), few, "a"); err != nil || d.Allowed {
				t.Errorf("process %d lets a call more pass: %v", n, err)
			}
			if _, full := p.Full(few, "a"); !full {
				t.Errorf("process %d does not know that the limit of %d is reached", n, calls)
			}
		}
	}
}

func TestJoinFailsOpen(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := &counters{err: store.ErrUnavailable}
	l := New(c, func() time.Time { return now })
	faults := 0
	for range 2 * minPending {
		d, err := l.CountShared(t.Context(), joint, "a")
		if errors.Is(err, store.ErrUnavailable) {
			faults++
		}
		if !d.Allowed {
			t.Fatal("a call was refused")
		}
	}
	if faults != 1 {
		t.Errorf("%d faults, want one in a minute", faults)
	}
}

func TestTalliesAreBounded(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l := New(&counters{}, func() time.Time { return now })
	joins(t, l, "flood", 600)
	for n := range 3 * remembered {
		joins(t, l, fmt.Sprint(n), 1)
		if len(l.shared) > remembered {
			t.Fatalf("%d tallies", len(l.shared))
		}
	}
	if _, full := l.Full(joint, "flood"); !full {
		t.Error("the flood was forgotten")
	}
}

func TestUsage(t *testing.T) {
	now := time.Date(2026, 3, 1, 23, 57, 30, 0, time.UTC)
	c := &counters{}
	l := New(c, func() time.Time { return now })
	perMinute := Limit{Name: "minute", Calls: 2, Window: time.Minute, Keep: 24 * time.Hour}
	var got [][2]int64
	for range 4 {
		for range 3 {
			l.Take(t.Context(), perMinute, "a")
		}
		l.Take(t.Context(), perMinute, "b")
		l.Take(t.Context(), daily, "a")
		window, day, err := l.Usage(t.Context(), perMinute, "a")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, [2]int64{window, day})
		now = now.Add(time.Minute)
	}
	if diff := cmp.Diff([][2]int64{{2, 2}, {2, 4}, {2, 6}, {2, 2}}, got); diff != "" {
		t.Errorf("-want +got: %s", diff)
	}
	for key, until := range c.until {
		if key.Partition == "LIMIT#minute#a" && until.Sub(until.Truncate(24*time.Hour)) != 0 {
			t.Errorf("%s is kept until %s, want midnight", key.Sort, until)
		}
	}
	c.err = store.ErrUnavailable
	if _, _, err := l.Usage(t.Context(), perMinute, "a"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("%v", err)
	}
}

func TestUncount(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := &counters{}
	l := New(c, func() time.Time { return now })
	joins(t, l, "a", 40)
	for range 30 {
		l.Uncount(joint, "a")
	}
	if passed := joins(t, l, "a", 2*int(joint.Calls)); passed != int(joint.Calls)-10 {
		t.Errorf("%d calls passed beside 10, want %d", passed, int(joint.Calls)-10)
	}
	l.Uncount(joint, "uncounted")
	if passed := joins(t, l, "uncounted", 2*int(joint.Calls)); passed != int(joint.Calls) {
		t.Errorf("%d calls passed, want %d", passed, int(joint.Calls))
	}
}
