// Package testenv finds the tools and data that tests need besides Go.
//
// A test that needs something missing is skipped, with the command that installs it. With CI=true
// it fails instead, so no test is skipped silently. The exception is recorded fares, which belong
// to others: without VERDETTO_DATA such a test is always skipped.
package testenv

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// ErrNoTool means that a test tool is not below .tools.
var ErrNoTool = errors.New("not installed: run make tools")

// Data returns the folder of recorded fares and objects, from VERDETTO_DATA.
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

// Command returns the path of a system program, which may have several names. install is the hint
// that the test prints if the program is missing.
func Command(t testing.TB, name, install string, otherNames ...string) string {
	t.Helper()
	// The folder /usr/sbin is not in every PATH.
	for _, candidate := range append([]string{name, "/usr/sbin/" + name}, otherNames...) {
		if path, err := exec.LookPath(candidate); err == nil {
			return path
		}
	}
	Missing(t, name, install)
	return ""
}

// Tool returns the path of a file or folder below .tools, where make tools installs what tests
// need.
func Tool(t testing.TB, path ...string) string {
	t.Helper()
	found, err := FindTool(path...)
	if errors.Is(err, ErrNoTool) {
		Missing(t, filepath.Join(path...), "make tools")
	}
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// FindTool does what Tool does, for code outside tests. It ignores an incomplete installation,
// which lacks the mark that make tools sets at the end.
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

// Missing skips a test that needs a missing tool, or fails the test if CI=true.
func Missing(t testing.TB, what, install string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("needs %s: %s (with CI=true nothing is skipped)", what, install)
	}
	t.Skipf("needs %s: %s", what, install)
}

// Root returns the folder of the module that contains the working directory.
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
