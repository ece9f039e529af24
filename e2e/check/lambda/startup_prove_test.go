package lambda

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/lambdalocal/runtimeapi"
	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/store/dynamostore/dynamolocal"
)

const (
	starts = 25
	most   = 3.0 // maximum ratio of a function's start time to that of the minimal function, for functions that are not in heavier
	mostMB = 30.0
)

// The field why says what takes the time.
var heavier = map[string]struct {
	time float64
	why  string
}{
	"pricetrends": {4.6,
		"Huma, the SDK's configuration, the clients of DynamoDB and SSM, the tables of settings and of what is said " +
			"of faults: 3.7 on a quiet machine"},
	"compat": {4.6, "as pricetrends, and the rule for one departure: 3.7"},
	"x402":   {5.8, "as compat, and the library of Solana: 4.6"},
	"analisi": {5.8,
		"these, and the libraries that agents' tools and cards are made with: 4.5"},
	"alerts": {6.2,
		"as pricetrends, the clients of SES and SQS, and the read of the pepper's fingerprint: 4.8"},
	"refresh": {7.2, "as alerts without Huma: 5.8"},
	"pro": {7.0,
		"as alerts, and the libraries of Stripe and Solana, the second with lists of words and points of a curve " +
			"that are set up and never used: 5.4"},
}

// wall is the time until an executable requests its first event.
type startCost struct {
	wall, cpu time.Duration
	peak      int // KiB of memory
}

// The executables and a minimal function are started in turn, so that other load on the machine
// affects all of them.
func TestProveStartUp(t *testing.T) {
	mains, err := filepath.Glob(fixture.Path(t, "functions", "*", "bootstrap"))
	if err != nil || len(mains) < 4 {
		t.Fatal(mains, err)
	}
	names := []string{"hello"}
	executables := map[string]string{"hello": fixture.Executable(t, "e2e/check/lambda/testdata/hello")}
	for _, m := range mains {
		name := filepath.Base(filepath.Dir(m))
		names = append(names, name)
		executables[name] = fixture.Executable(t, "functions/"+name+"/bootstrap")
	}
	// Some functions read the table when they start.
	endpoint, table := dynamolocal.Endpoint(t), "start-"+rand.Text()
	if err := dynamostore.Create(t.Context(), dynamolocal.Client(endpoint), table); err != nil {
		t.Fatal(err)
	}
	environment := append(slices.Clone(startEnvironment), "AWS_ENDPOINT_URL_DYNAMODB="+endpoint,
		"VERDETTO_TABLE="+table)
	costs := map[string][]startCost{}
	for range starts {
		for _, name := range names {
			costs[name] = append(costs[name], start(t, executables[name], environment))
		}
	}
	rows := fmt.Sprintf("%-12s %17s %17s %18s\n", "", "ready", "processor", "peak memory")
	for _, name := range names {
		figure := func(read func(startCost) float64) (value, ratio float64) {
			values, ratios := make([]float64, starts), make([]float64, starts)
			for turn, c := range costs[name] {
				values[turn] = read(c)
				ratios[turn] = values[turn] / read(costs["hello"][turn])
			}
			return median(values), median(ratios)
		}
		wall, wallRatio := figure(func(c startCost) float64 { return milliseconds(c.wall) })
		cpu, cpuRatio := figure(func(c startCost) float64 { return milliseconds(c.cpu) })
		peak, peakRatio := figure(func(c startCost) float64 { return float64(c.peak) / 1024 })
		rows += fmt.Sprintf("%-12s %6.1f ms %6.2fx %6.1f ms %6.2fx %7.1f MB %6.2fx\n", name, wall, wallRatio, cpu,
			cpuRatio, peak, peakRatio)
		mostTime := most
		if h, ok := heavier[name]; ok {
			mostTime = h.time
		}
		// Other load on the machine may increase wall time or processor time, so only the smaller
		// ratio counts.
		if min(wallRatio, cpuRatio) > mostTime || peak > mostMB {
			t.Errorf("%s: %.2f times the time of the least function and %.1f MB; at most %.1f and %.1f are right", name,
				min(wallRatio, cpuRatio), peak, mostTime, mostMB)
		}
	}
	t.Logf("medians of %d starts each\n%s", starts, rows)
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

func start(t *testing.T, executable string, environment []string) startCost {
	t.Helper()
	var logs bytes.Buffer
	begun := time.Now()
	process, err := runtimeapi.Start(t.Context(), executable, environment, &logs)
	if err != nil {
		t.Fatal(err, logs.String())
	}
	c := startCost{wall: time.Since(begun)}
	c.peak = peakMemory(t, process.Pid())
	process.Close()
	c.cpu = process.CPU()
	return c
}

// peakMemory must run before the process ends.
func peakMemory(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if os.IsNotExist(err) {
		testenv.Missing(t, "Linux", "its /proc tells what a process has used")
	}
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.Atoi(strings.Fields(value)[0])
			if err != nil {
				t.Fatal(err)
			}
			return kib
		}
	}
	t.Fatal("there is no VmHWM")
	return 0
}

var startEnvironment = slices.Concat([]string{
	"AWS_REGION=eu-south-1", "GOGC=300", "VERDETTO_ORIGIN_SECRETS=local-origin-secret",
	"VERDETTO_PEPPER=local-pepper-that-is-32-bytes-long",
	"VERDETTO_BASE_URL=https://verdetto.example", "VERDETTO_MAIL_FROM=Verdetto <mail@verdetto.example>",
	"VERDETTO_QUEUE_URL=http://127.0.0.1:1/queue", "VERDETTO_WORK_QUEUE_URL=http://127.0.0.1:1/work",
	"STRIPE_KEY=" + playmoney.TestKey, "STRIPE_PRICE=" + playmoney.TestPrice,
	"STRIPE_WEBHOOK_SECRETS=" + playmoney.TestSecret,
	"SOLANA_NODES=http://127.0.0.1:1", "SOLANA_WALLET=" + onemachine.StandInWallet, "STRIPE_URL=http://127.0.0.1:1",
	"TRAVELPAYOUTS_TOKEN=token",
	"AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local", "AWS_EC2_METADATA_DISABLED=true",
})

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
