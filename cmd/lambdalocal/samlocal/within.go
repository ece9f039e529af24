package samlocal

import (
	"context"
	_ "embed"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

//go:embed within.sh
var withinScript string

// insideMark tells a process that it runs in its own network. within.sh sets it.
const insideMark = "VERDETTO_SAM_NETWORK"

func isInside() bool { return os.Getenv(insideMark) == "own" }

// Within returns a command with its own Docker engine, in a network that cannot reach the internet.
// It fails with ErrNoEngine unless it runs as root on Linux with all programs installed.
func Within(ctx context.Context, name string, args ...string) (*exec.Cmd, error) {
	if isInside() { // the engine inside did not start
		return nil, fmt.Errorf("%w within one's own network", ErrNoEngine)
	}
	var missing []string
	for _, program := range []string{"dockerd", "docker", "ip", "iptables", "busybox", "unshare"} {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, program)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%w answers, and to start one these are missing (Debian: docker.io iproute2 iptables busybox-static): %s",
			ErrNoEngine, strings.Join(missing, " "))
	}
	if out, err := exec.Command("unshare", "--net", "--mount", "ip", "link", "set", "lo",
		"up").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w answers, and only root, in no container without privileges, can start one: %w %s",
			ErrNoEngine, err, out)
	}
	command := exec.CommandContext(ctx, "unshare", append([]string{"--net", "--mount", "sh", "-c", withinScript, "sh",
		name}, args...)...)
	command.Env = os.Environ()
	// The engine ends with the command, not before it at the terminal's interrupt signal.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	return command, nil
}

// listenMark tells a process that it inherited a listener, as file descriptor 3.
const listenMark = "VERDETTO_SAM_LISTENER"

// Listen returns the inherited listener, if any. A process in its own network is reachable only
// through a listener that was opened outside.
func Listen(address string) (net.Listener, error) {
	if os.Getenv(listenMark) == "" {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return nil, fmt.Errorf("listen: %w; choose another with -listen", err)
		}
		return listener, nil
	}
	file := os.NewFile(3, "listener")
	defer file.Close()
	listener, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("take over the listener: %w", err)
	}
	return listener, nil
}

// HandOn passes a listener, which may be nil, to a command that Within returned.
func HandOn(command *exec.Cmd, listener net.Listener) error {
	tcp, ok := listener.(*net.TCPListener)
	if !ok {
		return nil
	}
	file, err := tcp.File()
	if err != nil {
		return fmt.Errorf("hand on the listener: %w", err)
	}
	command.ExtraFiles = []*os.File{file}
	command.Env = append(command.Env, listenMark+"=3")
	return nil
}
