package csvfile_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/upstream/ecb"
)

// TestProveRecordedPanels reads the recorded panels with the real rates: nothing in them is bad, and a large
// one is read in seconds and kept in little.
func TestProveRecordedPanels(t *testing.T) {
	folder := os.Getenv("VERDETTO_DATA")
	if folder == "" {
		t.Skip("needs VERDETTO_DATA")
	}
	known := upstream.Comparable{CityOf: func(code string) (fare.City, bool) { return fare.City(code), true }, Rates: ecb.Table().On}
	tests := []struct {
		file        string
		rows, fares int
		origins     int
	}{
		{"eu_wizzair_2015_2016_full.csv.gz", 767_346, 767_346, 12},
		{"eu_wizzair_weekly.csv.gz", 107_642, 107_642, 12},
		{"travelpayouts_history_2026.csv.gz", 2_406, 0, 0}, // round trips
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			began := time.Now()
			p, err := csvfile.Open(filepath.Join(folder, "fares", test.file), known)
			if err != nil {
				t.Fatal(err)
			}
			took := time.Since(began)
			runtime.GC()
			runtime.ReadMemStats(&after)
			r := p.Report()
			origins, _ := p.Origins(t.Context())
			t.Logf("%d rows in %v; %.1f MB kept, %.1f MB asked of the system", r.Rows, took.Round(time.Millisecond),
				float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/1e6, float64(after.Sys)/1e6)
			if r.Rows != test.rows || r.Fares != test.fares || r.BadTotal != 0 || r.Fault != nil || len(origins) != test.origins {
				t.Errorf("%d origins, report %+v", len(origins), r)
			}
			if after.Sys > 300e6 {
				t.Errorf("%d MB", after.Sys/1e6)
			}
			runtime.KeepAlive(p)
		})
	}
}
