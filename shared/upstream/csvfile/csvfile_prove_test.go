package csvfile_test

import (
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"verdetto/shared/architecture/testenv"
	"verdetto/shared/upstream/csvfile"
)

// Reading 767,346 recorded fares takes little more than 40 bytes of memory per fare, and less than
// 300 MB from the system.
func TestProveLargePanel(t *testing.T) {
	file := filepath.Join(testenv.Data(t), "fares", "eu_wizzair_2015_2016_full.csv.gz")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	began := time.Now()
	p, err := csvfile.Open(file, withRates, "")
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	runtime.GC()
	runtime.ReadMemStats(&after)
	kept := float64(int64(after.HeapAlloc) - int64(before.HeapAlloc))
	t.Logf("%d rows in %v; %.1f MB kept, %.1f bytes a fare, %.1f MB asked of the system", p.Report().Rows,
		took.Round(time.Millisecond),
		kept/1e6, kept/float64(p.Report().Fares), float64(after.Sys)/1e6)
	if each := kept / float64(p.Report().Fares); each > 42 { // an observation has 40 bytes
		t.Errorf("%.1f bytes a fare", each)
	}
	if after.Sys > 300e6 {
		t.Errorf("%d MB", after.Sys/1e6)
	}
	runtime.KeepAlive(p)
}
