// Command figures makes infra/figures/figures.md from the logs of the evidence tests: for each
// test, the command that runs it alone, and the lines that the test logs.
//
//	go tool gotestsum --jsonfile events.json -- -run '^TestEvidence' ./... && go run ./infra/figures events.json >infra/figures/figures.md
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: figures EVENTS.JSON")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func run(path string, out io.Writer) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	tests, err := read(file)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	fmt.Fprintf(out,
		"# Figures\n\nWhat the tests of the evidence tier measured, as `make evidence` wrote it with %s on %d cores.\n",
		runtime.Version(), runtime.NumCPU())
	for _, t := range tests {
		fmt.Fprintf(out, "\n## %s, %s\n\n```\ngo test -count=1 -v -timeout 6h -run '^%s$' ./%s\n```\n\n```\n%s\n```\n",
			t.pkg, t.name, t.name, t.pkg, strings.Join(t.lines, "\n"))
	}
	return nil
}

// test holds the logged lines of a test and its subtests.
type test struct {
	pkg, name string
	lines     []string
}

// logged matches the first line of a log: its position, and the text.
var logged = regexp.MustCompile(`^ +\S+\.go:\d+: (.*)`)

// read extracts the logs from a stream of go test's events, sorted by package and test.
func read(in io.Reader) ([]test, error) {
	byName := map[[2]string]*test{}
	within := map[[2]string]bool{} // tests whose last line belonged to a log
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e struct{ Action, Package, Test, Output string }
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("parse event: %w", err)
		}
		if e.Action == "skip" && e.Test != "" {
			return nil, fmt.Errorf("%s %s was skipped: figures are made where every test can run", e.Package, e.Test)
		}
		if e.Action != "output" || e.Test == "" {
			continue
		}
		name, part, _ := strings.Cut(e.Test, "/")
		key, whole := [2]string{e.Package, name}, [2]string{e.Package, e.Test}
		text := strings.TrimRight(e.Output, " \n")
		first := logged.FindStringSubmatch(text)
		switch {
		case first != nil:
			text = first[1]
			if part != "" && !strings.HasPrefix(text, strings.ReplaceAll(part, "_", " ")) {
				text = part + ": " + text
			}
		case within[whole] && (text == "" || strings.HasPrefix(text, "        ")): // more lines of a log
			text = strings.TrimPrefix(text, "        ")
		default:
			within[whole] = false
			continue
		}
		within[whole] = true
		if byName[key] == nil {
			_, pkg, _ := strings.Cut(e.Package, "/")
			byName[key] = &test{pkg: pkg, name: name}
		}
		byName[key].lines = append(byName[key].lines, text)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	var all []test
	for _, t := range byName {
		all = append(all, *t)
	}
	slices.SortFunc(all, func(a, b test) int { return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.name, b.name)) })
	return all, nil
}
