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
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"verdetto/cmd/lambdalocal/localcloud"
	"verdetto/cmd/lambdalocal/runtimeapi"
	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail/sesmail/motolocal"
)

// cloud is moto, a local imitation of AWS, in place of SES, SQS and SSM.
type cloud struct {
	*localcloud.Cloud
	endpoint string
}

func newCloud(t *testing.T, environment []string) *cloud {
	t.Helper()
	endpoint := motolocal.Endpoint(t)
	made, err := localcloud.New(t.Context(), endpoint, "verdetto", environment)
	if err != nil {
		t.Fatal(err)
	}
	return &cloud{made, endpoint}
}

func (c *cloud) messages(t *testing.T, url string) (bodies []string) {
	t.Helper()
	for {
		out, err := c.Queues.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: aws.String(url), MaxNumberOfMessages: 10})
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
		to = append(to, slices.Compact(m.Destinations)...)
	}
	return to
}

func TestExecutablesSayAllThatIsWrong(t *testing.T) {
	c := newCloud(t, []string{"VERDETTO_PEPPER=too-short-to-be-a-pepper", "STRIPE_KEY=sk_test_0123456789abcdef"})
	environment := append(c.Environment,
		"AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local", "AWS_EC2_METADATA_DISABLED=true",
		"VERDETTO_ORIGIN_SECRETS=ssm:/verdetto/nobody-put-it-there", "VERDETTO_BASE_URL=http://verdetto.example/", "TRAVELPAYOUTS_TOKEN=ssm:/verdetto/none-either",
		"SOLANA_WALLET=11111111111111111111111111111111", "VERDETTO_WORKERS=0", "VERDETTO_QUEUE_URL=refreshes", "VERDETTO_WORK_QUEUE_URL=workers",
	)
	for function, says := range map[string][]string{
		"analisi": {"VERDETTO_TABLE", "VERDETTO_ORIGIN_SECRETS: there is no secret named /verdetto/nobody-put-it-there", "VERDETTO_PEPPER: its value, which is not shown, is not 32"},
		"refresh": {"VERDETTO_TABLE", "TRAVELPAYOUTS_TOKEN: there is no secret named /verdetto/none-either", `VERDETTO_WORKERS: "0"`, `VERDETTO_QUEUE_URL: "refreshes"`},
		"pro":     {"VERDETTO_TABLE", "VERDETTO_ORIGIN_SECRETS: there is", "VERDETTO_PEPPER: its value", "VERDETTO_BASE_URL", "STRIPE_PRICE", "SOLANA_NODES", "VERDETTO_MAIL_FROM", `VERDETTO_WORK_QUEUE_URL: "workers"`},
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
