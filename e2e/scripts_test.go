// Package e2e_test runs the scripts in the folders of e2e; see package script.
package e2e_test

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"verdetto/e2e/script"
)

var update = flag.Bool("update", false, "write the differing files of cmp into the scripts")

func TestScripts(t *testing.T) {
	for _, subject := range subjects(t) {
		t.Run(filepath.Base(subject), func(t *testing.T) { script.Run(t, *update, scripts(t, subject)...) })
	}
	if run := flag.Lookup("test.run").Value.String(); !strings.Contains(run, "/") {
		beyondScripts(t)
		for _, unused := range script.Unused() {
			t.Errorf("schema.Accesses allows more than is used: %s", unused)
		}
	}
}

func subjects(t *testing.T) (all []string) {
	folders, err := filepath.Glob("*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if len(scripts(t, f)) > 0 {
			all = append(all, f)
		}
	}
	return all
}

func scripts(t *testing.T, folder string) []string {
	files, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}
