// Package awsenv gives the AWS configuration that Lambda puts into a function's
// environment: region, credentials, and addresses where they are overridden.
//
// The SDK's own loader also looks at files, instance metadata and single sign-on,
// none of which a function has, and costs a start half as much again as the least
// function takes in all (TestProveStartUp in e2e/lambda). This looks at nothing else.
package awsenv

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Settings reads the environment. It asks nobody anything.
func Settings() (aws.Config, error) {
	region := os.Getenv("AWS_REGION")
	if region == "" {
		return aws.Config{}, errors.New("AWS_REGION is not set, as Lambda sets it")
	}
	return aws.Config{
		Region:        region,
		Credentials:   aws.CredentialsProviderFunc(credentials),
		ConfigSources: []any{endpoints{}},
	}, nil
}

// credentials are those of the function's role. Lambda ends a process before they
// expire, and gives the next one others.
func credentials(context.Context) (aws.Credentials, error) {
	c := aws.Credentials{
		AccessKeyID: os.Getenv("AWS_ACCESS_KEY_ID"), SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY"), SessionToken: os.Getenv("AWS_SESSION_TOKEN"),
		Source: "environment",
	}
	if !c.HasKeys() {
		return aws.Credentials{}, errors.New("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, as Lambda sets them")
	}
	return c, nil
}

// endpoints is asked by the SDK's clients where their service is.
type endpoints struct{}

// GetServiceBaseEndpoint gives what AWS_ENDPOINT_URL_<SERVICE> or AWS_ENDPOINT_URL says.
func (endpoints) GetServiceBaseEndpoint(_ context.Context, service string) (string, bool, error) {
	url := Endpoint(service)
	return url, url != "", nil
}

// Endpoint is the address that stands in for a service's own; mostly there is none.
func Endpoint(service string) string {
	name := strings.ToUpper(strings.ReplaceAll(service, " ", "_"))
	for _, variable := range []string{"AWS_ENDPOINT_URL_" + name, "AWS_ENDPOINT_URL"} {
		if url := os.Getenv(variable); url != "" {
			return url
		}
	}
	return ""
}
