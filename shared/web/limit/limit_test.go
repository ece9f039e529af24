package limit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/store"
)

type counters struct {
	mu    sync.Mutex
	count map[store.Key]int64
	until map[store.Key]time.Time
	asked int
	err   error
}

func (c *counters) Query(_ context.Context, r store.Range) (items []store.Item, err error) {
	for key, n := range c.count {
		if key.Partition == r.Partition && key.Sort > r.After {
			items = append(items, store.Item{Key: key, Data: store.CounterData(n), Expires: c.until[key]})
		}
	}
	return items, c.err
}

func (c *counters) Take(_ context.Context, key store.Key, n, limit int64, expires time.Time) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	if c.err != nil {
		return 0, c.err
	}
	if c.count == nil {
		c.count, c.until = map[store.Key]int64{}, map[store.Key]time.Time{}
	}
	if c.count[key] >= limit {
		return 0, store.ErrLimit
	}
	c.count[key] += n
	c.until[key] = expires
	return c.count[key], nil
}

var (
	daily  = Limit{Name: "daily", Calls: 3, Window: 24 * time.Hour}
	minute = Limit{Name: "minute", Calls: 2, Window: time.Minute}
)

func TestHeaders(t *testing.T) {
	now := time.Date(2026, 3, 1, 23, 59, 58, 500_000_000, time.UTC)
	l := New(&counters{}, func() time.Time { return now })
	var got []http.Header
	for range 4 {
		d, err := l.Take(t.Context(), daily, "a")
		if err != nil {
			t.Fatal(err)
		}
		h := http.Header{}
		d.Headers(h, now)
		got = append(got, h)
	}
	midnight := fmt.Sprint(time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC).Unix())
	header := func(remaining string) http.Header {
		h := http.Header{}
		h.Set("RateLimit-Policy", `"daily";q=3;w=86400`)
		h.Set("RateLimit", `"daily";r=`+remaining+`;t=2`) // 1.5 seconds, rounded up
		h.Set("X-RateLimit-Limit", "3")
		h.Set("X-RateLimit-Remaining", remaining)
		h.Set("X-RateLimit-Reset", midnight)
		return h
	}
	last := header("0")
	last.Set("Retry-After", "2")
	if diff := cmp.Diff([]http.Header{header("2"), header("1"), header("0"), last}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWindows(t *testing.T) {
	now := time.Date(2026, 3, 1, 23, 59, 59, 999_000_000, time.UTC)
	l := New(&counters{}, func() time.Time { return now })
	allowed := func(limit Limit, subject string) bool {
		d, err := l.Take(t.Context(), limit, subject)
		if err != nil {
			t.Fatal(err)
		}
		return d.Allowed
	}
	for range 3 {
		if !allowed(daily, "a") {
			t.Fatal("refused below the cap")
		}
	}
	if allowed(daily, "a") || !allowed(daily, "b") || !allowed(minute, "a") {
		t.Error("subjects or limits are mixed up")
	}
	now = now.Add(time.Millisecond)
	if !allowed(daily, "a") {
		t.Error("a new day did not begin at 00:00 UTC")
	}
	now = now.In(time.FixedZone("elsewhere", 5*3600))
	for _, want := range []bool{true, true, false} {
		if allowed(daily, "a") != want {
			t.Error("the zone of the clock matters")
		}
	}
	for n := range 61 {
		now = now.Add(time.Second)
		if got := allowed(minute, "c"); got != (n < 2 || n == 59 || n == 60) {
			t.Errorf("second %d of the minutes: allowed %v", n+1, got)
		}
	}
}

func TestFloodIsNotWritten(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := &counters{}
	for instance := range 3 {
		l := New(c, func() time.Time { return now })
		before := c.asked
		var wg sync.WaitGroup
		for range 1000 {
			wg.Go(func() { l.Take(t.Context(), daily, "a") })
		}
		wg.Wait()
		most := 1
		if instance == 0 {
			most = int(daily.Calls) + 1
		}
		if got := c.asked - before; got < 1 || got > most {
			t.Errorf("instance %d wrote %d times, want at most %d", instance, got, most)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := &counters{err: store.ErrLimit}
	l := New(c, func() time.Time { return now })
	for n := range 3 * remembered {
		l.Take(t.Context(), minute, fmt.Sprint(n))
		if len(l.over) > remembered {
			t.Fatalf("%d subjects are remembered", len(l.over))
		}
	}
	now = now.Add(time.Hour)
	for n := range remembered {
		l.Take(t.Context(), minute, fmt.Sprint("later", n))
	}
	if len(l.over) > remembered {
		t.Errorf("%d subjects are remembered", len(l.over))
	}
}

func TestFailsOpen(t *testing.T) {
	l := New(&counters{err: store.ErrUnavailable}, time.Now)
	d, err := l.Take(t.Context(), daily, "a")
	if !d.Allowed || d.Counted || !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("%+v %v", d, err)
	}
	h := http.Header{}
	d.Headers(h, time.Now())
	if h.Get("X-RateLimit-Remaining") != "" || h.Get("RateLimit") != "" || h.Get("RateLimit-Policy") == "" ||
		h.Get("X-RateLimit-Limit") != "3" || h.Get("Retry-After") != "" {
		t.Errorf("headers %v", h)
	}
}

func TestSeveral(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := &counters{}
	l := New(c, func() time.Time { return now })
	ten := Limit{Name: "ten", Calls: 10, Window: time.Hour}
	var got [][3]int64 // granted, remaining, total writes
	for _, n := range []int64{4, 5, 3, 1} {
		d, err := l.TakeSeveral(t.Context(), ten, "a", n)
		if err != nil || d.Allowed != (d.Granted > 0) {
			t.Fatalf("%+v %v", d, err)
		}
		got = append(got, [3]int64{d.Granted, d.Remaining, int64(c.asked)})
	}
	if diff := cmp.Diff([][3]int64{{4, 6, 1}, {5, 1, 2}, {1, 0, 3}, {0, 0, 3}}, got); diff != "" {
		t.Errorf("granted, left, writes (-want +got): %s", diff)
	}
	if window, _, err := l.Usage(t.Context(), ten, "a"); window != 10 || err != nil {
		t.Errorf("used %d, %v", window, err)
	}
	c.err = store.ErrUnavailable
	if d, err := l.TakeSeveral(t.Context(), ten, "b", 3); d.Granted != 3 || err == nil {
		t.Errorf("where the counter cannot be reached %d of 3 are granted, %v", d.Granted, err)
	}
}

func TestSeveralGather(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := &counters{}
	l := New(c, func() time.Time { return now })
	var all sync.WaitGroup
	granted := make([]int64, 60)
	for i := range granted {
		all.Go(func() {
			d, err := l.TakeSeveral(t.Context(), together, "a", int64(1+i%5))
			if err != nil {
				t.Error(err)
			}
			granted[i] = d.Granted
		})
	}
	all.Wait()
	sum := int64(0)
	for _, n := range granted {
		sum += n
	}
	if sum != together.Calls {
		t.Errorf("%d were granted of a cap of %d", sum, together.Calls)
	}
}

func TestSettings(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	l := New(&counters{}, func() time.Time { return now }).
		With(map[string]int64{"daily": 1, "other": 9})
	for i, allowed := range []bool{true, false} {
		if d, err := l.Take(t.Context(), daily, "ada"); err != nil || d.Allowed != allowed || d.Limit.Calls != 1 {
			t.Errorf("call %d: %+v %v, want %v", i, d, err, allowed)
		}
		if d, err := l.CountShared(t.Context(), daily, "bob"); err != nil || d.Allowed != allowed {
			t.Errorf("shared call %d: %+v %v, want %v", i, d, err, allowed)
		}
	}
	if used, _, err := l.Usage(t.Context(), daily, "ada"); err != nil || used != 1 {
		t.Errorf("%d used, %v", used, err)
	}
	if d, err := l.Take(t.Context(), minute, "ada"); err != nil || d.Limit.Calls != minute.Calls {
		t.Errorf("another limit: %+v %v", d, err)
	}
}
