package samlocal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// insideMark is set in a process that Within has started.
const insideMark = "VERDETTO_SAM_NETWORK"

func inside() bool { return os.Getenv(insideMark) == "own" }

// startTime is how long an engine may take to answer.
const startTime = time.Minute

// Within makes a command that runs in a network of its own, without a way out, so
// that Open starts an engine there which changes nothing outside: neither the
// machine's bridges nor its filters, and its mounts end with it. Only root can.
func Within(ctx context.Context, name string, args ...string) (*exec.Cmd, error) {
	if inside() { // where the engine did not start
		return nil, fmt.Errorf("%w within one's own network", ErrNoEngine)
	}
	var missing []string
	for program, pkg := range map[string]string{"dockerd": "docker.io", "docker": "docker.io", "ip": "iproute2", "iptables": "iptables", "busybox": "busybox-static"} {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, pkg)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%w answers, and to start one these are missing (Debian): %s", ErrNoEngine, strings.Join(missing, " "))
	}
	if os.Getuid() != 0 {
		return nil, fmt.Errorf("%w answers, and only root can start one", ErrNoEngine)
	}
	const own = syscall.CLONE_NEWNET | syscall.CLONE_NEWNS
	if out, err := try(own, "ip", "link", "set", "lo", "up"); err != nil {
		return nil, fmt.Errorf("%w answers, and none can be started, for this is a container without privileges: %v %s", ErrNoEngine, err, out)
	}
	command := exec.CommandContext(ctx, name, args...)
	command.Env = append(os.Environ(), insideMark+"=own")
	command.SysProcAttr = &syscall.SysProcAttr{Unshareflags: own}
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	return command, nil
}

func try(unshare uintptr, name string, args ...string) ([]byte, error) {
	command := exec.Command(name, args...)
	command.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unshare}
	return command.CombinedOutput()
}

// startEngine starts an engine that keeps everything in a folder and ends with this process.
func startEngine(ctx context.Context, folder string) (*Engine, error) {
	if out, err := exec.CommandContext(ctx, "ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: bring up loopback: %v %s", ErrNoEngine, err, out)
	}
	dir := filepath.Join(folder, "docker")
	e := &Engine{own: true, Host: "unix://" + filepath.Join(dir, "socket")}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make a folder for the engine: %w", err)
	}
	settings := filepath.Join(dir, "daemon.json") // the machine's are for its own engine
	if err := os.WriteFile(settings, []byte("{}"), 0o600); err != nil {
		return nil, fmt.Errorf("write settings of the engine: %w", err)
	}
	var said bytes.Buffer
	command := exec.Command("dockerd", "--data-root", filepath.Join(dir, "data"), "--exec-root", filepath.Join(dir, "exec"),
		"--pidfile", filepath.Join(dir, "pid"), "--config-file", settings, "--host", e.Host)
	command.Stdout, command.Stderr = &said, &said
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Setpgid: true} // Ctrl-C is for SAM first
	started, ended := make(chan error, 1), make(chan struct{})
	go func() {
		runtime.LockOSThread() // the kernel takes this thread for the parent
		err := command.Start()
		started <- err
		if err == nil {
			_ = command.Wait()
			close(ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("%w: start dockerd: %v", ErrNoEngine, err)
	}
	e.stop = func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		<-ended
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		if _, err := e.Docker(ctx, nil, "info", "--format", "{{.ServerVersion}}"); err == nil {
			return e, nil
		}
		select {
		case <-ended:
			return nil, fmt.Errorf("%w: dockerd ended: %s", ErrNoEngine, lastLine(said.String()))
		case <-ctx.Done():
			e.stop()
			return nil, errors.Join(ErrNoEngine, fmt.Errorf("start dockerd: %w: %s", ctx.Err(), lastLine(said.String())))
		case <-time.After(200 * time.Millisecond):
		}
	}
}
