// Package motolocal runs moto's server, which answers as AWS does (SES, SQS and
// others), on a loopback port for tests.
//
// It promises that the server ends with the process that started it, however that
// ends, and that where moto is not installed a test is skipped and says so.
package motolocal

import (
	"bufio"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// ErrMissing: Python or moto is not here.
var ErrMissing = errors.New("needs moto: install Python 3 with venv and run make tools")

// Region is any that AWS has.
const Region = "eu-south-1"

//go:embed serve.py
var program string

// python finds the interpreter that has moto: in $VERDETTO_MOTO, or where make tools puts it.
func python() (string, error) {
	dir := os.Getenv("VERDETTO_MOTO")
	if dir == "" {
		root, err := os.Getwd()
		for err == nil {
			if _, missing := os.Stat(filepath.Join(root, "go.mod")); missing == nil {
				break
			}
			if root == filepath.Dir(root) {
				return "", ErrMissing
			}
			root = filepath.Dir(root)
		}
		dir = filepath.Join(root, ".tools", "moto")
	}
	if _, err := os.Stat(filepath.Join(dir, ".complete")); err != nil {
		return "", ErrMissing
	}
	return filepath.Join(dir, "bin", "python"), nil
}

// server holds on to its command: without it, the pipe that keeps it alive would
// be closed as garbage.
type server struct {
	endpoint string
	command  *exec.Cmd
}

// start runs a server that ends when this process does: it waits for its input to close.
func start() (server, error) {
	interpreter, err := python()
	if err != nil {
		return server{}, err
	}
	command := exec.Command(interpreter, "-c", program)
	// Whoever runs the tests may have an account: it is nothing to the server.
	command.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "AWS_") })
	var faults bytes.Buffer
	command.Stderr = &faults
	input, err := command.StdinPipe()
	if err != nil {
		return server{}, fmt.Errorf("start moto: %w", err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return server{}, fmt.Errorf("start moto: %w", err)
	}
	if err := command.Start(); err != nil {
		return server{}, fmt.Errorf("start moto: %w", err)
	}
	late := time.AfterFunc(time.Minute, func() { _ = command.Process.Kill() })
	defer late.Stop()
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		_ = input.Close()
		_ = command.Wait()
		return server{}, fmt.Errorf("start moto: %w: %s", err, &faults)
	}
	return server{"http://" + strings.TrimSpace(line), command}, nil
}

var shared = sync.OnceValues(start)

// Endpoint gives the address of a server that all tests of a test binary share,
// empty as it was at the start, or skips the test where there can be none.
func Endpoint(t testing.TB) string {
	t.Helper()
	s, err := shared()
	if errors.Is(err, ErrMissing) {
		t.Skip(ErrMissing)
	}
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(s.endpoint+"/moto-api/reset", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("reset moto: status %d", response.StatusCode)
	}
	return s.endpoint
}
