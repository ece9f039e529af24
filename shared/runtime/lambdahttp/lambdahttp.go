// Package lambdahttp connects API Gateway to net/http. Adapt converts HTTP API events (payload format 2.0).
package lambdahttp

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"

	"verdetto/shared/runtime/recorder"
)

func Main(h http.Handler) { lambda.Start(Adapt(h)) }

func MainWith(h http.Handler, other func(context.Context, json.RawMessage) (any, error)) {
	lambda.Start(AdaptWith(h, other))
}

func AdaptWith(h http.Handler, other func(context.Context, json.RawMessage) (any, error)) func(context.Context,
	json.RawMessage) (any, error) {
	answer := Adapt(h)
	return func(ctx context.Context, raw json.RawMessage) (any, error) {
		var event events.APIGatewayV2HTTPRequest
		if err := json.Unmarshal(raw, &event); err == nil && event.RequestContext.HTTP.Method != "" {
			return answer(ctx, event)
		}
		return other(ctx, raw)
	}
}

func Adapt(h http.Handler) func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse,
	error) {
	return func(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		r, err := Request(ctx, event)
		if err != nil {
			return events.APIGatewayV2HTTPResponse{}, fmt.Errorf("read event: %w", err)
		}
		w := &recorder.Recorder{}
		h.ServeHTTP(w, r)
		return responseOf(w), nil
	}
}

func Request(ctx context.Context, event events.APIGatewayV2HTTPRequest) (*http.Request, error) {
	var body io.Reader = strings.NewReader(event.Body)
	length := int64(len(event.Body))
	if event.IsBase64Encoded {
		raw, err := base64.StdEncoding.DecodeString(event.Body)
		if err != nil {
			return nil, fmt.Errorf("decode body: %w", err)
		}
		body, length = bytes.NewReader(raw), int64(len(raw))
	}
	method := event.RequestContext.HTTP.Method
	if method == "" {
		return nil, fmt.Errorf("not an HTTP API event of format 2.0: it has no method")
	}
	path := event.RawPath
	// The path starts with the name of the stage, except for the default stage.
	if stage := event.RequestContext.Stage; stage != "" && stage != "$default" {
		path = strings.TrimPrefix(path, "/"+stage)
	}
	// CloudFront puts the path of an API Gateway route, such as /page, before the path of the request.
	share := "/page"
	if _, route, ok := strings.Cut(event.RouteKey, " "); ok {
		share = strings.TrimSuffix(route, "/{proxy+}")
	}
	if rest, ok := strings.CutPrefix(path, share+"/"); ok {
		path = "/" + rest
	}
	r, err := http.NewRequestWithContext(ctx, method, "/", body)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	r.ContentLength = length
	// API Gateway decodes the path, but not the query string.
	r.URL = &url.URL{Path: path, RawQuery: event.RawQueryString}
	r.RequestURI = r.URL.RequestURI()
	for name, value := range event.Headers {
		r.Header.Set(name, value)
	}
	if len(event.Cookies) > 0 {
		r.Header.Set("Cookie", strings.Join(event.Cookies, "; "))
	}
	// The caller's id is dropped, because the log of API Gateway contains only the gateway's own id.
	r.Header.Del("X-Request-Id")
	if id := event.RequestContext.RequestID; id != "" {
		r.Header.Set("X-Request-Id", id)
	}
	r.Host = r.Header.Get("Host")
	r.RemoteAddr = event.RequestContext.HTTP.SourceIP + ":0"
	return r, nil
}

func responseOf(w *recorder.Recorder) events.APIGatewayV2HTTPResponse {
	w.WriteHeader(http.StatusOK)
	if w.Sent.Get("Content-Type") == "" && w.Body.Len() > 0 {
		w.Sent.Set("Content-Type", http.DetectContentType(w.Body.Bytes()))
	}
	out := events.APIGatewayV2HTTPResponse{StatusCode: w.Status, Headers: map[string]string{}}
	for name, values := range w.Sent {
		if name == "Set-Cookie" {
			out.Cookies = values
			continue
		}
		out.Headers[name] = strings.Join(values, ", ")
	}
	if b := w.Body.Bytes(); utf8.Valid(b) {
		out.Body = string(b)
	} else {
		out.Body, out.IsBase64Encoded = base64.StdEncoding.EncodeToString(b), true
	}
	return out
}
