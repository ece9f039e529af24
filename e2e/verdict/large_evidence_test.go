package verdict

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
)

func TestEvidenceTenThousandRoutes(t *testing.T) {
	const routes = 10_000
	d := fixture.NewShell(t)
	d.Lasts = 10 * time.Minute
	large(t, d, routes)
	info, err := os.Stat(filepath.Join(d.Dir, "large.db"))
	if err != nil {
		t.Fatal(err)
	}
	best := time.Hour
	for kill := range 4 {
		ctx, stop := context.WithCancel(t.Context())
		begun := time.Now()
		s := started(t, ctx, d, "-store", "bolt:large.db", "-upstream", "csv:year.csv", "-now", "2016-03-01")
		ready, worked := time.Since(begun), s.processor(t)
		if kill > 0 {
			best = min(best, ready)
		}
		for from := time.Now(); time.Since(from) < 3*time.Second; s.look(t) {
			for range 20 {
				answered(t, s.url)
			}
		}
		t.Logf("start %d, a file of %d MB: ready after %.2f s, %.2f s of them at work; %d MB of its own at most, %d MB with the pages of the file that it has looked at",
			kill, info.Size()>>20, ready.Seconds(), worked.Seconds(), s.most["RssAnon"]>>10, s.most["VmHWM"]>>10)
		if s.most["RssAnon"] > 200<<10 {
			t.Errorf("%d MB", s.most["RssAnon"]>>10)
		}
		stop()
		_ = s.process.Wait()
	}
	if best > 5*time.Second {
		t.Errorf("never ready sooner than %v after a kill", best)
	}
}

// In the store that large makes, each route is a copy of the same route.
func large(t *testing.T, d fixture.Shell, routes int) {
	t.Helper()
	var panel strings.Builder
	panel.WriteString(fixture.CSVHeader)
	last := fare.DayOf(fixture.Today)
	for week := range fare.Day(52) {
		found := last - 7*week
		for departure := range fare.Day(300) {
			fmt.Fprintf(&panel, "MIL,BUH,%s,%s,%d.%02d,EUR\n", found, found+departure+1,
				20+(departure*7+week*13)%170, (departure*31+week)%100)
		}
	}
	d.Write("year.csv", panel.String())
	if got := d.Run("refresh", "-store", "bolt:large.db", "-upstream", "csv:year.csv", "-now",
		"2016-03-01"); got.Code != 0 {
		t.Fatalf("exit code %d\n%s", got.Code, got.Stderr)
	}
	table, err := boltstore.Open(filepath.Join(d.Dir, "large.db"), func() time.Time { return fixture.Today },
		boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	one, err := table.Query(t.Context(), store.Range{Partition: "ROUTE#MIL-BUH"})
	if err != nil || len(one) < 50 {
		t.Fatal(len(one), err)
	}
	letters := func(n int) string {
		return string([]byte{'A' + byte(n/26/26%26), 'A' + byte(n/26%26), 'A' + byte(n%26)})
	}
	for n := range routes - 1 {
		copied := make([]store.Item, len(one))
		for i, item := range one {
			item.Partition = "ROUTE#" + letters(n/100) + "-" + letters(1000+n%100)
			copied[i] = item
		}
		if err := table.Place(t.Context(), copied); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
}

type running struct {
	process *exec.Cmd
	url     string
	most    map[string]int // highest values in KB, by their names in /proc/PID/status
}

// started waits for the first answer. The process is killed when the context ends.
func started(t *testing.T, ctx context.Context, d fixture.Shell, arguments ...string) running {
	t.Helper()
	address := "127.0.0.1:" + testenv.Port(t)
	c := d.Command(ctx, append([]string{"serve", "-listen", address}, arguments...)...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	r := running{c, "http://" + address, map[string]int{}}
	for tick := time.Tick(10 * time.Millisecond); ; <-tick {
		r.look(t)
		response, err := (&http.Client{Timeout: time.Second}).Get(r.url + "/v1/citta?q=mil")
		if err == nil {
			response.Body.Close()
			return r
		}
		if t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
}

func answered(t *testing.T, url string) {
	t.Helper()
	response, err := http.Get(url + fixture.Question)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != 200 &&
		response.StatusCode != 429 {
		t.Fatal(response.Status, err)
	}
}

// RssAnon is the memory of the process itself, without pages of the store file, which the kernel
// can reclaim.
func (r running) look(t *testing.T) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.process.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^(VmHWM|RssAnon):\s+(\d+) kB`).FindAllStringSubmatch(string(status), -1) {
		kb, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		r.most[m[1]] = max(r.most[m[1]], kb)
	}
}

func (r running) processor(t *testing.T) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", r.process.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	var ticks int
	for _, f := range fields[11:13] {
		n, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
