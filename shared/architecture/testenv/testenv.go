// Package testenv says what a test needs beside Go, and what to install.
//
// It promises that a test that needs something missing here is skipped with the
// command that installs it, and that with CI=true it fails instead: nothing is
// skipped there in silence. The one exception are recorded fares, which belong
// to others: where VERDETTO_DATA is not set, such a test is skipped even there.
package testenv

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// ErrNoTool: a test tool is not below .tools.
var ErrNoTool = errors.New("not installed: run make tools")

// Data is the folder of recorded fares and objects that VERDETTO_DATA names.
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

// Command is the path of a program of the system, which may have other names as
// well. install is what to do where it is missing.
func Command(t testing.TB, name, install string, otherNames ...string) string {
	t.Helper()
	// sbin is not in everybody's path
	for _, candidate := range append([]string{name, "/usr/sbin/" + name}, otherNames...) {
		if path, err := exec.LookPath(candidate); err == nil {
			return path
		}
	}
	Missing(t, name, install)
	return ""
}

// Tool is the path of a file or folder below .tools, where make tools puts what tests need.
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

// FindTool is Tool for what is not a test. A tool whose installation was cut
// short is not there: make tools marks each of them as complete.
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

// Missing ends a test that needs what is not here, and says what to install.
func Missing(t testing.TB, what, install string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("needs %s: %s (with CI=true nothing is skipped)", what, install)
	}
	t.Skipf("needs %s: %s", what, install)
}

// Root is the folder of the module that the working folder belongs to.
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
