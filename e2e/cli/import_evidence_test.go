package cli

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare/places"
)

var importRoutes = flag.Int("routes", 6604, "the routes of the panel that TestEvidenceImport imports")

func TestEvidenceImport(t *testing.T) {
	const days, mostMB = 50, 600
	random, first := rand.New(rand.NewPCG(5, 3)), time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC)
	var pairs []string
	cities := slices.Collect(places.Cities())[:82]
	for _, from := range cities {
		for _, to := range cities {
			if from != to && len(pairs) < *importRoutes {
				pairs = append(pairs, string(from+","+to))
			}
		}
	}
	var rows strings.Builder
	rows.WriteString("origin,destination,observed_date,depart_date,price,currency,stops\n")
	for day := range days {
		found := first.AddDate(0, 0, day)
		for n, pair := range slices.Concat(pairs, pairs) {
			fmt.Fprintf(&rows, "%s,%s,%s,%d.00,EUR,%d\n", pair, found.Format(time.DateOnly),
				found.AddDate(0, 0, 1+random.IntN(180)).Format(time.DateOnly),
				int(float64(40+n%len(pairs)*37%260)*(.7+1.1*random.Float64())), random.IntN(2))
		}
	}
	d := fixture.NewShell(t)
	d.Write("panel.csv", rows.String())
	load := func(store string, killedAfter time.Duration) time.Duration {
		c := d.Command(t.Context(), "import", "panel.csv", "-store", "bolt:"+store, "-now", "2026-09-20T00:00:00Z")
		if killedAfter > 0 {
			time.AfterFunc(killedAfter, func() { _ = c.Process.Kill() })
		}
		begun := time.Now()
		out, err := c.CombinedOutput()
		took, used := time.Since(begun), c.ProcessState
		if (err == nil) != (killedAfter == 0) {
			t.Fatalf("killed after %s: %v\n%s", killedAfter, err, out)
		}
		memory := used.SysUsage().(*syscall.Rusage).Maxrss >> 10
		t.Logf("%s%.0f s, %.0f s of processor time, %d MB", out, took.Seconds(),
			(used.UserTime() + used.SystemTime()).Seconds(), memory)
		if memory > mostMB {
			t.Errorf("%d MB, want at most %d", memory, mostMB)
		}
		return took
	}
	took := load("kept.db", 0)
	load("killed.db", took*2/3)
	load("killed.db", 0)
	kept, killed := fixture.Items(t, d.Dir+"/kept.db"), fixture.Items(t, d.Dir+"/killed.db")
	if len(kept) < *importRoutes || len(kept) != len(killed) {
		t.Errorf("%d items, after a kill %d", len(kept), len(killed))
	}
	for key, item := range kept {
		if killed[key] != item {
			t.Fatalf("%q differs after a kill", key)
		}
	}
}
