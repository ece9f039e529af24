// Package runtimeapi runs a Lambda executable on this machine without a container. It serves
// the Lambda Runtime API on loopback. Start reading at Start.
package runtimeapi

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"time"
)

type Process struct {
	command *exec.Cmd
	server  *http.Server
	events  chan invocation
	exited  chan struct{}
	exit    error
	initErr chan string
	ready   chan struct{} // closed when the executable first asks for work
}

type invocation struct {
	id, event string
	deadline  time.Time
	answer    chan Answer
}

type Answer struct {
	Payload []byte
	Error   string // empty on success
}

// Start waits until the executable requests its first event.
func Start(ctx context.Context, executable string, environment []string, logs io.Writer) (*Process, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the runtime: %w", err)
	}
	p := &Process{
		events:  make(chan invocation),
		exited:  make(chan struct{}),
		initErr: make(chan string, 1),
		ready:   make(chan struct{}),
	}
	p.server = &http.Server{Handler: p.api(), ReadHeaderTimeout: 10 * time.Second}
	go p.server.Serve(listener)

	p.command = exec.Command(executable)
	p.command.Env = append([]string{
		"AWS_LAMBDA_RUNTIME_API=" + listener.Addr().String(),
		"AWS_LAMBDA_FUNCTION_NAME=verdetto-local", "AWS_LAMBDA_FUNCTION_VERSION=$LATEST",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE=256", "AWS_LAMBDA_LOG_STREAM_NAME=local", "AWS_LAMBDA_LOG_GROUP_NAME=local",
		"AWS_LAMBDA_LOG_FORMAT=JSON", "AWS_REGION=eu-south-1", "PATH=" + os.Getenv("PATH"), "TZ=UTC",
	}, environment...)
	p.command.Stdout, p.command.Stderr = logs, logs
	if err := p.command.Start(); err != nil {
		p.server.Close()
		return nil, fmt.Errorf("start %s: %w", executable, err)
	}
	go func() {
		if p.exit = p.command.Wait(); p.exit == nil {
			p.exit = errors.New("exit status 0")
		}
		close(p.exited)
	}()
	select {
	case <-p.ready:
		return p, nil
	case reason := <-p.initErr:
		p.Close()
		return nil, fmt.Errorf("the function did not start: %s", reason)
	case <-p.exited:
		p.server.Close()
		return nil, fmt.Errorf("the function ended before it asked for work: %w", p.exit)
	case <-ctx.Done():
		p.Close()
		return nil, fmt.Errorf("start %s: %w", executable, ctx.Err())
	}
}

func (p *Process) Invoke(ctx context.Context, event []byte) (Answer, error) {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(15 * time.Minute)
	}
	call := invocation{rand.Text(), string(event), deadline, make(chan Answer, 1)}
	select {
	case p.events <- call:
	case <-p.exited:
		return Answer{}, fmt.Errorf("invoke: the function has ended: %w", p.exit)
	case <-ctx.Done():
		return Answer{}, fmt.Errorf("invoke: %w", ctx.Err())
	}
	select {
	case a := <-call.answer:
		return a, nil
	case <-p.exited:
		return Answer{}, fmt.Errorf("invoke: the function ended before it answered: %w", p.exit)
	case <-ctx.Done():
		return Answer{}, fmt.Errorf("invoke: %w", ctx.Err())
	}
}

func (p *Process) Pid() int { return p.command.Process.Pid }

// CPU waits until the executable has ended.
func (p *Process) CPU() time.Duration {
	<-p.exited
	return p.command.ProcessState.UserTime() + p.command.ProcessState.SystemTime()
}

// Close kills the executable at once, as Lambda can.
func (p *Process) Close() error {
	_ = p.command.Process.Kill()
	<-p.exited
	return p.server.Close()
}

func (p *Process) api() http.Handler {
	const base = "/2018-06-01/runtime/"
	waiting := make(chan invocation, 1)
	first := true
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+base+"invocation/next", func(w http.ResponseWriter, r *http.Request) {
		if first { // needs no lock: the runtime asks for one event at a time
			first = false
			close(p.ready)
		}
		select {
		case call := <-p.events:
			waiting <- call
			h := w.Header()
			h.Set("Lambda-Runtime-Aws-Request-Id", call.id)
			h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(call.deadline.UnixMilli(), 10))
			h.Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:eu-south-1:000000000000:function:verdetto-local")
			h.Set("Content-Type", "application/json")
			io.WriteString(w, call.event)
		case <-r.Context().Done():
		}
	})
	reply := func(answer func([]byte) Answer) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			call := <-waiting
			if err != nil || call.id != r.PathValue("id") {
				http.Error(w, "not the event that is out", http.StatusBadRequest)
				call.answer <- Answer{Error: "the function answered another event"}
				return
			}
			w.WriteHeader(http.StatusAccepted)
			call.answer <- answer(body)
		}
	}
	mux.HandleFunc("POST "+base+"invocation/{id}/response", reply(func(b []byte) Answer { return Answer{Payload: b} }))
	mux.HandleFunc("POST "+base+"invocation/{id}/error", reply(func(b []byte) Answer { return Answer{Error: string(b)} }))
	mux.HandleFunc("POST "+base+"init/error", func(w http.ResponseWriter, r *http.Request) {
		var reason json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&reason); err != nil {
			reason = json.RawMessage(`"no reason given"`)
		}
		w.WriteHeader(http.StatusAccepted)
		p.initErr <- string(reason)
	})
	return mux
}
