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
	starts = 15  // of each executable, in a round
	rounds = 4   // at most: the least cost comes out sooner on a quiet machine
	most   = 1.6 // times what the least function takes
)

// heavier are the functions that cannot be had for that, what they take at most
// instead, and why.
var heavier = map[string]struct {
	time, memory float64
	why          string
}{
	"analisi": {1.9, 1.8, "it publishes the description of the service, whose schemas are made at the start"},
	"pro":     {2.7, 2.7, "it links Stripe's and Solana's libraries and SES's, which set up much (logging, BSON, compression) that is never used"},
}

// startCost is what a start has cost until the function asked for its first event.
type startCost struct {
	wall, cpu time.Duration
	peak      int // KiB of memory
}

func (c startCost) least(d startCost) startCost {
	if c == (startCost{}) {
		return d
	}
	return startCost{min(c.wall, d.wall), min(c.cpu, d.cpu), min(c.peak, d.peak)}
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
	var table string
	var faults []string
	for range rounds {
		for range starts {
			for _, name := range names {
				least[name] = least[name].least(start(t, executables[name]))
			}
		}
		if table, faults = judge(names, least); len(faults) == 0 {
			break
		}
	}
	t.Logf("the least of at least %d starts\n%s", starts, table)
	for _, f := range faults {
		t.Error(f)
	}
}

// judge writes down what starts cost, and says which cost too much.
func judge(names []string, least map[string]startCost) (table string, faults []string) {
	table = fmt.Sprintf("%-12s %17s %17s %18s\n", "", "ready", "processor", "peak memory")
	hello := least["hello"]
	for _, name := range names {
		c := least[name]
		wall, cpu, peak := float64(c.wall)/float64(hello.wall), float64(c.cpu)/float64(hello.cpu), float64(c.peak)/float64(hello.peak)
		table += fmt.Sprintf("%-12s %6.1f ms %6.2fx %6.1f ms %6.2fx %7.1f MB %6.2fx\n", name, ms(c.wall), wall, ms(c.cpu), cpu, float64(c.peak)/1024, peak)
		mostTime, mostMemory := most, most
		if h, ok := heavier[name]; ok {
			mostTime, mostMemory = h.time, h.memory
		}
		if wall > mostTime || peak > mostMemory {
			faults = append(faults, fmt.Sprintf("%s: %.2f times the time and %.2f times the memory of the least function; at most %.1f and %.1f are right", name, wall, peak, mostTime, mostMemory))
		}
	}
	return table, faults
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
