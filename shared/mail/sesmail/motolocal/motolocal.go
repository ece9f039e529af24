// Package motolocal runs moto's server, which answers as AWS does (SES, SQS and
// others), on a loopback port for tests.
//
// It promises that the server ends with the process that started it, however that ends.
package motolocal

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"verdetto/shared/testenv"
)

// Region is any that AWS has.
const Region = "eu-south-1"

//go:embed serve.py
var program string

// server holds on to its command: without it, the pipe that keeps it alive would
// be closed as garbage.
type server struct {
	endpoint string
	command  *exec.Cmd
}

// start runs a server that ends when this process does: it waits for its input to close.
func start(interpreter string) (server, error) {
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

var (
	once    sync.Once
	running server
	fault   error
)

// Endpoint gives the address of a server that all tests of a test binary share,
// empty as it was at the start, or skips the test where there can be none.
func Endpoint(t testing.TB) string {
	t.Helper()
	interpreter := testenv.Tool(t, "moto", "bin", "python")
	once.Do(func() { running, fault = start(interpreter) })
	if fault != nil {
		t.Fatal(fault)
	}
	response, err := http.Post(running.endpoint+"/moto-api/reset", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("reset moto: status %d", response.StatusCode)
	}
	return running.endpoint
}
