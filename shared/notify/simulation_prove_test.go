package notify_test

import (
	"runtime"
	"testing"
	"time"

	"verdetto/shared/notify/notifytest"
)

func TestProveAlertsOfAllKinds(t *testing.T) { measure(t, 100) }

func measure(t *testing.T, routes int) {
	s := newSimulation(t, routes)
	s.subscribe()
	s.refresh(5500)
	s.work(0)
	s.Set(notifytest.Today.AddDate(0, 0, 2))
	s.refresh(3900)
	s.reads, s.write = 0, 0
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	sent, began := len(s.messages), time.Now()
	s.work(0)
	took := time.Since(began)
	runtime.GC()
	runtime.ReadMemStats(&after)
	alerts := routes * len(s.watch)
	t.Logf("%d alerts on %d routes: %d messages in %v, %d reads, %d writes; the heap is %d KB larger after it",
		alerts, routes, len(s.messages)-sent, took.Round(time.Millisecond), s.reads, s.write,
		(int64(after.HeapAlloc)-int64(before.HeapAlloc))>>10)
	if s.reads > 4*alerts || s.write > 2*alerts {
		t.Errorf("%d reads and %d writes for %d alerts", s.reads, s.write, alerts)
	}
}
