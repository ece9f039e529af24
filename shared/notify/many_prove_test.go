package notify_test

import (
	"runtime"
	"testing"
	"time"
)

// TestProveHundredThousand sends news to 100,000 subscribers of one route, in calls of Work of 15
// minutes each. The memory use does not grow with the number of subscribers.
func TestProveHundredThousand(t *testing.T) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	var before, most int64
	began := time.Now()
	sendToMany(t, 100_000, 50, 15*time.Minute-15*time.Second, func(total int) {
		switch {
		case total == 1:
			before = heap()
		case total%10_000 == 0:
			most = max(most, heap())
		}
	})
	grown := most - before
	t.Logf("%v on this machine; the heap grew by %d KB at most", time.Since(began).Round(time.Millisecond), grown>>10)
	if grown > 8<<20 {
		t.Errorf("the heap grew by %d KB", grown>>10)
	}
}
