package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
)

func TestRunSaysWhatItDoes(t *testing.T) {
	t.Parallel()
	program, dir := testenv.Command(t, "make", "apt-get install make"), t.TempDir()
	compiler := "#!/bin/sh\n[ \"$1\" = build ] || exit 0\n" +
		"echo first; echo second; echo 'broken: no such file'\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(compiler), 0o755); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), program, "--no-print-directory", "run")
	c.Dir = fixture.Path(t)
	c.Env = append(os.Environ(), "MAKEFLAGS=", "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := c.CombinedOutput()
	output := string(out)
	if err == nil || !strings.HasPrefix(output, "building Verdetto for http://") ||
		!strings.Contains(output, "\r2 packages compiled") || !strings.Contains(output, "broken: no such file") {
		t.Errorf("%v: %q", err, output)
	}
	if strings.Contains(output, "answering on") {
		t.Errorf("it serves after a failed build: %q", output)
	}
}
