package samlocal

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// ErrNoEngine reports that no Docker engine answers and none can be started.
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

// Address returns an address of this machine that containers can reach: the engine's end of its
// bridge network. If the engine runs in a virtual machine it returns loopback, because containers
// then use the name host.docker.internal.
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

// StandIn is the image that replaces AWS's Lambda image if that cannot be downloaded. No registry
// has an image of this name.
const StandIn = "verdetto-provided:al2023"

// baseImage pulls Lambda's image if needed. If no registry can be reached, it builds an image with
// just what a Go executable needs.
func (e *Engine) baseImage(ctx context.Context) (string, error) {
	image := "public.ecr.aws/lambda/provided:al2023-" + machines[runtime.GOARCH]
	if _, err := e.Docker(ctx, nil, "image", "inspect", image); err == nil {
		return image, nil
	}
	if !isInside() { // inside, no registry can be reached
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

// StandInLayer returns a tar archive with the few programs that SAM and moto need to run functions,
// and those in more, by file name. The executables need no other files.
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
