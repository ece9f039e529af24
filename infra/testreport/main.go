// Command testreport runs go test and says at the end, on its last lines, what
// passed, what failed and what could not be run here. With CI=true a test that
// could not be run is a failure: nothing is skipped there in silence.
//
//	go run ./infra/testreport [-v] PACKAGES...
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// event is one line of go test -json.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

func main() {
	args := append([]string{"test", "-json", "-count=1"}, os.Args[1:]...)
	command := exec.Command("go", args...)
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(1)
	}
	r := newReport(os.Stdout)
	unread := r.read(out)
	waited := command.Wait()
	if unread != nil {
		fmt.Fprintln(os.Stderr, "testreport:", unread)
	}
	if !r.print(os.Getenv("CI") == "true", os.Getenv("VERDETTO_DATA") != "") || waited != nil || unread != nil {
		os.Exit(1)
	}
}

// report counts tests and keeps the output of those that did not pass.
type report struct {
	out            io.Writer
	passed, failed int
	skipped        []string            // why, and where
	output         map[string][]string // of what has not ended, by package and test
	faulty         map[string]bool     // packages of which a test failed
}

func newReport(out io.Writer) *report {
	return &report{out: out, output: map[string][]string{}, faulty: map[string]bool{}}
}

// read adds a stream of events. Lines that are none are passed on.
func (r *report) read(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Fprintln(r.out, lines.Text())
			continue
		}
		r.add(e)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	return nil
}

func (r *report) add(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		r.output[key] = append(r.output[key], e.Output)
	case "pass":
		if e.Test == "" {
			fmt.Fprintf(r.out, "ok    %-48s %6.1f s\n", e.Package, e.Elapsed)
		} else {
			r.passed++
		}
		delete(r.output, key)
	case "skip":
		if e.Test != "" {
			r.skipped = append(r.skipped, r.why(key)+" ("+strings.TrimPrefix(e.Package, "verdetto/")+" "+e.Test+")")
		}
		delete(r.output, key)
	case "fail":
		if e.Test == "" {
			r.packageFailed(e.Package)
			return
		}
		r.testFailed(e.Package, e.Test, "")
	}
}

func (r *report) testFailed(pkg, test, how string) {
	r.failed++
	r.faulty[pkg] = true
	r.tell(pkg+" "+test, how)
}

// packageFailed also tells of the tests that never ended, because the process
// did: one that hangs is only to be found so. A package that failed without a
// test that did (it does not build, or its TestMain fails) counts as one.
func (r *report) packageFailed(pkg string) {
	for _, key := range slices.Sorted(maps.Keys(r.output)) {
		if test, ok := strings.CutPrefix(key, pkg+" "); ok && test != "" {
			r.testFailed(pkg, test, " did not end")
		}
	}
	if !r.faulty[pkg] {
		r.failed++
	}
	r.tell(pkg+" ", "")
}

// tell writes what failed and what it had to say, once.
func (r *report) tell(key, how string) {
	fmt.Fprintf(r.out, "FAIL  %s%s\n", strings.TrimSpace(key), how)
	for _, line := range r.output[key] {
		fmt.Fprint(r.out, "      ", line)
	}
	delete(r.output, key)
}

// why is the reason that a test gave for skipping.
func (r *report) why(key string) string {
	for _, line := range slices.Backward(r.output[key]) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "---") || strings.HasPrefix(line, "===") {
			continue
		}
		if _, reason, ok := strings.Cut(line, ".go:"); ok {
			if _, reason, ok = strings.Cut(reason, ": "); ok {
				return reason
			}
		}
		return line
	}
	return "no reason given"
}

// print writes the closing lines and says whether all is well. Strict is that
// nothing may be skipped; data, that there are recorded fares to test with.
func (r *report) print(strict, data bool) bool {
	slices.Sort(r.skipped)
	// Recorded fares belong to others and are not part of the project: a machine
	// that has none may say so and pass.
	excused := 0
	for _, s := range r.skipped {
		if strings.HasPrefix(s, "needs VERDETTO_DATA") && !data {
			excused++
		}
	}
	strict = strict && len(r.skipped) > excused
	if len(r.skipped) > 0 {
		fmt.Fprintln(r.out, "\nnot run here:")
		for _, s := range r.skipped {
			fmt.Fprintln(r.out, "  "+s)
		}
		if strict {
			fmt.Fprintln(r.out, "with CI=true that is a failure")
		}
	}
	fmt.Fprintf(r.out, "%d passed, %d failed, %d skipped\n", r.passed, r.failed, len(r.skipped))
	return r.failed == 0 && r.passed > 0 && !strict
}
