// Package check tests package ssmparams with moto, which stands in for the Parameter Store.
package check

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"
	"github.com/google/go-cmp/cmp"

	"verdetto/shared/carrier/mail/sesmail/motolocal"
	"verdetto/shared/runtime/config"
	"verdetto/shared/runtime/config/ssmparams"
)

type counted struct{ n atomic.Int32 }

func (c *counted) RoundTrip(r *http.Request) (*http.Response, error) {
	c.n.Add(1)
	return http.DefaultTransport.RoundTrip(r)
}

func settings(endpoint string, transport http.RoundTripper) aws.Config {
	return aws.Config{
		Region: motolocal.Region, BaseEndpoint: aws.String(endpoint), HTTPClient: &http.Client{Transport: transport},
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	}
}

func TestSecrets(t *testing.T) {
	wire := new(counted)
	in := settings(motolocal.Endpoint(t), wire)
	client := ssm.NewFromConfig(in)
	want := map[string]string{}
	var names []string
	for i := range 23 {
		name := fmt.Sprintf("/verdetto/secret-%02d", i)
		names = append(names, name)
		if i == 4 || i == 17 {
			continue
		}
		want[name] = fmt.Sprintf("value %d, ü", i)
		kind := types.ParameterTypeSecureString
		if i%5 == 0 {
			kind = types.ParameterTypeString
		}
		if _, err := client.PutParameter(t.Context(), &ssm.PutParameterInput{Overwrite: aws.Bool(true),
			Name: aws.String(name), Value: aws.String(want[name]), Type: kind}); err != nil {
			t.Fatal(err)
		}
	}
	wire.n.Store(0)
	got, err := ssmparams.NewReader(in)(t.Context(), names)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if n := wire.n.Load(); n != 3 {
		t.Errorf("%d requests for 23 secrets, want 3", n)
	}
}

func TestConfiguration(t *testing.T) {
	endpoint := motolocal.Endpoint(t)
	in := settings(endpoint, http.DefaultTransport)
	client := ssm.NewFromConfig(in)
	const pepper = "a pepper of thirty-two characters or more"
	for name, value := range map[string]string{"/verdetto/pepper": pepper,
		"/verdetto/origin": "first-origin-secret,second-origin-secret", "/verdetto/short": "too-short-it-is"} {
		if _, err := client.PutParameter(t.Context(), &ssm.PutParameterInput{Overwrite: aws.Bool(true),
			Name: aws.String(name), Value: aws.String(value), Type: types.ParameterTypeSecureString}); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("VERDETTO_TABLE", "verdetto")
	t.Setenv("VERDETTO_PEPPER", "ssm:/verdetto/pepper")
	t.Setenv("VERDETTO_ORIGIN_SECRETS", "ssm:/verdetto/origin")
	t.Setenv("STRIPE_KEY", "ssm:/verdetto/not-asked-for")
	var table config.Store
	var access config.HTTP
	if err := config.LoadWith(ssmparams.NewReader(in), &table, &access); err != nil {
		t.Fatal(err)
	}
	want := config.HTTP{OriginSecrets: []string{"first-origin-secret", "second-origin-secret"},
		Secret: config.Secret{Pepper: pepper}}
	if diff := cmp.Diff(want, access); diff != "" || table.Table != "verdetto" {
		t.Error(diff, table)
	}

	t.Setenv("VERDETTO_ORIGIN_SECRETS", "ssm:/verdetto/short")
	t.Setenv("TRAVELPAYOUTS_TOKEN", "ssm:/verdetto/none")
	err := config.LoadWith(ssmparams.NewReader(in), &config.HTTP{}, &config.Upstream{})
	if err == nil || !strings.Contains(err.Error(), "value 1 is not 16 characters") ||
		!strings.Contains(err.Error(), "TRAVELPAYOUTS_TOKEN: there is no secret named /verdetto/none") ||
		strings.Contains(err.Error(), "too-short") {
		t.Error(err)
	}
}

type refusing struct{}

func (refusing) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 400, Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.1"}},
		Body:   io.NopCloser(strings.NewReader(`{"__type":"AccessDeniedException","Message":"not authorized to perform: ssm:GetParameters"}`))}, nil
}

func TestRefused(t *testing.T) {
	t.Setenv("VERDETTO_PEPPER", "ssm:/verdetto/pepper")
	t.Setenv("VERDETTO_ORIGIN_SECRETS", "short")
	err := config.LoadWith(ssmparams.NewReader(settings("http://ssm.invalid", refusing{})), &config.HTTP{})
	if err == nil {
		t.Fatal("no error")
	}
	for _, say := range []string{"VERDETTO_PEPPER: the secret named /verdetto/pepper could not be read",
		"not authorized", "value 1 is not 16 characters"} {
		if !strings.Contains(err.Error(), say) {
			t.Errorf("%q is not in: %v", say, err)
		}
	}
}
