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
	"os"
	"os/exec"
	"slices"
	"strings"
)

// event is one line of go test -json.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
	FailedBuild, ImportPath       string
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
	var r report
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Println(lines.Text())
			continue
		}
		r.add(e)
	}
	waited := command.Wait()
	if lines.Err() != nil {
		fmt.Fprintln(os.Stderr, "testreport:", lines.Err())
	}
	if !r.print(os.Getenv("CI") == "true") || waited != nil || lines.Err() != nil {
		os.Exit(1)
	}
}

// report counts tests and keeps the output of those that did not pass.
type report struct {
	passed, failed int
	skipped        []string // why, and where
	output         map[string][]string
}

func (r *report) add(e event) {
	if r.output == nil {
		r.output = map[string][]string{}
	}
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output", "build-output":
		if e.Action == "build-output" {
			fmt.Print(e.Output)
			return
		}
		r.output[key] = append(r.output[key], e.Output)
	case "pass":
		if e.Test == "" {
			fmt.Printf("ok    %-48s %6.1f s\n", e.Package, e.Elapsed)
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
		if e.Test != "" {
			r.failed++
			fmt.Printf("FAIL  %s %s\n", e.Package, e.Test)
		} else {
			fmt.Printf("FAIL  %s\n", e.Package)
			if e.FailedBuild != "" || r.failed == 0 {
				r.failed++
			}
		}
		for _, line := range r.output[key] {
			fmt.Print("      ", line)
		}
		delete(r.output, key)
	}
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

// print writes the closing lines and says whether all is well.
func (r *report) print(strict bool) bool {
	slices.Sort(r.skipped)
	// Recorded fares belong to others and are not part of the project: a machine
	// that has none may say so and pass.
	excused := 0
	for _, s := range r.skipped {
		if strings.HasPrefix(s, "needs VERDETTO_DATA") && os.Getenv("VERDETTO_DATA") == "" {
			excused++
		}
	}
	strict = strict && len(r.skipped) > excused
	if len(r.skipped) > 0 {
		fmt.Println("\nnot run here:")
		for _, s := range r.skipped {
			fmt.Println("  " + s)
		}
		if strict {
			fmt.Println("with CI=true that is a failure")
		}
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", r.passed, r.failed, len(r.skipped))
	return r.failed == 0 && r.passed > 0 && !strict
}
