package backtest

import (
	"runtime"
	"testing"
	"time"

	"verdetto/shared/verdict"
)

// TestProveMillion: the replay of a million fares of 20 routes takes less than one minute and less
// than 1 GiB of memory.
func TestProveMillion(t *testing.T) {
	panel := market(4, 20, 250, 200)
	var rows int
	for _, all := range panel {
		rows += len(all)
	}
	begun := time.Now()
	r := run(t, panel, Options{})
	took := time.Since(begun)
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	t.Logf("%d fares, %d verdicts in %.1f s, %d MiB", rows, r.Verdicts, took.Seconds(), memory.Sys>>20)
	if rows != 1_000_000 || took > time.Minute || memory.Sys > 1<<30 {
		t.Errorf("%d fares took %v and %d MiB", rows, took, memory.Sys>>20)
	}
	if r.Verdicts != 20*(250-verdict.MinSample) {
		t.Errorf("%d verdicts", r.Verdicts)
	}
}
