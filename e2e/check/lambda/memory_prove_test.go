package lambda

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/lambdalocal/localcloud"
	"verdetto/cmd/lambdalocal/runtimeapi"
	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/fare"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/upstream/sample"
)

// fullCPU is the memory in MB at which Lambda gives a function one full processor.
const fullCPU = 1769

// The processor time of a call is only printed, because it depends on the machine.
func TestProveMemoryAndTime(t *testing.T) {
	endpoint := dynamolocal.Endpoint(t)
	o := localcloud.Setup{Source: sample.New(), Fill: routesOf{sample.New(), map[fare.City]fare.City{"MIL": ""}}, Now: func() time.Time { return fixture.Today }, Log: slog.New(slog.DiscardHandler)}
	seeded := func(fill bool) []string {
		environment, done, err := o.Seed(t.Context(), endpoint, fill)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(done)
		return environment
	}
	full, empty := seeded(true), seeded(false)
	t.Log("function      MB at most   call, ms CPU   the same with 512 MB, ms")
	const given = 512 // MB, as in infra/cdk
	for _, f := range []struct {
		function, event string
		calls           int
		status          string
	}{
		{"analisi", "analisi", 500, "200"},
		{"pricetrends", "pricetrends", 500, "200"},
		{"compat", "compat-metrics", 500, "200"},
		{"x402", "x402", 500, "402"},
		{"pro", "pro-cripta", 200, "200"},
		{"refresh", "refresh", 1, ""},
	} {
		t.Run(f.function, func(t *testing.T) {
			event, err := os.ReadFile(fixture.Path(t, "events", f.event+".json"))
			if err != nil {
				t.Fatal(err)
			}
			environment := full
			switch f.function {
			case "refresh":
				environment = empty
			case "x402":
				environment = slices.Concat(full, selling(t))
			}
			process, err := runtimeapi.Start(t.Context(), fixture.Executable(t, "functions/"+f.function+"/bootstrap"), environment, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			defer process.Close()
			started := worked(t, process.Pid())
			for n := range f.calls {
				// Each call has another address, so that no caller reaches a quota.
				caller := fmt.Sprintf("198.18.%d.%d", n/250, n%250+1)
				answer, err := process.Invoke(t.Context(), bytes.ReplaceAll(event, []byte("198.51.100.23"), []byte(caller)))
				if err != nil || answer.Error != "" {
					t.Fatal(err, answer.Error)
				}
				if f.status != "" && !bytes.Contains(answer.Payload, []byte(`"statusCode":`+f.status)) {
					t.Fatalf("call %d: %s", n, answer.Payload)
				}
			}
			call := (worked(t, process.Pid()) - started) / time.Duration(f.calls)
			peak := peakMemory(t, process.Pid()) / 1024
			t.Logf("%-14s%9d%15.2f%26.1f", f.function, peak, milliseconds(call), milliseconds(call)*fullCPU/given)
			if peak > given/2 {
				t.Errorf("%d MB; it is given %d, of which half is to stay free", peak, given)
			}
		})
	}
}

func selling(t *testing.T) []string {
	t.Helper()
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":1},"value":1000000000}}`)
	}))
	t.Cleanup(node.Close)
	key, err := json.Marshal(slices.Collect(func(yield func(int) bool) {
		for _, b := range fixture.SolanaKey("fees") {
			if !yield(int(b)) {
				return
			}
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	return []string{"X402_FEE_KEY=" + string(key), "SOLANA_NODES=" + node.URL, "SOLANA_WALLET=" + fixture.PerCallWallet.String(), "SOLANA_NETWORK=mainnet-beta"}
}

func worked(t *testing.T, pid int) time.Duration {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if os.IsNotExist(err) {
		testenv.Missing(t, "Linux", "its /proc tells what a process has used")
	}
	if err != nil {
		t.Fatal(err)
	}
	// The command name in /proc/PID/stat may contain spaces, so only the text after the name is
	// split.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	var ticks int64
	for _, field := range fields[11:13] { // fields 14 and 15 are the times in user mode and in kernel mode
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond // 100 ticks per second
}
