package samlocal

import (
	"archive/tar"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

var ErrNoEngine = errors.New("no Docker engine")

type Engine struct {
	Host string
}

const pullTime = 3 * time.Minute

// OpenEngine fails with ErrNoEngine if no Docker engine answers.
func OpenEngine(ctx context.Context) (*Engine, error) {
	if !Reachable(ctx) {
		return nil, ErrNoEngine
	}
	if given := os.Getenv("DOCKER_HOST"); given != "" {
		return &Engine{Host: given}, nil
	}
	host, err := exec.CommandContext(ctx, "docker", "context", "inspect", "--format",
		"{{.Endpoints.docker.Host}}").Output()
	if err != nil {
		return nil, fmt.Errorf("ask where the engine is: %w", err)
	}
	return &Engine{Host: strings.TrimSpace(string(host))}, nil
}

func Reachable(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return exec.CommandContext(ctx, "docker", "info", "--format", "{{.ServerVersion}}").Run() == nil
}

func (e *Engine) Docker(ctx context.Context, input []byte, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "docker", args...)
	command.Env = append(os.Environ(), "DOCKER_HOST="+e.Host)
	command.Stdin = bytes.NewReader(input)
	out, err := command.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
		}
		return "", fmt.Errorf("docker %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Address returns the gateway of Docker's bridge network, or loopback if this machine does not have
// that address, as with an engine in a virtual machine.
func (e *Engine) Address(ctx context.Context) string {
	bridge, err := e.Docker(ctx, nil, "network", "inspect", "bridge", "--format", "{{(index .IPAM.Config 0).Gateway}}")
	if err == nil {
		if listener, err := net.Listen("tcp", net.JoinHostPort(bridge, "0")); err == nil {
			listener.Close()
			return bridge
		}
	}
	return "127.0.0.1"
}

// StandIn is the image for functions if AWS's Lambda image cannot be downloaded.
const StandIn = "verdetto-provided:al2023"

func (e *Engine) baseImage(ctx context.Context) (string, error) {
	image := "public.ecr.aws/lambda/provided:al2023-" + machines[runtime.GOARCH]
	if _, err := e.Docker(ctx, nil, "image", "inspect", image); err == nil {
		return image, nil
	}
	if !isInside() { // in the network that Within makes, no registry can be reached
		pull, cancel := context.WithTimeout(ctx, pullTime)
		defer cancel()
		if _, err := e.Docker(pull, nil, "pull", "--quiet", image); err == nil {
			return image, nil
		}
	}
	layer, err := StandInLayer(nil)
	if err != nil {
		return "", err
	}
	if _, err := e.Docker(ctx, layer, "import", "--change", "WORKDIR /var/task", "-", StandIn); err != nil {
		return "", fmt.Errorf("make the stand-in for Lambda's image: %w", err)
	}
	return StandIn, nil
}

// StandInLayer returns a tar archive with the programs that SAM and moto need, and with the programs
// in more, whose keys are file names.
func StandInLayer(more map[string][]byte) ([]byte, error) {
	path, err := exec.LookPath("busybox")
	if err != nil {
		return nil, fmt.Errorf("%w with Lambda's image: no registry, and no busybox to stand in for it (Debian: busybox-static)", ErrNoEngine)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read busybox: %w", err)
	}
	var layer bytes.Buffer
	w := tar.NewWriter(&layer)
	add := func(h tar.Header, data []byte) {
		h.Size = int64(len(data))
		if err == nil {
			err = w.WriteHeader(&h)
		}
		if err == nil {
			_, err = w.Write(data)
		}
	}
	for _, dir := range []string{"bin", "opt", "var", "var/task", "var/rapid"} {
		add(tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755}, nil)
	}
	add(tar.Header{Typeflag: tar.TypeDir, Name: "tmp/", Mode: 0o1777}, nil)
	add(tar.Header{Typeflag: tar.TypeReg, Name: "bin/busybox", Mode: 0o755}, program)
	for _, name := range []string{"sh", "mv", "chmod", "sleep"} {
		add(tar.Header{Typeflag: tar.TypeSymlink, Name: filepath.Join("bin", name), Linkname: "busybox", Mode: 0o777}, nil)
	}
	for name, data := range more {
		add(tar.Header{Typeflag: tar.TypeReg, Name: filepath.Join("bin", name), Mode: 0o755}, data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("write image: %w", err)
	}
	return layer.Bytes(), nil
}

//go:embed within.sh
var withinScript string

const insideMark = "VERDETTO_SAM_NETWORK"

func isInside() bool { return os.Getenv(insideMark) == "own" }

// Within returns a command that has its own Docker engine, in a network that cannot reach the internet. Within needs
// root on Linux.
func Within(ctx context.Context, name string, args ...string) (*exec.Cmd, error) {
	if isInside() { // the engine that Within starts is not running
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
	// An interrupt signal of the terminal must not end the engine before the command.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	return command, nil
}

// listenMark tells a process that it inherited a listener, as file descriptor 3.
const listenMark = "VERDETTO_SAM_LISTENER"

// Listen returns the inherited listener, if there is one, because a process in a network of its own
// is reachable only through that listener.
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

// HandOn passes listener, which may be nil, to a command that Within has returned.
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
