// Package testenv finds the tools and data that tests need besides Go.
//
// A test whose tool is not available is skipped, or fails if CI=true. Without VERDETTO_DATA, tests
// that need recorded fares are skipped even if CI=true.
package testenv

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

var ErrNoTool = errors.New("not installed: run make tools")

func Data(t testing.TB) string {
	t.Helper()
	folder := os.Getenv("VERDETTO_DATA")
	if folder == "" {
		t.Skip("needs VERDETTO_DATA, a folder of recorded fares")
	}
	if _, err := os.Stat(folder); err != nil {
		t.Fatalf("VERDETTO_DATA: %v", err)
	}
	return folder
}

func Command(t testing.TB, name, install string, otherNames ...string) string {
	t.Helper()
	belongs(t, name)
	// PATH may lack /usr/sbin.
	for _, candidate := range append([]string{name, "/usr/sbin/" + name}, otherNames...) {
		if path, err := exec.LookPath(candidate); err == nil {
			return path
		}
	}
	Missing(t, name, install)
	return ""
}

// Tool returns the path of a file or folder below .tools. Make first fetches a missing or outdated
// tool.
func Tool(t testing.TB, path ...string) string {
	t.Helper()
	belongs(t, path[0])
	once, _ := fetches.LoadOrStore(path[0], sync.OnceValues(func() (string, error) { return fetch(path[0]) }))
	output, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	found, err := FindTool(path...)
	if errors.Is(err, ErrNoTool) {
		Missing(t, filepath.Join(path...), strings.TrimSpace("make tools\n"+output))
	}
	if err != nil {
		t.Fatal(err)
	}
	return found
}

var fetches sync.Map

// The lock keeps concurrent test binaries from fetching a tool twice.
func fetch(name string) (output string, err error) {
	program, err := exec.LookPath("make")
	if err != nil {
		return "", nil //nolint:nilerr // without make, tests use the tools that are installed
	}
	root, err := Root()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Join(root, ".tools"), 0o755); err != nil {
		return "", err
	}
	lock, err := os.Create(filepath.Join(root, ".tools", name+".lock"))
	if err != nil {
		return "", err
	}
	defer lock.Close() // also releases the lock
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	command := exec.Command(program, "--silent", ".tools/"+name+"/.complete")
	command.Dir = root
	command.Env = slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "MAKE") })
	out, _ := command.CombinedOutput() // the message says why a tool cannot be had
	return string(out), nil
}

// FindTool ignores an incomplete installation, which lacks the file .complete.
func FindTool(path ...string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	tools := filepath.Join(root, ".tools")
	found := filepath.Join(append([]string{tools}, path...)...)
	for _, file := range []string{filepath.Join(tools, path[0], ".complete"), found} {
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
			return "", ErrNoTool
		} else if err != nil {
			return "", err
		}
	}
	return found, nil
}

func MayNeedTools(folder string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(folder), "/"),
		func(name string) bool { return name == "check" || name == "evidence" || name == "infra" })
}

// Proofs, evidence and benchmarks may need a tool in any package, since make test does not run them.
func belongs(t testing.TB, what string) {
	t.Helper()
	root, err := Root()
	if err != nil {
		return // outside the repository
	}
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if MayNeedTools(strings.TrimPrefix(folder, root)) ||
		slices.ContainsFunc([]string{"TestProve", "TestEvidence", "Benchmark"},
			func(prefix string) bool { return strings.HasPrefix(t.Name(), prefix) }) {
		return
	}
	t.Fatalf("%s needs %s, so it belongs into a package below a folder named check", t.Name(), what)
}

func Missing(t testing.TB, what, install string) {
	t.Helper()
	belongs(t, what)
	if os.Getenv("CI") == "true" {
		t.Fatalf("needs %s: %s (with CI=true nothing is skipped)", what, install)
	}
	t.Skipf("needs %s: %s", what, install)
}

func Root() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		if folder == filepath.Dir(folder) {
			return "", errors.New("find the module: there is no go.mod above")
		}
		folder = filepath.Dir(folder)
	}
}
