// Package ssmparams reads and decrypts secrets from the Parameter Store of AWS Systems Manager, in
// batches of ten, the maximum per call.
package ssmparams

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/smithy-go"

	"verdetto/shared/runtime/config"
)

const (
	batchNames = 10
	tryTimeout = 2 * time.Second // for each of the SDK's three tries
)

func NewReader(settings aws.Config) config.Secrets {
	return func(ctx context.Context, names []string) (map[string]string, error) {
		client := ssm.NewFromConfig(settings, limitTry)
		values := make(map[string]string, len(names))
		for len(names) > 0 {
			batch := names[:min(len(names), batchNames)]
			names = names[len(batch):]
			out, err := client.GetParameters(ctx, &ssm.GetParametersInput{Names: batch, WithDecryption: aws.Bool(true)})
			if err != nil {
				return nil, fmt.Errorf("read parameters: %w", withoutContent(err))
			}
			for _, p := range out.Parameters {
				values[aws.ToString(p.Name)] = aws.ToString(p.Value)
			}
		}
		return values, nil
	}
}

// The SDK's HTTP client has no timeout for a try by default.
func limitTry(o *ssm.Options) {
	if client, ok := o.HTTPClient.(*awshttp.BuildableClient); ok {
		o.HTTPClient = client.WithTimeout(tryTimeout)
	}
}

// withoutContent removes the text of parser errors, which may quote secrets.
func withoutContent(err error) error {
	var malformed *smithy.DeserializationError
	if errors.As(err, &malformed) {
		return errors.New("the answer is malformed")
	}
	return err
}
