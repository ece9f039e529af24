package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The events of a test, as go test -json writes them.
func ran(test, end string, output ...string) []event {
	all := []event{{Action: "run", Package: "verdetto/p", Test: test}}
	for _, o := range append([]string{"=== RUN   " + test + "\n"}, output...) {
		all = append(all, event{Action: "output", Package: "verdetto/p", Test: test, Output: o})
	}
	if end != "" {
		all = append(all, event{Action: end, Package: "verdetto/p", Test: test})
	}
	return all
}

func TestReport(t *testing.T) {
	packagePasses := event{Action: "pass", Package: "verdetto/p", Elapsed: 0.25}
	packageFails := event{Action: "fail", Package: "verdetto/p", Elapsed: 0.25}
	passes := ran("TestA", "pass", "    a_test.go:7: nothing to see\n")
	fails := ran("TestB", "fail", "    b_test.go:9: 1 is not 2\n", "--- FAIL: TestB (0.00s)\n")
	hangs := ran("TestC", "", "    c_test.go:3: waiting\n")
	noTool := ran("TestD", "skip", "    d_test.go:4: needs a tool: run make tools\n", "--- SKIP: TestD (0.00s)\n")
	noData := ran("TestE", "skip", "    e_test.go:5: needs VERDETTO_DATA, a folder of recorded fares\n", "--- SKIP: TestE (0.00s)\n")
	silent := ran("TestF", "skip", "--- SKIP: TestF (0.00s)\n")
	const ok = "ok    verdetto/p                                          0.2 s\n"

	for _, c := range []struct {
		name         string
		events       [][]event
		end          event
		strict, data bool
		well         bool
		want         string
	}{
		{name: "all pass", events: [][]event{passes}, end: packagePasses, well: true,
			want: ok + "1 passed, 0 failed, 0 skipped\n"},
		{name: "one fails and is told in full", events: [][]event{passes, fails}, end: packageFails,
			want: "FAIL  verdetto/p TestB\n" +
				"      === RUN   TestB\n          b_test.go:9: 1 is not 2\n      --- FAIL: TestB (0.00s)\n" +
				"FAIL  verdetto/p\n1 passed, 1 failed, 0 skipped\n"},
		{name: "one never ends", events: [][]event{passes, hangs}, end: packageFails,
			want: "FAIL  verdetto/p TestC did not end\n      === RUN   TestC\n          c_test.go:3: waiting\n" +
				"FAIL  verdetto/p\n1 passed, 1 failed, 0 skipped\n"},
		{name: "the package fails without a test that does", events: [][]event{passes}, end: packageFails,
			want: "FAIL  verdetto/p\n1 passed, 1 failed, 0 skipped\n"},
		{name: "it does not build", events: [][]event{{
			{Action: "build-output", Output: "p/p.go:1:1: expected 'package'\n"},
		}}, end: packageFails,
			want: "p/p.go:1:1: expected 'package'\nFAIL  verdetto/p\n0 passed, 1 failed, 0 skipped\n"},
		{name: "nothing is run", end: packagePasses,
			want: ok + "0 passed, 0 failed, 0 skipped\n"},
		{name: "a skipped test is named", events: [][]event{passes, noTool}, end: packagePasses, well: true,
			want: ok + "\nnot run here:\n  needs a tool: run make tools (p TestD)\n1 passed, 0 failed, 1 skipped\n"},
		{name: "a skipped test is a failure where all must run", events: [][]event{passes, noTool}, end: packagePasses, strict: true,
			want: ok + "\nnot run here:\n  needs a tool: run make tools (p TestD)\nwith CI=true that is a failure\n1 passed, 0 failed, 1 skipped\n"},
		{name: "a test without recorded fares is excused where there are none", events: [][]event{passes, noData}, end: packagePasses, strict: true, well: true,
			want: ok + "\nnot run here:\n  needs VERDETTO_DATA, a folder of recorded fares (p TestE)\n1 passed, 0 failed, 1 skipped\n"},
		{name: "but not where there are", events: [][]event{passes, noData}, end: packagePasses, strict: true, data: true,
			want: ok + "\nnot run here:\n  needs VERDETTO_DATA, a folder of recorded fares (p TestE)\nwith CI=true that is a failure\n1 passed, 0 failed, 1 skipped\n"},
		{name: "one that is excused does not excuse others", events: [][]event{passes, noData, silent}, end: packagePasses, strict: true,
			want: ok + "\nnot run here:\n  needs VERDETTO_DATA, a folder of recorded fares (p TestE)\n  no reason given (p TestF)\nwith CI=true that is a failure\n1 passed, 0 failed, 2 skipped\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stream, out bytes.Buffer
			to := json.NewEncoder(&stream)
			for _, events := range append(c.events, []event{c.end}) {
				for _, e := range events {
					if err := to.Encode(e); err != nil {
						t.Fatal(err)
					}
				}
			}
			r := newReport(&out)
			if err := r.read(&stream); err != nil {
				t.Fatal(err)
			}
			well := r.print(c.strict, c.data)
			if diff := cmp.Diff(c.want, out.String()); diff != "" || well != c.well {
				t.Errorf("all is well: %t, want %t; %s", well, c.well, diff)
			}
		})
	}
}

// TestLinesThatAreNoEvents: go itself writes some, and they say why there are no events.
func TestLinesThatAreNoEvents(t *testing.T) {
	var out bytes.Buffer
	r := newReport(&out)
	if err := r.read(strings.NewReader("go: updates to go.mod needed\n")); err != nil {
		t.Fatal(err)
	}
	if r.print(false, false) || out.String() != "go: updates to go.mod needed\n0 passed, 0 failed, 0 skipped\n" {
		t.Error(out.String())
	}
}

// TestExitCode runs the built command over a module with a package that passes,
// one that fails and one that skips.
func TestExitCode(t *testing.T) {
	command := filepath.Join(t.TempDir(), "testreport")
	if out, err := exec.Command("go", "build", "-o", command, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	module := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module probe\n\ngo 1.26\n",
		"well/p_test.go":   "package well\n\nimport \"testing\"\n\nfunc TestWell(t *testing.T) {}\n",
		"fails/p_test.go":  "package fails\n\nimport \"testing\"\n\nfunc TestFails(t *testing.T) { t.Error(\"no good\") }\n",
		"broken/p_test.go": "package broken\n\nfunc\n",
		"skips/p_test.go":  "package skips\n\nimport \"testing\"\n\nfunc TestRuns(t *testing.T) {}\n\nfunc TestSkips(t *testing.T) { t.Skip(\"needs a tool\") }\n",
	} {
		path := filepath.Join(module, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, packages, ci string
		code               int
		last               string
	}{
		{"a test fails", "./well ./fails", "", 1, "1 passed, 1 failed, 0 skipped"},
		{"a package does not build", "./well ./broken", "", 1, "1 passed, 1 failed, 0 skipped"},
		{"there is no such package", "./well ./nowhere", "", 1, "1 passed, 1 failed, 0 skipped"},
		{"all pass", "./well", "true", 0, "1 passed, 0 failed, 0 skipped"},
		{"one skips", "./well ./skips", "", 0, "2 passed, 0 failed, 1 skipped"},
		{"one skips where all must run", "./well ./skips", "true", 1, "2 passed, 0 failed, 1 skipped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := exec.Command(command, strings.Fields(c.packages)...)
			run.Dir, run.Env = module, append(os.Environ(), "CI="+c.ci)
			out, err := run.Output()
			var failed *exec.ExitError
			if err != nil && !errors.As(err, &failed) {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			if code := run.ProcessState.ExitCode(); code != c.code || lines[len(lines)-1] != c.last {
				t.Errorf("exit code %d, want %d\n%s", code, c.code, out)
			}
		})
	}
}
