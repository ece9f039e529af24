package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFigures makes figures.md from test events of two packages that ran in parallel.
func TestFigures(t *testing.T) {
	var events strings.Builder
	output := json.NewEncoder(&events)
	for _, e := range [][3]string{
		{"verdetto/b", "TestEvidenceTwo/part one", "=== RUN   TestEvidenceTwo/part_one\n"},
		{"verdetto/b", "TestEvidenceTwo/part one", "    b_test.go:7: 3 of 4\n"},
		{"verdetto/a/c", "TestEvidenceOne", "    fixture.go:12: a table:\n"},
		{"verdetto/b", "TestEvidenceTwo/part_two", "    b_test.go:8: part two: 1 of 2\n"},
		{"verdetto/b", "TestEvidenceTwo", "    b_test.go:9: 5 of 6\n"},
		{"verdetto/a/c", "TestEvidenceOne", "        x  y\n"},
		{"verdetto/a/c", "TestEvidenceOne", "        \n"},
		{"verdetto/a/c", "TestEvidenceOne", "          1  \n"},
		{"verdetto/a/c", "TestEvidenceOne", "--- PASS: TestEvidenceOne (0.10s)\n"},
		{"verdetto/a/c", "TestEvidenceOne", "        written by another process\n"},
		{"verdetto/a/c", "", "ok  \tverdetto/a/c\t0.1s\n"},
	} {
		if err := output.Encode(map[string]string{"Action": "output", "Package": e[0], "Test": e[1],
			"Output": e[2]}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "events.json")
	if err := os.WriteFile(path, []byte(events.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(path, &out); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(out.String(), " cores.\n")
	const want = `
## a/c, TestEvidenceOne

~~~
go test -count=1 -v -timeout 6h -run '^TestEvidenceOne$' ./a/c
~~~

~~~
a table:
x  y

  1
~~~

## b, TestEvidenceTwo

~~~
go test -count=1 -v -timeout 6h -run '^TestEvidenceTwo$' ./b
~~~

~~~
part one: 3 of 4
part two: 1 of 2
5 of 6
~~~
`
	if got != strings.ReplaceAll(want, "~~~", "```") {
		t.Errorf("figures:\n%s", got)
	}
}

func TestNoFigures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.json")
	if err := run(path, &strings.Builder{}); err == nil {
		t.Error("a file that is not there gives no error")
	}
	for name, events := range map[string]string{
		"no events":      "ok  \tverdetto/a\n",
		"a skipped test": `{"Action":"skip","Package":"verdetto/a","Test":"TestEvidenceOne"}` + "\n",
	} {
		if err := os.WriteFile(path, []byte(events), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := run(path, &strings.Builder{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
