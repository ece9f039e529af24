package lambda

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"verdetto/cmd/verdetto/samlocal"
	"verdetto/e2e/fixture"
	"verdetto/shared/testenv"
)

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
