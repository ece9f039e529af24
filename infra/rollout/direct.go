package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"verdetto/shared/web/routes"
)

// direct is an HTTP transport that invokes given versions of the functions without CloudFront and API
// Gateway.
type direct struct {
	*rollout
	versions map[string]string
	secret   string
	// address is random in a range for tests (RFC 2544), so two runs hardly ever share a quota.
	address string
}

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("read request: %w", err)
	}
	event := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RawPath: r.URL.Path, RawQueryString: r.URL.RawQuery, Body: string(body),
		Headers: map[string]string{"host": r.URL.Host, "x-origin-secret": d.secret,
			"cloudfront-viewer-address": d.address},
		RequestContext: events.APIGatewayV2HTTPRequestContext{Stage: "$default",
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{Method: r.Method, Path: r.URL.Path,
				Protocol: "HTTP/1.1", SourceIP: "198.18.0.0"}},
	}
	for name, values := range r.Header {
		event.Headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	payload, err := json.Marshal(event)
	if err != nil {
		return nil, fmt.Errorf("write event: %w", err)
	}
	function := routes.ShareOf(r.URL.Path).Function
	if payload, err = d.invoke(r.Context(), function, d.versions[function], payload); err != nil {
		return nil, err
	}
	var answer events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(payload, &answer); err != nil || answer.StatusCode == 0 {
		return nil, fmt.Errorf("version %s of %s gives no answer of HTTP: %.500s", d.versions[function], function,
			payload)
	}
	out := &http.Response{StatusCode: answer.StatusCode, Header: http.Header{}, Request: r,
		Body: io.NopCloser(strings.NewReader(answer.Body))}
	if answer.IsBase64Encoded {
		out.Body = io.NopCloser(base64.NewDecoder(base64.StdEncoding, strings.NewReader(answer.Body)))
	}
	for name, value := range answer.Headers {
		out.Header.Set(name, value)
	}
	return out, nil
}
