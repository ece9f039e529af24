package csvfile_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/upstream/csvfile"
)

func zip(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGzip(t *testing.T) {
	var text strings.Builder
	text.WriteString(header)
	for i := range 20_000 {
		fmt.Fprintf(&text, "MIL,BUH,2026-01-02T%02d:%02d:%02d,2026-02-03,%d.%02d,EUR\n", i/3600, i/60%60, i%60,
			10+i*7919%500, i*104729%100)
	}
	whole := zip(t, text.String())
	spoiled := bytes.Clone(whole)
	for i := len(spoiled) / 2; i < len(spoiled)/2+64; i++ {
		spoiled[i] = 0xff
	}
	path := filepath.Join(t.TempDir(), "fares.csv.gz")
	for name, test := range map[string]struct {
		data  []byte
		least int
		most  int
		fault string
		bad   int
	}{
		"whole":          {whole, 20_000, 20_000, "", 0},
		"cut":            {whole[:len(whole)/2], 8_000, 12_000, "it ends too early", 0},
		"cut at the sum": {whole[:len(whole)-4], 20_000, 20_000, "it ends too early", 0},
		"wrong sum": {append(bytes.Clone(whole[:len(whole)-8]), 1, 2, 3, 4, 5, 6, 7, 8), 20_000, 20_000,
			"checksum", 0},
		"spoiled": {spoiled, 1, 19_999, "damaged", 1},
		"more behind it": {append(bytes.Clone(whole), "and something else"...), 20_000, 20_000,
			"header is none of gzip's", 0},
		"two, one after it": {append(bytes.Clone(whole), zip(t, "MIL,LON,2026-01-02,2026-02-03,10,EUR\n")...), 20_001,
			20_001, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, test.data, 0o600); err != nil {
				t.Fatal(err)
			}
			p, err := csvfile.Open(path, comparable, "")
			if err != nil {
				t.Fatal(err)
			}
			r := p.Report()
			if r.Fares < test.least || r.Fares > test.most || r.BadTotal > test.bad ||
				r.Partly() != (test.fault != "") {
				t.Errorf("%d fares, %d bad rows, fault %v", r.Fares, r.BadTotal, r.Fault)
			}
			if test.fault != "" && (!errors.Is(r.Fault, csvfile.ErrDamaged) ||
				!strings.Contains(r.Fault.Error(), test.fault)) {
				t.Errorf("fault %v, want it to say %q", r.Fault, test.fault)
			}
			// A truncated line that was accepted would have another price than the one written.
			for _, f := range all(t, p, "MIL").Fares {
				i := f.Found - time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC).Unix()
				if want := fare.Cents((10+i*7919%500)*100 + i*104729%100); f.Route.Destination == "BUH" &&
					f.Price != want {
					t.Fatalf("fare %d has price %d, want %d", i, f.Price, want)
				}
			}
		})
	}
}

func TestExpandedText(t *testing.T) {
	const rows = 1_000_000
	held := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapSys) - int64(m.HeapReleased)
	}
	for name, row := range map[string]string{
		"equal fares":         "MIL,BUH,2026-01-02,2026-02-03,10,EUR\n",
		"no comparable fares": "MIL,BUH,2026-01-02,2026-02-03,10,XXX\n",
	} {
		data := bytes.NewBuffer(zip(t, header))
		part := zip(t, strings.Repeat(row, rows/100))
		for range 100 {
			data.Write(part)
		}
		debug.FreeOSMemory()
		before := held()
		p, err := csvfile.Read(data, comparable, "")
		if err != nil || p.Report().Rows != rows || p.Report().Fault != nil {
			t.Fatal(name, err, p.Report())
		}
		if more := held() - before; more > 32e6 {
			t.Errorf("%s: %d MB more", name, more/1e6)
		}
	}
}
