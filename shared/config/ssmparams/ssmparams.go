// Package ssmparams reads secrets from the parameter store of AWS Systems Manager,
// decrypted, ten at a time, which is as many as it gives at once.
//
// It speaks the one call that it needs by itself: the SDK's client of the whole
// service adds to every start two thirds of what the least function takes in all,
// whether or not it is used (TestProveStartUp in e2e/lambda).
package ssmparams

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"verdetto/shared/awsenv"
	"verdetto/shared/config"
)

const (
	atOnce  = 10
	tries   = 3
	patient = 2 * time.Second // for one try
)

// In reads from the account and region of settings.
func In(settings aws.Config) config.Secrets {
	return func(ctx context.Context, names []string) (map[string]string, error) {
		values := make(map[string]string, len(names))
		for len(names) > 0 {
			some := names[:min(len(names), atOnce)]
			names = names[len(some):]
			if err := read(ctx, settings, some, values); err != nil {
				return nil, fmt.Errorf("read parameters: %w", err)
			}
		}
		return values, nil
	}
}

// read asks until there is an answer that is final.
func read(ctx context.Context, settings aws.Config, names []string, values map[string]string) error {
	pause := 100 * time.Millisecond
	for try := 1; ; try++ {
		again, err := once(ctx, settings, names, values)
		if err == nil || !again || try == tries {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
			pause *= 3
		}
	}
}

// once asks once, and says of an error whether asking again may help.
func once(ctx context.Context, settings aws.Config, names []string, values map[string]string) (again bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patient)
	defer cancel()
	request, err := signed(ctx, settings, names)
	if err != nil {
		return false, err
	}
	client := settings.HTTPClient
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return true, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return true, err
	}
	if response.StatusCode != http.StatusOK {
		var fault struct {
			Type    string `json:"__type"`
			Message string `json:"message"`
		}
		_ = json.Unmarshal(body, &fault) // its status says enough
		throttled := strings.Contains(fault.Type, "Throttling")
		return throttled || response.StatusCode >= 500, fmt.Errorf("status %d: %s %s", response.StatusCode, fault.Type, fault.Message)
	}
	var answer struct {
		Parameters []struct{ Name, Value string }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return true, fmt.Errorf("read answer: %w", strip(err))
	}
	for _, p := range answer.Parameters {
		values[p.Name] = p.Value
	}
	return false, nil
}

// strip keeps what a parser says of an answer's content, which is secret, out of an error.
func strip(err error) error { return fmt.Errorf("it is not as it should be (%T)", err) }

// signed is the request for the values of some names.
func signed(ctx context.Context, settings aws.Config, names []string) (*http.Request, error) {
	body, err := json.Marshal(map[string]any{"Names": names, "WithDecryption": true})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint(settings), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-amz-json-1.1")
	request.Header.Set("X-Amz-Target", "AmazonSSM.GetParameters")
	keys, err := settings.Credentials.Retrieve(ctx)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	if err := v4.NewSigner().SignHTTP(ctx, keys, request, hex.EncodeToString(sum[:]), "ssm", settings.Region, time.Now()); err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	return request, nil
}

// endpoint is where the service is.
func endpoint(settings aws.Config) string {
	if settings.BaseEndpoint != nil {
		return strings.TrimSuffix(*settings.BaseEndpoint, "/") + "/"
	}
	if url := awsenv.Endpoint("SSM"); url != "" {
		return strings.TrimSuffix(url, "/") + "/"
	}
	domain := "amazonaws.com"
	if strings.HasPrefix(settings.Region, "cn-") {
		domain += ".cn"
	}
	return "https://ssm." + settings.Region + "." + domain + "/"
}
