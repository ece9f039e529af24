package lambda

import (
	"bytes"
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

	"verdetto/cmd/verdetto/runtimeapi"
	"verdetto/e2e/fixture"
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

// TestExecutablesSayAllThatIsWrong: an executable that is set up badly does not
// start, and says in its log everything that is wrong, secrets that are not there
// among it, and no secret.
func TestExecutablesSayAllThatIsWrong(t *testing.T) {
	c := newCloud(t, []string{"VERDETTO_PEPPER=too-short-to-be-a-pepper", "STRIPE_KEY=sk_test_0123456789abcdef"})
	environment := append(c.environment,
		"AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local", "AWS_EC2_METADATA_DISABLED=true",
		"VERDETTO_ORIGIN_SECRETS=ssm:/verdetto/nobody-put-it-there", "VERDETTO_BASE_URL=http://verdetto.example/", "TRAVELPAYOUTS_TOKEN=ssm:/verdetto/none-either",
		"VERDETTO_WORKERS=0", "VERDETTO_QUEUE_URL=refreshes", "VERDETTO_WORK_QUEUE_URL=workers",
	)
	for function, says := range map[string][]string{
		"analisi": {"VERDETTO_TABLE", "VERDETTO_ORIGIN_SECRETS: there is no secret named /verdetto/nobody-put-it-there", "VERDETTO_PEPPER: it has fewer than 32"},
		"refresh": {"VERDETTO_TABLE", "TRAVELPAYOUTS_TOKEN: there is no secret named /verdetto/none-either", "VERDETTO_WORKERS: 0", `VERDETTO_QUEUE_URL: "refreshes"`},
		"pro":     {"VERDETTO_TABLE", "VERDETTO_ORIGIN_SECRETS: there is", "VERDETTO_PEPPER: it has", "VERDETTO_BASE_URL", "STRIPE_PRICE", "SOLANA_NODES", "VERDETTO_MAIL_FROM", `VERDETTO_WORK_QUEUE_URL: "workers"`},
	} {
		t.Run(function, func(t *testing.T) {
			var logs bytes.Buffer
			process, err := runtimeapi.Start(t.Context(), fixture.Executable(t, "functions/"+function+"/bootstrap"), environment, &logs)
			if err == nil {
				process.Close()
				t.Fatal("it started")
			}
			for _, say := range says {
				if !strings.Contains(logs.String(), say) {
					t.Errorf("it does not say %q:\n%s", say, &logs)
				}
			}
			for _, secret := range []string{"too-short-to-be", "sk_test"} {
				if strings.Contains(logs.String(), secret) {
					t.Errorf("it tells %q:\n%s", secret, &logs)
				}
			}
		})
	}
}
