package testenv

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

type outcome struct {
	testing.TB
	ended, message string
}

func (o *outcome) Helper()      {}
func (o *outcome) Name() string { return "TestIt" }

func (o *outcome) end(how, message string) {
	o.ended, o.message = how, message
	runtime.Goexit()
}

func (o *outcome) Skip(args ...any)                  { o.end("skipped", fmt.Sprint(args...)) }
func (o *outcome) Skipf(format string, args ...any)  { o.end("skipped", fmt.Sprintf(format, args...)) }
func (o *outcome) Fatal(args ...any)                 { o.end("failed", fmt.Sprint(args...)) }
func (o *outcome) Fatalf(format string, args ...any) { o.end("failed", fmt.Sprintf(format, args...)) }

func TestFetch(t *testing.T) {
	program, err := exec.LookPath("make")
	if err != nil {
		t.Skip("needs make")
	}
	root := workspace(t)
	t.Setenv("CI", "")
	t.Setenv("PATH", filepath.Dir(program)+":/usr/bin:/bin")
	if err := os.WriteFile(filepath.Join(root, "Makefile"), []byte(`
.tools/new/.complete:
	@mkdir .tools/new && touch .tools/new/run $@
.tools/absent/.complete:
	@echo no npm here
`), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		answer, o := ask(func(t testing.TB) string { return Tool(t, "new", "run") })
		if answer != filepath.Join(root, ".tools/new/run") {
			t.Errorf("%s with %q, said %q", o.ended, answer, o.message)
		}
	}
	_, o := ask(func(t testing.TB) string { return Tool(t, "absent", "run") })
	if o.ended != "skipped" || !strings.Contains(o.message, "no npm here") {
		t.Errorf("%s, said %q", o.ended, o.message)
	}
}

func ask(question func(t testing.TB) string) (answer string, o *outcome) {
	o = &outcome{ended: "answered"}
	done := make(chan struct{})
	go func() {
		defer close(done)
		answer = question(o)
	}()
	<-done
	return answer, o
}

func workspace(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for path, mode := range map[string]os.FileMode{
		"go.mod": 0o644, "deep/check/file": 0o644, "deep/down/file": 0o644, ".tools/whole/.complete": 0o644, ".tools/whole/bin/run": 0o755,
		".tools/half/bin/run": 0o755, "bin/present": 0o755,
	} {
		file := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(root, "deep", "check"))
	t.Setenv("PATH", filepath.Join(root, "bin"))
	return root
}

func TestNeeds(t *testing.T) {
	root := workspace(t)
	command := func(name string) func(testing.TB) string {
		return func(t testing.TB) string { return Command(t, name, "apt-get install "+name) }
	}
	tool := func(path ...string) func(testing.TB) string {
		return func(t testing.TB) string { return Tool(t, path...) }
	}
	for _, c := range []struct {
		name     string
		folder   string
		data, ci string
		question func(testing.TB) string
		answer   string
		ended    string
		says     string
	}{
		{name: "data", data: root, question: Data, answer: root, ended: "answered"},
		{name: "no data", question: Data, ended: "skipped", says: "needs VERDETTO_DATA"},
		{name: "no data on CI", ci: "true", question: Data, ended: "skipped", says: "needs VERDETTO_DATA"},
		{name: "data that is not there", data: filepath.Join(root, "no"), question: Data, ended: "failed",
			says: "VERDETTO_DATA: "},
		{name: "command", question: command("present"), answer: filepath.Join(root, "bin", "present"),
			ended: "answered"},
		{name: "command by another name",
			question: func(t testing.TB) string { return Command(t, "absent-program", "", "absent-too", "present") },
			answer:   filepath.Join(root, "bin", "present"), ended: "answered"},
		{name: "no command", question: command("absent-program"), ended: "skipped",
			says: "needs absent-program: apt-get install absent-program"},
		{name: "no command on CI", ci: "true", question: command("absent-program"), ended: "failed",
			says: "needs absent-program: apt-get install absent-program"},
		{name: "tool", question: tool("whole", "bin", "run"),
			answer: filepath.Join(root, ".tools", "whole", "bin", "run"), ended: "answered"},
		{name: "no tool", question: tool("none"), ended: "skipped", says: "needs none: make tools"},
		{name: "no file in a tool", question: tool("whole", "bin", "other"), ended: "skipped",
			says: "needs whole/bin/other: make tools"},
		{name: "half a tool", question: tool("half", "bin", "run"), ended: "skipped",
			says: "needs half/bin/run: make tools"},
		{name: "no tool on CI", ci: "true", question: tool("none"), ended: "failed", says: "needs none: make tools"},
		{name: "command in make test", folder: "deep/down", question: command("present"), ended: "failed",
			says: "TestIt needs present, so it belongs into a package below a folder named check"},
		{name: "tool in make test", folder: "deep/down", question: tool("whole", "bin", "run"), ended: "failed",
			says: "TestIt needs whole, so it belongs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(filepath.Join(root, cmp.Or(c.folder, "deep/check")))
			t.Setenv("VERDETTO_DATA", c.data)
			t.Setenv("CI", c.ci)
			answer, o := ask(c.question)
			if answer != c.answer || o.ended != c.ended || !strings.HasPrefix(o.message, c.says) {
				t.Errorf("%s with %q, said %q; want %s with %q, saying %q", o.ended, answer, o.message, c.ended, c.answer,
					c.says)
			}
		})
	}
}

func TestFindToolOutsideAModule(t *testing.T) {
	t.Chdir(t.TempDir())
	if path, err := FindTool("whole"); err == nil || errors.Is(err, ErrNoTool) {
		t.Errorf("%q, %v", path, err)
	}
}
