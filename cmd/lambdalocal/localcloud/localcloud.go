// Package localcloud creates the AWS resources that Lambda executables need besides the table: an
// identity to send mail from, queues, and secrets in the Parameter Store. It creates them in a
// local server that answers like AWS.
//
// An executable then gets its secrets by name alone, as on AWS. Start reading at New.
package localcloud

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"

	"verdetto/shared/runtime/config/parameters"
)

// Region is the AWS region of all local resources.
const Region = "eu-south-1"

type Cloud struct {
	Queues             *sqs.Client
	Refreshes, Workers string // URLs of queues
	Environment        []string
}

// If environment sets a variable twice, New uses the later value.
func New(ctx context.Context, endpoint, service string, environment []string) (*Cloud, error) {
	settings := aws.Config{
		Region: Region, BaseEndpoint: aws.String(endpoint),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	}
	c := &Cloud{Queues: sqs.NewFromConfig(settings)}
	if _, err := sesv2.NewFromConfig(settings).CreateEmailIdentity(ctx,
		&sesv2.CreateEmailIdentityInput{EmailIdentity: aws.String("verdetto.example")}); err != nil {
		return nil, fmt.Errorf("make identity: %w", err)
	}
	for name, url := range map[string]*string{"refreshes": &c.Refreshes, "workers": &c.Workers} {
		out, err := c.Queues.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String(name)})
		if err != nil {
			return nil, fmt.Errorf("make queue: %w", err)
		}
		*url = aws.ToString(out.QueueUrl)
	}
	c.Environment = []string{
		"AWS_ENDPOINT_URL_SESV2=" + endpoint, "AWS_ENDPOINT_URL_SQS=" + endpoint, "AWS_ENDPOINT_URL_SSM=" + endpoint,
		"VERDETTO_QUEUE_URL=" + c.Refreshes, "VERDETTO_WORK_QUEUE_URL=" + c.Workers,
	}
	given := map[string]string{}
	for _, v := range environment {
		name, value, _ := strings.Cut(v, "=")
		given[name] = value
	}
	store := ssm.NewFromConfig(settings)
	for _, p := range parameters.Table {
		value, ok := given[p.Variable]
		if !ok {
			continue
		}
		if _, err := store.PutParameter(ctx, &ssm.PutParameterInput{
			Overwrite: aws.Bool(true), Name: aws.String(p.Path(service)), Value: aws.String(value),
			Type: types.ParameterTypeSecureString,
		}); err != nil {
			return nil, fmt.Errorf("put parameter %s: %w", p.Path(service), err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value := given[name]
		if i := slices.IndexFunc(parameters.Table, func(p parameters.Parameter) bool { return p.Variable == name }); i >= 0 {
			// Of two parameters for the same variable, use the first.
			value = "ssm:" + parameters.Table[i].Path(service)
		}
		c.Environment = append(c.Environment, name+"="+value)
	}
	return c, nil
}
