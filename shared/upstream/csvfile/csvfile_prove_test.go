//go:build unix

package csvfile_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"verdetto/shared/architecture/testenv"
	"verdetto/shared/upstream/csvfile"
)

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
	if each := kept / float64(p.Report().Fares); each > 42 {
		t.Errorf("%.1f bytes a fare", each)
	}
	if after.Sys > 300e6 {
		t.Errorf("%d MB", after.Sys/1e6)
	}
	runtime.KeepAlive(p)
}

func TestProveSpeed(t *testing.T) {
	var plain, other strings.Builder
	plain.WriteString(header)
	other.WriteString(strings.ReplaceAll(header, ",", ";"))
	for i := range 200_000 {
		day := time.Date(2026, 1, 2+i%300, 0, 0, 0, 0, time.UTC)
		fmt.Fprintf(&plain, "MIL,BUH,%s,2026-12-31,%d.%02d,EUR\n", day.Format(time.DateOnly), 10+i%500, i%100)
		fmt.Fprintf(&other, "MIL;BUH;%s;31.12.2026;€ %d,%02d;EUR\n", day.Format("02.01.2006"), 10+i%500, i%100)
	}
	processor := func() time.Duration {
		var used syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
			t.Fatal(err)
		}
		return time.Duration(used.Utime.Nano())
	}
	fastest := func(do func() error) time.Duration {
		best := time.Duration(1 << 62)
		for range 5 {
			begun := processor()
			if err := do(); err != nil {
				t.Fatal(err)
			}
			best = min(best, processor()-begun)
		}
		return best
	}
	open := func(text string) func() error {
		return func() error { _, err := csvfile.Read(strings.NewReader(text), comparable, ""); return err }
	}
	documented, foreign := fastest(open(plain.String())), fastest(open(other.String()))
	t.Logf("documented form %v, another %v", documented, foreign)
	if foreign > 8*documented {
		t.Errorf("another form takes %.1f times as long", float64(foreign)/float64(documented))
	}
}
