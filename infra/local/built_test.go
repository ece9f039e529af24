package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// builds is where the executables of this test binary are put, each built once.
var builds struct {
	dir  string
	made sync.Map // package -> func() (path string, err error)
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "verdetto-test-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, "make a folder for executables:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	builds.dir = dir
	code := m.Run()
	if !tellUndescribed() {
		return 1
	}
	return code
}

// built gives the executable of a package of this module, for this machine.
func built(t testing.TB, pkg string) string {
	t.Helper()
	once, _ := builds.made.LoadOrStore(pkg, sync.OnceValues(func() (string, error) {
		dir, err := os.MkdirTemp(builds.dir, "*")
		if err != nil {
			return "", err
		}
		path := filepath.Join(dir, filepath.Base(pkg))
		build := exec.Command("go", "build", "-trimpath", "-tags", "lambda.norpc", "-ldflags", "-s -w", "-o", path, "verdetto/"+pkg)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("build %s: %w\n%s", pkg, err, out)
		}
		return path, nil
	}))
	path, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
