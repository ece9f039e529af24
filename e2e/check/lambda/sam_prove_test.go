package lambda

import (
	"bytes"
	"flag"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/cmd/lambdalocal/localcloud"
	"verdetto/cmd/lambdalocal/samlocal"
	"verdetto/shared/runtime/config/parameters"
)

var all = flag.Bool("all", false, "run all events in Lambda's image")

// sampled has at least one event of each function.
var sampled = strings.Fields("alerts-bounce alerts-outbox alerts-queue alerts-subscribe analisi analisi-home " +
	"analisi-mcp-call compat-metrics compat-offers pricetrends pro-cripta pro-recupera pro-sqs " +
	"refresh-age refresh-mail refresh-schedule refresh-sqs x402")

func TestProveSAMInvoke(t *testing.T) {
	withSAM(t, func(t *testing.T, local *samlocal.Local) {
		var wanted []string
		for _, p := range parameters.Required(parameters.StripePrice, parameters.SolanaWallet) {
			wanted = append(wanted, p.Path(local.Service()))
		}
		slices.Sort(wanted)
		if diff := cmp.Diff(wanted, local.Parameters()); diff != "" {
			t.Errorf("the template names other parameters than those that are put here: %s", diff)
		}
		begun := time.Now()
		ctx, folder := t.Context(), t.TempDir()
		running := map[string]*warm{}
		var whole bytes.Buffer
		var events [][]byte
		defer func() {
			for _, w := range running {
				w.Close()
			}
		}()
		alone := 0
		only := sampled
		if *all {
			only = nil
		}
		names := eachEvent(t, localcloud.Setup{CreateTable: local.CreateTable}, only, false,
			func(t *testing.T, e event, environment []string, logs io.Writer) (answer []byte) {
				var err error
				like := strings.Join(environment, "\n")
				if alone == 0 {
					alone++
					if answer, err = local.Invoke(t.Context(), e.function, environment, e.file, logs); err != nil {
						t.Fatal(err)
					}
					return answer
				}
				if running[like] == nil {
					if running[like], err = startWarm(ctx, local, environment, filepath.Join(folder, strconv.Itoa(len(running))+".log")); err != nil {
						delete(running, like)
						t.Fatal(err)
					}
				}
				events = append(events, e.payload)
				if answer, err = running[like].Invoke(t.Context(), e.function, e.payload); err != nil {
					t.Fatal(err)
				}
				var lines bytes.Buffer
				for asked := time.Now(); ; time.Sleep(10 * time.Millisecond) {
					if err := running[like].Logs(&lines); err != nil {
						t.Fatal(err)
					}
					if bytes.Contains(lines.Bytes(), []byte(`"level"`)) || time.Since(asked) > 2*time.Second {
						break
					}
				}
				_, _ = io.MultiWriter(logs, &whole).Write(lines.Bytes())
				return answer
			})
		for _, w := range running {
			w.Close() // afterwards the logs are complete
			if err := w.Logs(&whole); err != nil {
				t.Error(err)
			}
		}
		for _, e := range events {
			for _, fault := range faultsOfLog(whole.Bytes(), e) {
				t.Error(fault)
			}
		}
		if !*all && len(names) != len(sampled) {
			t.Errorf("there are only the events %v", names)
		}
		t.Logf("%d events in %.0f s, %d of them alone in a container, in the image %s", len(names),
			time.Since(begun).Seconds(), alone, local.Image)
	})
}
