package awsenv_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"verdetto/shared/awsenv"
)

func environment(t *testing.T, values map[string]string) {
	t.Helper()
	for _, name := range []string{"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_SQS", "AWS_ENDPOINT_URL_SESV2"} {
		t.Setenv(name, values[name])
	}
}

func TestWithoutWhatLambdaGives(t *testing.T) {
	environment(t, nil)
	if _, err := awsenv.Settings(); err == nil || !strings.Contains(err.Error(), "AWS_REGION") {
		t.Errorf("error %v", err)
	}
	environment(t, map[string]string{"AWS_REGION": "eu-south-1", "AWS_ACCESS_KEY_ID": "id"})
	settings, err := awsenv.Settings()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := settings.Credentials.Retrieve(t.Context()); err == nil || !strings.Contains(err.Error(), "AWS_SECRET_ACCESS_KEY") {
		t.Errorf("error %v", err)
	}
}

// TestClients: the SDK's clients sign with the role's credentials, and go to the
// addresses that the environment gives, a service's own before the common one.
func TestClients(t *testing.T) {
	var asked []*http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r)
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		_, _ = w.Write([]byte(`{}`))
	}))
	defer server.Close()
	environment(t, map[string]string{
		"AWS_REGION": "eu-south-1", "AWS_ACCESS_KEY_ID": "the-id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "the-session",
		"AWS_ENDPOINT_URL": server.URL + "/common", "AWS_ENDPOINT_URL_SQS": server.URL + "/sqs",
	})
	settings, err := awsenv.Settings()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := sqs.NewFromConfig(settings).ListQueues(ctx, &sqs.ListQueuesInput{}); err != nil {
		t.Fatal(err)
	}
	if _, err := sesv2.NewFromConfig(settings).GetAccount(ctx, &sesv2.GetAccountInput{}); err != nil {
		t.Fatal(err)
	}
	for i, path := range []string{"/sqs", "/common/v2/email/account"} {
		r := asked[i]
		if r.URL.Path != path || r.Header.Get("X-Amz-Security-Token") != "the-session" || !strings.Contains(r.Header.Get("Authorization"), "Credential=the-id/") ||
			!strings.Contains(r.Header.Get("Authorization"), "/eu-south-1/") {
			t.Errorf("request %d: %s %v", i, r.URL.Path, r.Header)
		}
	}
}
