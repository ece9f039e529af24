package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"

	"verdetto/shared/mail/sesmail/motolocal"
)

// cloud is moto in the place of SES, SQS and SSM for one executable.
type cloud struct {
	endpoint           string
	queues             *sqs.Client
	refreshes, workers string // queues
	environment        []string
}

// secret says which variables hold secrets, so that executables are given them by name.
var secret = []string{"VERDETTO_PEPPER", "VERDETTO_ORIGIN_SECRETS", "STRIPE_KEY", "STRIPE_WEBHOOK_SECRETS", "TRAVELPAYOUTS_TOKEN"}

// newCloud makes one that is empty but for an identity to send mail from, two
// queues, and the secrets of an environment, which then holds their names in their places.
func newCloud(t *testing.T, environment []string) *cloud {
	t.Helper()
	c := &cloud{endpoint: motolocal.Endpoint(t)}
	settings := aws.Config{
		Region: motolocal.Region, BaseEndpoint: aws.String(c.endpoint),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	}
	if _, err := sesv2.NewFromConfig(settings).CreateEmailIdentity(t.Context(), &sesv2.CreateEmailIdentityInput{EmailIdentity: aws.String("verdetto.example")}); err != nil {
		t.Fatal(err)
	}
	c.queues = sqs.NewFromConfig(settings)
	for name, url := range map[string]*string{"refreshes": &c.refreshes, "workers": &c.workers} {
		out, err := c.queues.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String(name)})
		if err != nil {
			t.Fatal(err)
		}
		*url = aws.ToString(out.QueueUrl)
	}
	parameters := ssm.NewFromConfig(settings)
	c.environment = []string{
		"AWS_ENDPOINT_URL_SESV2=" + c.endpoint, "AWS_ENDPOINT_URL_SQS=" + c.endpoint, "AWS_ENDPOINT_URL_SSM=" + c.endpoint,
		"VERDETTO_QUEUE_URL=" + c.refreshes, "VERDETTO_WORK_QUEUE_URL=" + c.workers,
	}
	given := map[string]string{} // a later value goes before
	for _, v := range environment {
		name, value, _ := strings.Cut(v, "=")
		given[name] = value
	}
	for name, value := range given {
		if slices.Contains(secret, name) {
			if _, err := parameters.PutParameter(t.Context(), &ssm.PutParameterInput{
				Name: aws.String("/verdetto/" + name), Value: aws.String(value), Type: types.ParameterTypeSecureString,
			}); err != nil {
				t.Fatal(err)
			}
			value = "ssm:/verdetto/" + name
		}
		c.environment = append(c.environment, name+"="+value)
	}
	return c
}

// messages takes what is on a queue, in order of the bodies.
func (c *cloud) messages(t *testing.T, url string) (bodies []string) {
	t.Helper()
	for {
		out, err := c.queues.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: aws.String(url), MaxNumberOfMessages: 10})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Messages) == 0 {
			slices.Sort(bodies)
			return bodies
		}
		for _, m := range out.Messages {
			bodies = append(bodies, aws.ToString(m.Body))
		}
	}
}

// mails gives the recipients of what was sent.
func (c *cloud) mails(t *testing.T) (to []string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.endpoint+"/moto-api/data.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Timeout: 10 * time.Second}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var all map[string]map[string]json.RawMessage
	if err := json.NewDecoder(response.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	raw, ok := all["ses"]["RawMessage"]
	if !ok {
		return nil
	}
	var mails []struct{ Destinations []string }
	if err := json.Unmarshal(raw, &mails); err != nil {
		t.Fatal(err)
	}
	for _, m := range mails {
		to = append(to, slices.Compact(m.Destinations)...) // moto notes those of the call and those of the mail
	}
	return to
}
