package lambda

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/cmd/verdetto/localcloud"
	"verdetto/cmd/verdetto/onemachine"
	"verdetto/cmd/verdetto/samlocal"
	"verdetto/e2e/fixture"
	"verdetto/shared/testenv"
)

// TestEvidenceSAMInvoke is TestEvents with `sam local invoke` in the place of our own
// stand-in for Lambda: the functions of the template as it is synthesized, each
// event in a container of its own, over the table that the template describes.
func TestEvidenceSAMInvoke(t *testing.T) {
	withSAM(t, func(t *testing.T, local *samlocal.Local) {
		if diff := cmp.Diff(slices.Sorted(maps.Values(localcloud.Parameters)), slices.Sorted(maps.Values(local.Parameters()))); diff != "" {
			t.Errorf("the template names other parameters than those that are put here: %s", diff)
		}
		begun := time.Now()
		names := eachEvent(t, onemachine.Options{CreateTable: local.CreateTable}, false, func(t *testing.T, function, event string, environment []string, logs io.Writer) []byte {
			answer, err := local.Invoke(t.Context(), function, environment, event, logs)
			if err != nil {
				t.Fatal(err)
			}
			return answer
		})
		t.Logf("%d events in %.0f s, in the image %s", len(names), time.Since(begun).Seconds(), local.Image)
	})
}

// withSAM runs a test with a set-up for SAM. Where no Docker engine answers, this
// test binary runs it once more in a process that has an engine of its own; where
// there can be none either it is skipped, with CI=true too.
func withSAM(t *testing.T, test func(t *testing.T, local *samlocal.Local)) {
	t.Helper()
	testenv.Tool(t, "sam")
	testenv.Command(t, "node", "apt-get install nodejs")
	local, err := samlocal.Open(t.Context(), fixture.Path(t, "infra", "cdk", "example.json"), io.Discard)
	if err == nil {
		defer func() {
			if err := local.Close(); err != nil {
				t.Error(err)
			}
		}()
		test(t, local)
		return
	}
	if !errors.Is(err, samlocal.ErrNoEngine) {
		t.Fatal(err)
	}
	run := "^" + t.Name() + "$"
	if _, below, ok := strings.Cut(flag.Lookup("test.run").Value.String(), "/"); ok && !strings.Contains(below, "|") {
		run += "/" + below
	}
	without := err
	command, err := samlocal.Within(context.WithoutCancel(t.Context()), os.Args[0], "-test.run="+run, "-test.v", "-test.timeout=20m")
	if err != nil {
		t.Skipf("not run: %v; %v", without, err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = command.Stdout
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	passed, skipped := false, false
	for lines := bufio.NewScanner(out); lines.Scan(); { // which go test does not take for its own
		fmt.Println("    | " + lines.Text())
		passed = passed || strings.HasPrefix(lines.Text(), "--- PASS: "+t.Name())
		skipped = skipped || strings.Contains(lines.Text(), "--- SKIP")
	}
	switch err := command.Wait(); {
	case err != nil:
		t.Fatal(err)
	case skipped:
		t.Skip("not run: see above")
	case !passed:
		t.Fatal("it neither passed nor failed")
	}
}
