package samlocal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"verdetto/cmd/lambdalocal/localcloud"
)

// Warm is the functions of the template as SAM keeps them for its stand-in for
// Lambda's interface: each in one container, which begins with its first event and
// answers all that follow, as an instance on Lambda does.
type Warm struct {
	client *lambda.Client
	log    string // the file that SAM writes what containers say to
	read   int    // of it, by Logs
	stop   func()
}

// listenTime is how long SAM may take to listen.
const listenTime = time.Minute

// StartLambda starts them with an environment. Close ends it.
func (l *Local) StartLambda(ctx context.Context, environment []string) (*Warm, error) {
	file, err := l.prepare(environment)
	if err != nil {
		return nil, err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0") // SAM asks for a port by number
	if err != nil {
		return nil, fmt.Errorf("find a port: %w", err)
	}
	address := free.Addr().String()
	free.Close()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("find a port: %w", err)
	}
	w := &Warm{log: filepath.Join(l.folder, "functions-"+port+".log")}
	w.client = lambda.New(lambda.Options{
		Region: localcloud.Region, BaseEndpoint: aws.String("http://" + address), RetryMaxAttempts: 1, // what answers late must not be asked twice
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	var said bytes.Buffer
	command := l.command(ctx, "start-lambda", "-t", file, "--host", "127.0.0.1", "--port", port, "--log-file", w.log,
		"--warm-containers", "LAZY", "--no-watch") // the template is not written again beneath it
	command.Stdout, command.Stderr = &said, &said
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) } // then it removes its containers
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("sam local start-lambda: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		_ = command.Wait() // it is told to end, or said why it did
		close(ended)
	}()
	w.stop = func() {
		_ = command.Process.Signal(os.Interrupt)
		<-ended
	}
	ctx, cancel := context.WithTimeout(ctx, listenTime)
	defer cancel()
	for {
		if connection, err := net.Dial("tcp", address); err == nil {
			connection.Close()
			return w, nil
		}
		select {
		case <-ended:
			return nil, fmt.Errorf("sam local start-lambda ended: %s", lastLine(said.String()))
		case <-ctx.Done():
			w.stop()
			return nil, fmt.Errorf("sam local start-lambda: %w: %s", ctx.Err(), lastLine(said.String()))
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// Invoke hands an event to a function through Lambda's interface, and gives its answer.
func (w *Warm) Invoke(ctx context.Context, function string, event []byte) ([]byte, error) {
	out, err := w.client.Invoke(ctx, &lambda.InvokeInput{FunctionName: aws.String(logicalID(function)), Payload: event})
	if err != nil {
		return nil, fmt.Errorf("invoke %s: %w", function, err)
	}
	if out.FunctionError != nil {
		return nil, fmt.Errorf("invoke %s: %s: %s", function, *out.FunctionError, out.Payload)
	}
	payload := bytes.TrimSpace(out.Payload)
	if len(payload) == 0 {
		return nil, errors.New("invoke " + function + ": the function did not answer")
	}
	return payload, nil
}

// Logs writes what functions have logged since it was called before. Lines come by
// another way than answers, and may be a moment later.
func (w *Warm) Logs(to io.Writer) error {
	all, err := os.ReadFile(w.log)
	if err != nil {
		return fmt.Errorf("read logs: %w", err)
	}
	whole := bytes.LastIndexByte(all, '\n') + 1 // the last line may be half there
	lines := ofFunctions(all[w.read:whole])
	w.read = whole
	if _, err := to.Write(lines); err != nil {
		return fmt.Errorf("write logs: %w", err)
	}
	return nil
}

// Close ends the containers, once or again. What they have logged can still be asked for.
func (w *Warm) Close() { w.stop() }

// lastLine is the last of a text that says something.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
