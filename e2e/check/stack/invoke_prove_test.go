package stack

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	ssmtypes "github.com/aws/aws-sdk-go-v2/service/ssm/types"

	"verdetto/cmd/lambdalocal/samlocal"
	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/carrier/mail/sesmail/motolocal"
	"verdetto/shared/runtime/config/parameters"
)

const motoImage = "verdetto/moto-lambda:al2023"

// Unlike AWS, moto checks no permissions.
func TestProveStackInvoked(t *testing.T) {
	testenv.Command(t, "node", "apt-get install nodejs")
	testenv.Tool(t, "moto", "bin", "python")
	var engine *samlocal.Engine
	fixture.WithEngine(t, func() (err error) {
		engine, err = samlocal.OpenEngine(t.Context())
		return err
	}, func() {
		settings := cloud(t, engine)
		stack := forMoto(synthesize(t, "Verdetto", nil))
		deployWith(t, settings, stack, func(function string) []byte { return zipped(t, function) })
		seed(t, settings)
		invoked(t, settings)
	})
}

func cloud(t *testing.T, engine *samlocal.Engine) aws.Config {
	t.Helper()
	entry, err := os.ReadFile(fixture.Executable(t, "e2e/check/stack/testdata/entry"))
	if err != nil {
		t.Fatal(err)
	}
	layer, err := samlocal.StandInLayer(map[string][]byte{"entry": entry})
	if err != nil {
		t.Fatal(err)
	}
	images := []string{motoImage}
	if _, err := engine.Docker(t.Context(), nil, "image", "inspect", "busybox"); err != nil {
		images = append(images, "busybox") // moto unpacks archives with busybox
	}
	for _, image := range images {
		entrypoint := `ENTRYPOINT ["/bin/entry"]`
		if image != motoImage {
			entrypoint = "ENTRYPOINT []"
		}
		if _, err := engine.Docker(t.Context(), layer, "import", "--change", entrypoint, "-", image); err != nil {
			t.Fatal(err)
		}
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(engine.Address(t.Context()), "0"))
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	endpoint, stop, err := motolocal.Start("DOCKER_HOST="+engine.Host, "MOTO_DOCKER_LAMBDA_IMAGE="+motoImage,
		"MOTO_DOCKER_NETWORK_MODE=bridge", "MOTO_PORT="+port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	behind, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0),
		Handler: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(behind) },
			ErrorLog: log.New(io.Discard, "", 0)}}
	go server.Serve(listener)
	t.Cleanup(func() { _ = server.Close() })
	return aws.Config{Region: "eu-west-1", BaseEndpoint: aws.String(endpoint),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""), RetryMaxAttempts: 1,
		HTTPClient: &http.Client{Timeout: 2 * time.Minute}}
}

func zipped(t *testing.T, function string) []byte {
	t.Helper()
	program, err := os.ReadFile(fixture.Executable(t, "functions/"+function+"/bootstrap"))
	if err != nil {
		t.Fatal(err)
	}
	var code bytes.Buffer
	archive := zip.NewWriter(&code)
	// moto fails if a file in the archive has no date.
	w, err := archive.CreateHeader(&zip.FileHeader{Name: "bootstrap", Method: zip.Deflate, Modified: time.Now()})
	if err == nil {
		_, err = w.Write(program)
	}
	if err == nil {
		err = archive.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return code.Bytes()
}

func seed(t *testing.T, settings aws.Config) {
	t.Helper()
	secrets := ssm.NewFromConfig(settings)
	for _, p := range parameters.Table {
		value := map[string]string{"origin-secrets": originSecret, "stripe-key": "sk_test_1",
			"stripe-webhook-secrets": "whsec_1", "solana-nodes": "https://node.example", "x402-fee-key": "off"}[p.Name]
		if value == "" {
			value = strings.Repeat(p.Name[:1], 32)
		}
		if _, err := secrets.PutParameter(t.Context(), &ssm.PutParameterInput{Name: aws.String(p.Path("verdetto")),
			Value: &value, Type: ssmtypes.ParameterTypeSecureString}); err != nil {
			t.Fatal(err)
		}
	}
}

const originSecret = "local-origin-secret" // as in the files of the folder events

func invoked(t *testing.T, settings aws.Config) {
	functions := lambda.NewFromConfig(settings)
	for _, c := range []struct {
		event  string
		status int
		says   string
	}{
		{"analisi", 404, `"rotta-non-coperta"`},
		{"analisi-direct", 403, `"code":`},
		{"pricetrends-index", 200, `"endpoints":`},
		{"compat-token", 200, `"access_token":"token_free_`},
		{"compat-metrics", 401, `"code":38190`},
		{"pro-contatti", 200, "help@verdetto.example.com"},
		{"alerts-unknown-city", 404, `"citta-sconosciuta"`},
		{"refresh-mail", 0, ""},
	} {
		t.Run(c.event, func(t *testing.T) {
			event, err := os.ReadFile(fixture.Path(t, "events", c.event+".json"))
			if err != nil {
				t.Fatal(err)
			}
			name, _, _ := strings.Cut(c.event, "-")
			out, err := functions.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: aws.String("verdetto-" + name),
				Payload: event, LogType: "Tail"})
			if err != nil {
				t.Fatal(err)
			}
			var answer struct {
				StatusCode int
				Body       string
			}
			if err := json.Unmarshal(out.Payload, &answer); err != nil || out.FunctionError != nil ||
				answer.StatusCode != c.status || !strings.Contains(answer.Body, c.says) {
				t.Errorf("%v %s %.1000s\n%s", err, aws.ToString(out.FunctionError), out.Payload,
					aws.ToString(out.LogResult))
			}
		})
	}

	counted, err := dynamodb.NewFromConfig(settings).Scan(t.Context(),
		&dynamodb.ScanInput{TableName: aws.String("verdetto")})
	if err != nil || counted.Count == 0 {
		t.Errorf("no call was counted in the stack's table: %v", err)
	}

	// moto deletes a message from the queue after the function has processed it.
	queues := sqs.NewFromConfig(settings)
	for name, body := range map[string]string{"pro": `{"work":true}`, "alerts": `{"work":true}`} {
		t.Run("queue of "+name, func(t *testing.T) {
			url, err := queues.GetQueueUrl(t.Context(),
				&sqs.GetQueueUrlInput{QueueName: aws.String("verdetto-" + name)})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := queues.SetQueueAttributes(t.Context(),
				&sqs.SetQueueAttributesInput{QueueUrl: url.QueueUrl,
					Attributes: map[string]string{"DelaySeconds": "0"}}); err != nil {
				t.Fatal(err)
			}
			before := len(streams(t, settings, name))
			if _, err := queues.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: url.QueueUrl,
				MessageBody: &body}); err != nil {
				t.Fatal(err)
			}
			is, err := queues.GetQueueAttributes(t.Context(),
				&sqs.GetQueueAttributesInput{QueueUrl: url.QueueUrl,
					AttributeNames: []sqstypes.QueueAttributeName{"All"}})
			if err != nil {
				t.Fatal(err)
			}
			if left := is.Attributes["ApproximateNumberOfMessages"]; left != "0" ||
				is.Attributes["ApproximateNumberOfMessagesNotVisible"] != "0" {
				t.Errorf("the message was not worked: %v", is.Attributes)
			}
			if after := len(streams(t, settings, name)); after != before+1 {
				t.Errorf("%d runs are in the log of %s, after %d", after, name, before)
			}
		})
	}
	if none := streams(t, settings, "refresh"); len(none) == 0 || slices.Contains(none, "") {
		t.Errorf("the log of refresh: %q", none)
	}
}

// moto creates one log stream for each invocation.
func streams(t *testing.T, settings aws.Config, function string) (names []string) {
	t.Helper()
	answer := call(t, *settings.BaseEndpoint, "logs", "Logs_20140328.DescribeLogStreams",
		map[string]any{"logGroupName": "/aws/lambda/verdetto-" + function})
	for _, s := range answer["logStreams"].([]any) {
		names = append(names, fmt.Sprint(s.(map[string]any)["logStreamName"]))
	}
	return names
}

func call(t *testing.T, endpoint, service, action string, inputs map[string]any) map[string]any {
	t.Helper()
	body, err := json.Marshal(inputs)
	if err != nil {
		t.Fatal(err)
	}
	response, text := fixture.Call(t, http.DefaultClient, "POST", endpoint, string(body), "X-Amz-Target", action,
		"Content-Type", "application/x-amz-json-1.1",
		"Authorization",
		"AWS4-HMAC-SHA256 Credential=local/20261121/eu-west-1/"+service+"/aws4_request, SignedHeaders=host, "+
			"Signature=0")
	answer := map[string]any{}
	if err := json.Unmarshal([]byte(text), &answer); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v %v", action, response.Status, answer, err)
	}
	return answer
}
