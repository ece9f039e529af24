package lambdahttp

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"
)

func TestEventsArrive(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "events", "analisi*.json"))
	if err != nil || len(files) < 4 {
		t.Fatalf("%d events: %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var event events.APIGatewayV2HTTPRequest
		if err := json.Unmarshal(data, &event); err != nil {
			t.Fatal(err)
		}
		r, err := Request(context.Background(), event)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if r.Method != event.RequestContext.HTTP.Method || r.URL.Path != event.RawPath ||
			r.URL.RawQuery != event.RawQueryString ||
			r.Host != "verdetto.example" ||
			r.Header.Get("CloudFront-Viewer-Address") != event.Headers["cloudfront-viewer-address"] ||
			r.RemoteAddr != "203.0.113.9:0" {
			t.Errorf("%s: %+v", file, r)
		}
	}
}

func TestRequestAndResponse(t *testing.T) {
	http2 := func(method string) events.APIGatewayV2HTTPRequestContext {
		return events.APIGatewayV2HTTPRequestContext{HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{Method: method}}
	}
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("Cookie"))
		w.Header().Add("Vary", "Origin")
		w.Header().Add("Vary", "Accept")
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "1"})
		http.SetCookie(w, &http.Cookie{Name: "b", Value: "2"})
		w.WriteHeader(http.StatusTeapot)
		w.Header().Set("X-Late", "yes")
		w.Write(body)
	})
	for _, c := range []struct {
		name  string
		event events.APIGatewayV2HTTPRequest
		want  events.APIGatewayV2HTTPResponse
	}{
		{"text", events.APIGatewayV2HTTPRequest{RawPath: "/p", RawQueryString: "a=%C3%A9&a=%ff", Body: "hello",
			Cookies: []string{"x=1", "y=2"}, RequestContext: http2("POST")},
			events.APIGatewayV2HTTPResponse{Headers: map[string]string{"X-Seen": "POST /p?a=%C3%A9&a=%ff x=1; y=2"},
				Body: "hello"}},
		{"bytes", events.APIGatewayV2HTTPRequest{RawPath: "/p", Body: "/v8=", IsBase64Encoded: true,
			RequestContext: http2("PUT")},
			events.APIGatewayV2HTTPResponse{Headers: map[string]string{"X-Seen": "PUT /p "}, Body: "/v8=",
				IsBase64Encoded: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Adapt(echo)(context.Background(), c.event)
			if err != nil {
				t.Fatal(err)
			}
			c.want.StatusCode = http.StatusTeapot
			c.want.Cookies = []string{"a=1", "b=2"}
			c.want.Headers["Vary"] = "Origin, Accept"
			delete(got.Headers, "Content-Type")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNotAnEvent(t *testing.T) {
	for name, event := range map[string]events.APIGatewayV2HTTPRequest{
		"empty": {},
		"a method that is none": {RequestContext: events.APIGatewayV2HTTPRequestContext{
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{Method: "GET /"}}},
		"bad base64": {Body: "%%%", IsBase64Encoded: true,
			RequestContext: events.APIGatewayV2HTTPRequestContext{HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{Method: "GET"}}},
	} {
		if _, err := Adapt(http.NotFoundHandler())(context.Background(), event); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestPath(t *testing.T) {
	for _, c := range []struct{ raw, stage, routeKey, want string }{
		{"/prod/v1/analisi", "prod", "", "/v1/analisi"},
		{"/page/v1/analisi", "$default", "ANY /{proxy+}", "/page/v1/analisi"},
		{"/page/v1/analisi", "$default", "$default", "/v1/analisi"},
		{"/alerts/v1/alerts", "$default", "ANY /alerts/{proxy+}", "/v1/alerts"},
	} {
		event := events.APIGatewayV2HTTPRequest{RawPath: c.raw, RouteKey: c.routeKey,
			RequestContext: events.APIGatewayV2HTTPRequestContext{
				Stage: c.stage, HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{Method: "GET"}}}
		if r, err := Request(t.Context(), event); err != nil || r.URL.Path != c.want {
			t.Errorf("%s: %v %v, want %s", c.raw, r.URL, err, c.want)
		}
	}
}

func TestRequestIDs(t *testing.T) {
	for given, want := range map[string]string{"JKJaXmPLvHcESHA=": "JKJaXmPLvHcESHA=", "": ""} {
		event := events.APIGatewayV2HTTPRequest{RawPath: "/",
			Headers: map[string]string{"x-request-id": "the-callers-own"},
			RequestContext: events.APIGatewayV2HTTPRequestContext{
				RequestID: given, HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{Method: "GET"}}}
		r, err := Request(context.Background(), event)
		if err != nil || r.Header.Get("X-Request-Id") != want {
			t.Errorf("%q: %q %v", given, r.Header.Get("X-Request-Id"), err)
		}
	}
}

func TestOtherEvents(t *testing.T) {
	others := 0
	f := AdaptWith(http.NotFoundHandler(), func(context.Context, json.RawMessage) (any, error) {
		others++
		return "other", nil
	})
	for raw, http := range map[string]bool{
		`{"requestContext":{"http":{"method":"GET"}},"rawPath":"/"}`: true,
		`{"source":"aws.events","detail-type":"Scheduled Event"}`:    false,
		`"text"`: false,
	} {
		got, err := f(context.Background(), json.RawMessage(raw))
		response, ok := got.(events.APIGatewayV2HTTPResponse)
		if err != nil || ok != http || http && response.StatusCode != 404 {
			t.Errorf("%s: %v %v", raw, got, err)
		}
	}
	if others != 2 {
		t.Errorf("%d other events", others)
	}
}
