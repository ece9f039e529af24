package verdict

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/verdict"
)

// eachByItself commits every counted call in a transaction of its own, while the service's own
// table counts concurrent calls in one commit (group commit).
type eachByItself struct {
	store.Table
	mu sync.Mutex
}

func (e *eachByItself) Take(ctx context.Context, key store.Key, n, limit int64, expires time.Time) (count int64,
	err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for range n {
		if count, err = e.Table.Take(ctx, key, 1, limit, expires); err != nil {
			return count, err
		}
	}
	return count, nil
}

// service runs on loopback with its store on the disk. Calls are counted, but no quota is ever used
// up.
func service(t testing.TB, around func(store.Table) store.Table) (address string) {
	t.Helper()
	now := func() time.Time { return fixture.Today }
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "load.db"), now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	fixture.Refreshed(t, table, fixture.Invent(30_000, verdict.HistoryDays-1, fare.DayOf(fixture.Today)), now)
	s := fixture.New(t, onemachine.Options{Table: fixture.Unlimited{Table: around(table)},
		Source: fixture.Fares(nil), Now: now})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

// caller sends requests over one connection. It does as little as possible with an answer, so that
// the measurement shows the cost of the service.
type caller struct {
	net.Conn
	answer  *bufio.Reader
	request []byte
}

// dial gives each caller n its own loopback address, unless sameAddress is true.
func dial(t testing.TB, address string, n int, sameAddress bool) *caller {
	t.Helper()
	from := net.IPv4(127, 0, 1, 1)
	if !sameAddress {
		from = net.IPv4(127, 1, byte(n>>8), byte(n))
	}
	conn, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}).Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &caller{conn, bufio.NewReaderSize(conn, 16<<10),
		[]byte("GET " + fixture.Question + " HTTP/1.1\r\nHost: " + address + "\r\n\r\n")}
}

func (c *caller) ask() error {
	if _, err := c.Write(c.request); err != nil {
		return err
	}
	length, first := -1, true
	for {
		line, err := c.answer.ReadSlice('\n')
		if err != nil {
			return err
		}
		if line = bytes.TrimRight(line, "\r\n"); len(line) == 0 {
			break
		}
		if first && !bytes.HasPrefix(line, []byte("HTTP/1.1 200 ")) {
			return fmt.Errorf("answered %s", line)
		}
		first = false
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return err
			}
		}
	}
	_, err := io.CopyN(io.Discard, c.answer, int64(length))
	return err
}

// load sends pace requests per second of all callers during the time lasts; with 0 each caller
// calls again after each answer. It returns the answers per second, and the 50th and 99th
// percentile of the answer time. With a pace, the answer time starts when the request was due.
func load(t testing.TB, address string, callers, pace int, sameAddress bool,
	lasts time.Duration) (perSecond float64, p50, p99 time.Duration) {
	t.Helper()
	all := make([]*caller, callers)
	for n := range all {
		all[n] = dial(t, address, n, sameAddress)
	}
	took := make([][]time.Duration, callers)
	var due atomic.Int64
	var group sync.WaitGroup
	begun := time.Now()
	for n, c := range all {
		group.Go(func() {
			for {
				from := time.Now()
				if pace > 0 {
					from = begun.Add(time.Duration(due.Add(1)) * time.Second / time.Duration(pace))
					time.Sleep(time.Until(from))
				}
				if from.Sub(begun) >= lasts || time.Since(begun) >= 2*lasts {
					return
				}
				if err := c.ask(); err != nil {
					t.Error(err)
					return
				}
				took[n] = append(took[n], time.Since(from))
			}
		})
	}
	group.Wait()
	elapsed := time.Since(begun)
	sorted := slices.Concat(took...)
	slices.Sort(sorted)
	if len(sorted) == 0 {
		t.Fatal("nothing was answered")
	}
	return float64(len(sorted)) / elapsed.Seconds(), sorted[len(sorted)/2], sorted[len(sorted)*99/100]
}

var loads = []struct {
	name          string
	callers, pace int
	sameAddress   bool
}{
	{"64 callers", 64, 0, false},
	{"256 callers", 256, 0, false},
	{"256 callers, 1000 a second", 256, 1000, false},
	{"256 callers, 4000 a second", 256, 4000, false},
	{"one address, 1 connection", 1, 0, true},
	{"one address, 64 connections", 64, 0, true},
}

var counts = []struct {
	name   string
	around func(store.Table) store.Table
}{
	{"committed together", func(t store.Table) store.Table { return t }},
	{"a commit for each", func(t store.Table) store.Table { return &eachByItself{Table: t} }},
}

// For comparison, BenchmarkLoad also measures one commit per counted call. The store is on the
// disk.
func BenchmarkLoad(b *testing.B) {
	lasts := 3 * time.Second
	if text := os.Getenv("VERDETTO_LOAD"); text != "" {
		var err error
		if lasts, err = time.ParseDuration(text); err != nil {
			b.Fatal(err)
		}
	}
	for _, l := range loads {
		for _, count := range counts {
			b.Run(l.name+", "+count.name, func(b *testing.B) {
				address := service(b, count.around)
				before := processor(b)
				perSecond, p50, p99 := load(b, address, l.callers, l.pace, l.sameAddress, lasts)
				b.ReportMetric(float64((processor(b)-before).Microseconds())/(perSecond*lasts.Seconds()),
					"cpu-µs/verdict")
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(perSecond, "verdicts/s")
				b.ReportMetric(float64(p50)/1e6, "p50-ms")
				b.ReportMetric(float64(p99)/1e6, "p99-ms")
			})
		}
	}
	b.Logf("%d processors, which the callers take their part of", runtime.GOMAXPROCS(0))
}

// processor returns the processor time of the service and the callers together, from which one can
// estimate how many verdicts an idle machine could answer.
func processor(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// For callers of one address, group commit must answer more calls per second than one commit per
// call; for many addresses, no fewer. One of three rounds must show this. The gain depends on the
// disk: sixfold or more if a commit takes milliseconds, little in memory.
func TestProveGroupCommit(t *testing.T) {
	for _, c := range []struct {
		name        string
		sameAddress bool
		least       float64
	}{{"many addresses", false, 0.9}, {"one address", true, 1.2}} {
		t.Run(c.name, func(t *testing.T) {
			for range 3 {
				var perSecond []float64
				for _, count := range counts {
					n, _, p99 := load(t, service(t, count.around), 64, 0, c.sameAddress, 2*time.Second)
					t.Logf("%s: %.0f verdicts a second, p99 %v", count.name, n, p99)
					perSecond = append(perSecond, n)
				}
				if perSecond[0] >= c.least*perSecond[1] {
					return
				}
			}
			t.Errorf("not %.1f times as many in any of three rounds", c.least)
		})
	}
}
