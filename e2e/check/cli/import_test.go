package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
)

func TestImportKilled(t *testing.T) {
	routes := []string{"MIL,LIS", "ROM,PAR", "LON,ROM", "MAD,BCN"}
	first := time.Date(2016, 1, 1, 0, 0, 0, 0, time.UTC)
	killedImports(t, fixture.Panel(routes, 60, testenv.Times(20, 800)), first, first.AddDate(0, 0, 59), testenv.Times(10, 50))
}

// imported omits the items that the running service writes, such as the time of its last call to
// the fare source.
func imported(t *testing.T, file string) map[string]string {
	t.Helper()
	all := fixture.Items(t, file)
	for key := range all {
		kind, _, _ := strings.Cut(strings.ReplaceAll(key, "\x00", "#"), "#")
		if !slices.Contains([]string{"ROUTE", "LEFT", "SCORE", "ORIGIN", "COVERED", "INTO"}, kind) &&
			key != "FARES\x00POOLED" || strings.HasSuffix(key, "\x00ASKED") {
			delete(all, key)
		}
	}
	return all
}

type asker struct {
	stop    context.CancelFunc
	ended   chan struct{}
	asked   int
	slowest time.Duration
	failed  atomic.Pointer[string]
}

func ask(t *testing.T, url string) *asker {
	ctx, stop := context.WithCancel(t.Context())
	a := &asker{stop: stop, ended: make(chan struct{})}
	go func() {
		defer close(a.ended)
		for ctx.Err() == nil {
			begun := time.Now()
			response, err := http.Get(url)
			if err != nil {
				why := err.Error()
				a.failed.Store(&why)
				return
			}
			body, _ := io.ReadAll(response.Body) // a cut answer is compared below
			response.Body.Close()
			if response.StatusCode != http.StatusOK || !strings.HasSuffix(strings.TrimSpace(string(body)), "}") {
				why := fmt.Sprint(response.Status, " ", string(body))
				a.failed.Store(&why)
				return
			}
			a.asked++
			a.slowest = max(a.slowest, time.Since(begun))
			time.Sleep(time.Millisecond)
		}
	}()
	return a
}

// killedImports imports into the stores of two running services: once undisturbed, once killed at
// random points of the days and of the copying. Both stores are equal.
func killedImports(t *testing.T, panel string, first, last time.Time, kills int) {
	d := fixture.NewShell(t)
	d.Lasts, d.Env = time.Hour, []string{"VERDETTO_QUOTA_FREE=1000000"}
	d.Write("panel.csv", panel)
	own := fixture.CSVHeader
	for n := range 3 { // what the service saw itself
		own += fmt.Sprintf("BER,VIE,%s,%s,3%d.00,EUR\n", last.AddDate(0, 0, -n).Format(time.DateOnly),
			last.AddDate(0, 0, 20).Format(time.DateOnly), n)
	}
	d.Write("own.csv", own)
	now := last.Format(time.DateOnly)
	args := func(store string) []string {
		return []string{"import", "panel.csv", "-store", "bolt:" + store, "-now", now}
	}
	service := func(store string) fixture.Server {
		return d.ServeWith(nil, "-listen", "127.0.0.1:0", "-store", "bolt:"+store, "-upstream", "csv:own.csv", "-now", now)
	}
	s := service("undisturbed.db")
	begun := time.Now()
	got := d.Want(0, "folded again", args("undisturbed.db")...)
	t.Logf("undisturbed: %.1f s\n%s", time.Since(begun).Seconds(), got.Stdout)
	s.End(t)

	s = service("killed.db")
	a := ask(t, s.URL+"/v1/analisi?origine=BER&destinazione=VIE")
	random := rand.New(rand.NewPCG(5, 6))
	days := int(last.Sub(first).Hours()/24) + 1
	targets := make([]int, kills) // as days; beyond the last: while the result is copied
	for i := range targets {
		targets[i] = dayNumber(first) + random.IntN(days+days/5)
	}
	slices.Sort(targets)
	killed, copying := 0, 0
	for _, target := range targets {
		c := d.Command(t.Context(), args("killed.db")...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { _ = c.Wait(); close(ended) }()
		atCopy := reach(filepath.Join(d.Dir, "killed.db.import", "progress"), target, ended)
		time.Sleep(time.Duration(random.Int64N(int64(20 * time.Millisecond))))
		_ = c.Process.Kill() // it may have ended
		<-ended
		if c.ProcessState.ExitCode() >= 0 {
			break // it was done
		}
		killed++
		if atCopy {
			copying++
		}
	}
	got = d.Want(0, "import ", args("killed.db")...)
	a.stop()
	<-a.ended
	if why := a.failed.Load(); why != nil || a.asked == 0 {
		t.Errorf("the service did not answer meanwhile: %s", *cmp.Or(why, new(string)))
	}
	s.End(t)
	t.Logf("%d kills, %d of them while copying; %d answers meanwhile, the slowest in %v\n%s", killed, copying, a.asked,
		a.slowest.Round(time.Millisecond), got.Stdout)
	if killed < kills*9/10 {
		t.Errorf("only %d kills", killed)
	}
	want := imported(t, filepath.Join(d.Dir, "undisturbed.db"))
	is := imported(t, filepath.Join(d.Dir, "killed.db"))
	if len(want) < 50 {
		t.Errorf("only %d items", len(want))
	}
	if diff := gocmp.Diff(want, is); diff != "" {
		t.Errorf("(-undisturbed +killed):\n%.3000s", diff)
	}
}

func dayNumber(at time.Time) int { return int(at.Unix() / (24 * 3600)) }

// reach waits until an import is about to refresh a day, or later, or has ended. It reports whether
// the import is copying.
func reach(progress string, day int, ended <-chan struct{}) (copying bool) {
	for {
		select {
		case <-ended:
			return false
		case <-time.After(time.Millisecond):
		}
		text, err := os.ReadFile(progress)
		if err == nil && string(text) == "copying" {
			return true
		}
		if next, err := strconv.Atoi(string(text)); err == nil && next >= day {
			return false
		}
	}
}
