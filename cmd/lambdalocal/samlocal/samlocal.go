// Package samlocal runs the functions of the synthesized template in containers, using the command
// line of SAM, so that an independent program checks the template that will be deployed. Start
// reading at Open.
package samlocal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"verdetto/cmd/lambdalocal/localcloud"
	"verdetto/shared/architecture/testenv"
)

type Local struct {
	Image string

	sam      string
	folder   string
	template template
	engine   *Engine
	gateway  *gateway
	written  int
}

func Open(ctx context.Context, config string, log io.Writer) (*Local, error) {
	sam, err := testenv.FindTool("sam", "bin", "sam")
	if err != nil {
		return nil, fmt.Errorf("find SAM's command line: %w", err)
	}
	l := &Local{sam: sam}
	if l.folder, err = os.MkdirTemp("", "verdetto-sam-*"); err != nil {
		return nil, fmt.Errorf("make a folder for SAM: %w", err)
	}
	fail := func(err error) (*Local, error) { return nil, errors.Join(err, l.Close()) }
	if l.engine, err = OpenEngine(ctx); err != nil {
		return fail(err)
	}
	fmt.Fprintln(log, "the base image")
	if l.Image, err = l.engine.baseImage(ctx); err != nil {
		return fail(err)
	}
	if l.gateway, err = openGateway(l.engine.Address(ctx)); err != nil {
		return fail(err)
	}
	fmt.Fprintln(log, "the executables, and the template that names them")
	if l.template, err = synthesize(ctx, config, l.folder); err != nil {
		return fail(err)
	}
	return l, nil
}

// Close leaves Lambda's container image in the Docker engine.
func (l *Local) Close() error {
	if l.gateway != nil {
		l.gateway.close()
	}
	return os.RemoveAll(l.folder)
}

// Invoke writes the function's log to logs, and after a failure all output of SAM.
func (l *Local) Invoke(ctx context.Context, function string, environment []string, event string,
	logs io.Writer) ([]byte, error) {
	file, err := l.prepare(environment)
	if err != nil {
		return nil, err
	}
	var answer, output bytes.Buffer
	command := l.command(ctx, "invoke", LogicalID(function), "-t", file, "-e", event)
	command.Stdout, command.Stderr = &answer, &output
	err = command.Run()
	payload := bytes.TrimSpace(answer.Bytes())
	if err == nil && len(payload) == 0 {
		err = errors.New("the function did not answer")
	}
	if err != nil {
		_, _ = logs.Write(output.Bytes())
		return nil, fmt.Errorf("sam local invoke: %w", err)
	}
	if _, err := logs.Write(logged(output.Bytes())); err != nil {
		return nil, fmt.Errorf("write logs: %w", err)
	}
	return payload, nil
}

// SAM prints the function's log after the line that names the container.
func logged(output []byte) []byte {
	_, within, _ := bytes.Cut(output, []byte("\nSAM_CONTAINER_ID: "))
	_, within, _ = bytes.Cut(within, []byte("\n"))
	return LogOfFunctions(within)
}

// If an executable is stopped while it waits for an event, LogOfFunctions removes the executable's
// last line, because AWS would freeze the executable instead.
func LogOfFunctions(output []byte) (lines []byte) {
	for line := range bytes.Lines(output) {
		if len(bytes.TrimSpace(line)) > 0 && !aroundEvent.Match(line) {
			lines = append(lines, line...)
		}
	}
	return lines
}

var aroundEvent = regexp.MustCompile(`^(START|END|REPORT) RequestId: |\(rapid\)` +
	`|^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d failed to get the next invoke: Get "http://127\.0\.0\.1:9001/2018-06-01/runtime/invocation/next": `)

const listenTime = 3 * time.Minute

// Start waits until SAM listens. verb is start-api or start-lambda. The caller must call stop.
func (l *Local) Start(ctx context.Context, verb string, environment []string, logs io.Writer,
	args ...string) (address string, stop func(), err error) {
	file, err := l.prepare(environment)
	if err != nil {
		return "", nil, err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0") // SAM needs a port number
	if err != nil {
		return "", nil, fmt.Errorf("find a port: %w", err)
	}
	address = free.Addr().String()
	free.Close()
	args = append(args, "-t", file, "--host", "127.0.0.1", "--port", strings.TrimPrefix(address, "127.0.0.1:"),
		"--warm-containers", "LAZY")
	// One interrupt signal lets SAM remove its containers. A second signal, which a terminal sends
	// to its process group, would end SAM with a traceback.
	running, interrupt := context.WithCancel(context.WithoutCancel(ctx))
	command := l.command(running, verb, args...)
	command.Stdout, command.Stderr = logs, logs
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	if err := command.Start(); err != nil {
		interrupt()
		return "", nil, fmt.Errorf("sam local %s: %w", verb, err)
	}
	ended := make(chan struct{})
	go func() {
		_ = command.Wait()
		close(ended)
	}()
	stop = func() {
		interrupt()
		<-ended
	}
	ctx, cancel := context.WithTimeout(ctx, listenTime)
	defer cancel()
	for {
		if connection, err := net.Dial("tcp", address); err == nil {
			connection.Close()
			return address, stop, nil
		}
		select {
		case <-ended:
			interrupt()
			return "", nil, fmt.Errorf("sam local %s ended", verb)
		case <-ctx.Done():
			stop()
			return "", nil, fmt.Errorf("sam local %s: %w", verb, ctx.Err())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func (l *Local) prepare(environment []string) (file string, err error) {
	reachable := map[string]string{"SSL_CERT_FILE": "/var/task/" + certificateFile}
	for _, v := range environment {
		name, value, _ := strings.Cut(v, "=")
		if reachable[name], err = l.gateway.reach(value); err != nil {
			return "", err
		}
	}
	l.written++ // a running SAM may still read the earlier templates
	file = filepath.Join(l.folder, "cdk.out", fmt.Sprintf("local-%d.template.json", l.written))
	return file, l.template.write(file, reachable, l.gateway.certificate)
}

func (l *Local) command(ctx context.Context, verb string, args ...string) *exec.Cmd {
	args = append([]string{"local", verb}, args...)
	args = append(args, "--skip-pull-image", "--invoke-image", l.Image, "--add-host", gatewayName+":host-gateway",
		"--region", localcloud.Region,
		// 127.0.0.1 has no DNS server, so containers resolve only the gateway's name.
		"--container-dns", "127.0.0.1")
	command := exec.CommandContext(ctx, l.sam, args...)
	// SAM prefers the caller's variables, and the caller may have an AWS account.
	command.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "DOCKER_HOST=" + l.engine.Host,
		"AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local", "AWS_EC2_METADATA_DISABLED=true",
		"SAM_CLI_TELEMETRY=0", "__SAM_CLI_APP_DIR=" + l.folder,
	}
	return command
}
