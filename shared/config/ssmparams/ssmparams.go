// Package ssmparams reads secrets from the parameter store of AWS Systems Manager,
// decrypted, ten at a time, which is as many as it gives at once.
//
// It promises that nothing is set up before a secret is asked for: a function
// without secrets pays nothing for it at its start.
package ssmparams

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ssm"

	"verdetto/shared/config"
)

const atOnce = 10

// In reads from the account and region of settings.
func In(settings aws.Config) config.Secrets {
	return func(ctx context.Context, names []string) (map[string]string, error) {
		client := ssm.NewFromConfig(settings)
		values := make(map[string]string, len(names))
		for len(names) > 0 {
			some := names[:min(len(names), atOnce)]
			names = names[len(some):]
			out, err := client.GetParameters(ctx, &ssm.GetParametersInput{Names: some, WithDecryption: aws.Bool(true)})
			if err != nil {
				return nil, fmt.Errorf("read parameters: %w", err)
			}
			for _, p := range out.Parameters {
				values[aws.ToString(p.Name)] = aws.ToString(p.Value)
			}
		}
		return values, nil
	}
}
