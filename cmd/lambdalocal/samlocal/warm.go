package samlocal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

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

// StartLambda starts them with an environment. Close ends it.
func (l *Local) StartLambda(ctx context.Context, environment []string) (*Warm, error) {
	w := &Warm{log: filepath.Join(l.folder, fmt.Sprintf("functions-%d.log", l.written))}
	var said bytes.Buffer
	address, stop, err := l.start(ctx, "start-lambda", environment, &said, "--log-file", w.log, "--no-watch") // the template is not written again beneath it
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, said.Bytes())
	}
	w.stop = stop
	w.client = lambda.New(lambda.Options{
		Region: localcloud.Region, BaseEndpoint: aws.String("http://" + address), RetryMaxAttempts: 1, // what answers late must not be asked twice
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	return w, nil
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
