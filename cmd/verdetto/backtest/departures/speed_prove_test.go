package departures

import (
	"runtime"
	"syscall"
	"testing"
	"time"
)

// TestProveSpeed: the replay of 700,000 fares of 7,000 routes takes less than 30 seconds of
// processor time. On two idle processors it takes less than 20 seconds; part of the work cannot run
// in parallel.
func TestProveSpeed(t *testing.T) {
	panel := invent(8, 7_000, 4, 150, 30, reverting)
	if len(panel.rows) < 700_000 {
		t.Fatalf("only %d rows", len(panel.rows))
	}
	begun, used := time.Now(), processors(t)
	r := run(t, panel, Options{})
	took := time.Since(begun)
	used = processors(t) - used
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	t.Logf("%d fares of %d routes, %d asked, in %.1f s, %.1f s of the processors, %d MiB", r.Rows, r.Routes,
		r.Questions, took.Seconds(), used.Seconds(), memory.Sys>>20)
	if used > 30*time.Second || memory.Sys > 2<<30 {
		t.Errorf("%v of the processors and %d MiB", used, memory.Sys>>20)
	}
}

// processors returns the processor time of this process.
func processors(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
