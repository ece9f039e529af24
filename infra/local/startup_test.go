package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"verdetto/infra/local/runtimeapi"
	"verdetto/shared/pay/paytest"
)

const (
	starts   = 15  // of each executable
	tooHeavy = 1.6 // times what the least function takes
)

// startCost is what a start has cost until the function asked for its first event.
type startCost struct {
	wall, cpu time.Duration
	peak      int // KiB of memory
}

// TestStartUp compares the start of every executable with that of the least
// function there can be, in the same run and turn by turn. What a start costs is
// what it costs undisturbed: the least of its starts.
func TestStartUp(t *testing.T) {
	mains, err := filepath.Glob(filepath.Join("..", "..", "functions", "*", "bootstrap"))
	if err != nil || len(mains) < 4 {
		t.Fatal(mains, err)
	}
	names := []string{"hello"}
	executables := map[string]string{"hello": built(t, "infra/local/testdata/hello")}
	for _, m := range mains {
		name := filepath.Base(filepath.Dir(m))
		names = append(names, name)
		executables[name] = built(t, "functions/"+name+"/bootstrap")
	}
	least := map[string]startCost{}
	for n := range starts {
		for _, name := range names {
			c := start(t, executables[name])
			if n == 0 {
				least[name] = c
			}
			l := least[name]
			least[name] = startCost{min(l.wall, c.wall), min(l.cpu, c.cpu), min(l.peak, c.peak)}
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%-12s %15s %15s %17s\n", "", "ready", "processor", "peak memory")
	hello := least["hello"]
	for _, name := range names {
		c := least[name]
		wall, cpu, peak := float64(c.wall)/float64(hello.wall), float64(c.cpu)/float64(hello.cpu), float64(c.peak)/float64(hello.peak)
		fmt.Fprintf(&table, "%-12s %6.1f ms %4.2fx %6.1f ms %4.2fx %7.1f MB %4.2fx\n", name, ms(c.wall), wall, ms(c.cpu), cpu, float64(c.peak)/1024, peak)
		if wall > tooHeavy || peak > tooHeavy {
			t.Errorf("%s: %.2f times the time and %.2f times the memory of the least function; %.1f is the most", name, wall, peak, tooHeavy)
		}
	}
	t.Logf("the least of %d starts\n%s", starts, &table)
}

// start starts an executable until it is ready, and ends it.
func start(t *testing.T, executable string) startCost {
	t.Helper()
	var logs bytes.Buffer
	begun := time.Now()
	process, err := runtimeapi.Start(t.Context(), executable, startEnvironment, &logs)
	if err != nil {
		t.Fatal(err, logs.String())
	}
	c := startCost{wall: time.Since(begun)}
	c.peak, err = peakMemory(process.Pid())
	process.Close()
	if err != nil {
		t.Fatal(err)
	}
	c.cpu = process.CPU()
	return c
}

// peakMemory is the most memory that a process has held, in KiB. (What is known of
// it after its end counts the process that started it as well.)
func peakMemory(pid int) (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strconv.Atoi(strings.Fields(rest)[0])
		}
	}
	return 0, io.ErrUnexpectedEOF
}

// startEnvironment is one with which every executable starts. Nobody is at the
// addresses in it: a start asks nobody anything.
var startEnvironment = slices.Concat([]string{
	"VERDETTO_TABLE=verdetto", "VERDETTO_ORIGIN_SECRETS=local-origin-secret", "VERDETTO_PEPPER=local-pepper-that-is-32-bytes-long",
	"VERDETTO_BASE_URL=https://verdetto.example", "VERDETTO_MAIL_FROM=Verdetto <mail@verdetto.example>",
	"VERDETTO_QUEUE_URL=http://127.0.0.1:1/queue", "VERDETTO_WORK_QUEUE_URL=http://127.0.0.1:1/work",
	"STRIPE_KEY=" + paytest.TestKey, "STRIPE_PRICE=" + paytest.TestPrice, "STRIPE_WEBHOOK_SECRETS=" + paytest.TestSecret,
	"SOLANA_NODES=http://127.0.0.1:1", "SOLANA_WALLET=" + playWallet, "STRIPE_URL=http://127.0.0.1:1",
	"TRAVELPAYOUTS_TOKEN=token",
	"AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local", "AWS_EC2_METADATA_DISABLED=true",
})
