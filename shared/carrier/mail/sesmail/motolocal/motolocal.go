// Package motolocal runs the server of moto, which imitates AWS (SES, SQS and others), on a
// loopback port.
//
// The server ends with the process that started it, even if that process is killed.
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

	"verdetto/shared/architecture/testenv"
)

const Region = "eu-south-1"

//go:embed serve.py
var program string

func Start(environment ...string) (endpoint string, stop func(), err error) {
	interpreter, err := testenv.FindTool("moto", "bin", "python")
	if err != nil {
		return "", nil, fmt.Errorf("find moto: %w", err)
	}
	command := exec.Command(interpreter, "-c", program)
	command.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "AWS_") })
	command.Env = append(command.Env, environment...)
	var faults bytes.Buffer
	command.Stderr = &faults
	input, err := command.StdinPipe()
	if err != nil {
		return "", nil, fmt.Errorf("start moto: %w", err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return "", nil, fmt.Errorf("start moto: %w", err)
	}
	if err := command.Start(); err != nil {
		return "", nil, fmt.Errorf("start moto: %w", err)
	}
	late := time.AfterFunc(time.Minute, func() { _ = command.Process.Kill() })
	defer late.Stop()
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		_ = input.Close()
		_ = command.Wait()
		return "", nil, fmt.Errorf("start moto: %w: %s", err, &faults)
	}
	return "http://" + strings.TrimSpace(line), func() {
		_ = input.Close()
		_ = command.Wait()
	}, nil
}

// shared holds stop because otherwise the garbage collector would close the pipe that keeps the
// server alive.
var shared struct {
	once     sync.Once
	endpoint string
	stop     func()
	fault    error
}

// Endpoint empties the server that all tests of a process share, so these tests must not run in
// parallel.
func Endpoint(t testing.TB) string {
	t.Helper()
	testenv.Tool(t, "moto", "bin", "python")
	shared.once.Do(func() { shared.endpoint, shared.stop, shared.fault = Start() })
	if shared.fault != nil {
		t.Fatal(shared.fault)
	}
	response, err := http.Post(shared.endpoint+"/moto-api/reset", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("reset moto: status %d", response.StatusCode)
	}
	return shared.endpoint
}
