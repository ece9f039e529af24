package csvfile_test

import (
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"verdetto/shared/testenv"
	"verdetto/shared/upstream/csvfile"
)

// TestProveLargePanel reads 767,346 recorded fares: the process asks the system
// for less than 300 MB.
func TestProveLargePanel(t *testing.T) {
	file := filepath.Join(testenv.Data(t), "fares", "eu_wizzair_2015_2016_full.csv.gz")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	began := time.Now()
	p, err := csvfile.Open(file, withRates)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Logf("%d rows in %v; %.1f MB kept, %.1f MB asked of the system", p.Report().Rows, took.Round(time.Millisecond),
		float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/1e6, float64(after.Sys)/1e6)
	if after.Sys > 300e6 {
		t.Errorf("%d MB", after.Sys/1e6)
	}
	runtime.KeepAlive(p)
}
