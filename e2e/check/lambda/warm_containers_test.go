package lambda

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"verdetto/cmd/lambdalocal/localcloud"
	"verdetto/cmd/lambdalocal/samlocal"
)

// warm keeps each function in one container.
type warm struct {
	client *lambda.Client
	log    string // SAM writes the output of containers to this file
	read   int
	stop   func()
}

func startWarm(ctx context.Context, local *samlocal.Local, environment []string, log string) (*warm, error) {
	w := &warm{log: log}
	var output bytes.Buffer
	address, stop, err := local.Start(ctx, "start-lambda", environment, &output, "--log-file", w.log, "--no-watch")
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, output.Bytes())
	}
	w.stop = stop
	w.client = lambda.New(lambda.Options{
		// A slow call must not be repeated.
		Region: localcloud.Region, BaseEndpoint: aws.String("http://" + address), RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	return w, nil
}

func (w *warm) Invoke(ctx context.Context, function string, event []byte) ([]byte, error) {
	out, err := w.client.Invoke(ctx, &lambda.InvokeInput{FunctionName: aws.String(samlocal.LogicalID(function)), Payload: event})
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

// Lines of an Invoke may still be missing when Invoke returns, so Logs must be called again.
func (w *warm) Logs(to io.Writer) error {
	all, err := os.ReadFile(w.log)
	if err != nil {
		return fmt.Errorf("read logs: %w", err)
	}
	whole := bytes.LastIndexByte(all, '\n') + 1 // the last line may be incomplete
	lines := samlocal.LogOfFunctions(all[w.read:whole])
	w.read = whole
	if _, err := to.Write(lines); err != nil {
		return fmt.Errorf("write logs: %w", err)
	}
	return nil
}

// Close may be called twice.
func (w *warm) Close() { w.stop() }
