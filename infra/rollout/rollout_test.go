package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	ssmtypes "github.com/aws/aws-sdk-go-v2/service/ssm/types"
	"github.com/google/go-cmp/cmp"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/functions/refresh"
	"verdetto/shared/carrier/mail/sesmail/motolocal"
	"verdetto/shared/runtime/lambdahttp"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

const secret = "an-origin-secret-of-a-test"

type account struct {
	t       *testing.T
	rollout *rollout
	service http.Handler
	refresh *refresh.Function
	faults  map[string]string // by version, such as "pro:2"
	tried   map[string]bool
	failing int // number of the write that fails, from 1; an even write takes effect before it fails
	writes  int
	output  bytes.Buffer
}

func newAccount(t *testing.T) *account {
	t.Helper()
	clock := storetest.NewClock()
	table := fixture.Bolt(t, clock.Now)
	a := &account{t: t, faults: map[string]string{}, tried: map[string]bool{},
		service: fixture.New(t, onemachine.Options{Table: table, Now: clock.Now, Mail: t.TempDir(),
			BaseURL: fixture.LocalURL, LocalURL: fixture.LocalURL}).API,
		refresh: &refresh.Function{Refresher: refresh.Refresher{Fares: store.Fares{Table: table}, Now: clock.Now},
			Log: slog.New(slog.DiscardHandler)},
	}
	moto, err := url.Parse(motolocal.Endpoint(t))
	if err != nil {
		t.Fatal(err)
	}
	behind := httputil.NewSingleHostReverseProxy(moto)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, ok := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/2015-03-31/functions/verdetto-"),
			"/invocations"); ok {
			a.invoked(w, r, name)
			return
		}
		if r.Method == http.MethodGet || r.Header.Get("X-Amz-Target") != "" {
			behind.ServeHTTP(w, r)
			return
		}
		if a.writes++; a.writes != a.failing {
			behind.ServeHTTP(w, r)
			return
		}
		if a.failing%2 == 0 {
			behind.ServeHTTP(httptest.NewRecorder(), r)
		}
		http.Error(w, `{"message":"failed"}`, http.StatusBadRequest) // the SDK does not retry a 400
	}))
	t.Cleanup(server.Close)
	settings := aws.Config{Region: motolocal.Region, BaseEndpoint: aws.String(server.URL),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", "")}
	a.rollout = &rollout{Name: "verdetto", Account: "123456789012", Region: motolocal.Region,
		lambda: lambda.NewFromConfig(settings), parameters: ssm.NewFromConfig(settings), out: &a.output}
	if _, err := a.rollout.parameters.PutParameter(t.Context(),
		&ssm.PutParameterInput{Name: aws.String("/verdetto/origin-secrets"), Value: aws.String(secret + ",next"),
			Type: ssmtypes.ParameterTypeSecureString}); err != nil {
		t.Fatal(err)
	}
	a.role(moto)
	for _, f := range functions() {
		_, err := a.rollout.lambda.CreateFunction(t.Context(),
			&lambda.CreateFunctionInput{FunctionName: a.rollout.full(f), Runtime: types.RuntimeProvidedal2023,
				Handler: aws.String("bootstrap"),
				Role:    aws.String("arn:aws:iam::123456789012:role/verdetto"),
				Code:    &types.FunctionCode{ZipFile: code(t, "1")}})
		if err == nil {
			_, err = a.rollout.lambda.CreateAlias(t.Context(),
				&lambda.CreateAliasInput{FunctionName: a.rollout.full(f), Name: aws.String(live),
					FunctionVersion: aws.String(latest)})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	a.writes = 0
	return a
}

func (a *account) role(moto *url.URL) {
	a.t.Helper()
	form := url.Values{"Action": {"CreateRole"}, "Version": {"2010-05-08"}, "RoleName": {"verdetto"},
		"AssumeRolePolicyDocument": {
			`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"lambda.amazonaws.com"},"Action":"sts:AssumeRole"}]}`}}
	w, _ := fixture.Call(a.t, http.DefaultClient, "POST", moto.String()+"/", form.Encode(), "Content-Type",
		fixture.Form, "Authorization",
		"AWS4-HMAC-SHA256 Credential=local/20261121/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=0")
	if w.StatusCode != http.StatusOK {
		a.t.Fatal(w.Status)
	}
}

func code(t *testing.T, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("bootstrap")
	if err == nil {
		_, err = w.Write([]byte(content))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (a *account) invoked(w http.ResponseWriter, r *http.Request, function string) {
	version := r.URL.Query().Get("Qualifier")
	a.tried[function+":"+version] = true
	payload, err := io.ReadAll(r.Body)
	if err != nil {
		a.t.Error(err)
	}
	var answer any
	switch fault := a.faults[function+":"+version]; {
	case fault == "does not start":
		err = fmt.Errorf("Runtime.ExitError")
	case fault == "answers 500":
		answer = events.APIGatewayV2HTTPResponse{StatusCode: http.StatusInternalServerError, Body: "{}"}
	case function == "refresh":
		answer, err = a.refresh.Event(r.Context(), payload)
	default:
		var event events.APIGatewayV2HTTPRequest
		if err = json.Unmarshal(payload, &event); err == nil && event.Headers["x-origin-secret"] != secret {
			err = fmt.Errorf("a call without the secret of the edge")
		}
		if err == nil {
			// The local service reads the caller's address from the connection, not from CloudFront's header.
			event.RequestContext.HTTP.SourceIP, _, _ = strings.Cut(event.Headers["cloudfront-viewer-address"], ":")
			answer, err = lambdahttp.Adapt(a.service)(a.t.Context(), event) // r.Context() contains a local address, which requests on Lambda lack
		}
	}
	if err != nil {
		w.Header().Set("X-Amz-Function-Error", "Unhandled")
		answer = map[string]string{"errorMessage": err.Error()}
	}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		a.t.Error(err)
	}
}

func (a *account) deployed(content string, changed ...string) {
	a.t.Helper()
	for _, f := range changed {
		if _, err := a.rollout.lambda.UpdateFunctionCode(a.t.Context(),
			&lambda.UpdateFunctionCodeInput{FunctionName: a.rollout.full(f), ZipFile: code(a.t, content)}); err != nil {
			a.t.Fatal(err)
		}
	}
	a.writes = 0
}

func (a *account) live() map[string]string {
	a.t.Helper()
	versions := map[string]string{}
	for _, f := range functions() {
		alias, err := a.rollout.alias(a.t.Context(), f, live)
		if err != nil {
			a.t.Fatal(err)
		}
		versions[f] = aws.ToString(alias.FunctionVersion)
	}
	return versions
}

func (a *account) want(when, all string, but ...string) {
	a.t.Helper()
	want := map[string]string{}
	for _, f := range functions() {
		want[f] = all
	}
	for _, b := range but {
		f, version, _ := strings.Cut(b, "=")
		want[f] = version
	}
	if diff := cmp.Diff(want, a.live()); diff != "" {
		a.t.Errorf("%s (-want +live):\n%s\n%s", when, diff, &a.output)
	}
}

func (a *account) must(when string, do func(context.Context) error) {
	a.t.Helper()
	if err := do(a.t.Context()); err != nil {
		a.t.Fatalf("%s: %v\n%s", when, err, &a.output)
	}
}

func TestAFixGoesLiveWhileTheOldVersionFails(t *testing.T) {
	for _, fault := range []string{"answers 500", "does not start"} {
		a := newAccount(t)
		a.must("first deployment", a.rollout.forward)
		for _, f := range functions() {
			a.faults[f+":1"] = fault
		}
		a.deployed("2", "analisi", "refresh")
		a.must("the fix", a.rollout.forward)
		a.want("the old version "+fault, "1", "analisi=2", "refresh=2")
	}
}

func TestABrokenVersionDoesNotGoLive(t *testing.T) {
	a := newAccount(t)
	a.must("first deployment", a.rollout.forward)
	a.deployed("2", functions()...)
	for _, f := range functions() {
		for _, fault := range []string{"answers 500", "does not start"} {
			if f == "refresh" && fault == "answers 500" {
				continue
			}
			a.faults = map[string]string{f + ":2": fault}
			if err := a.rollout.forward(t.Context()); err == nil ||
				!strings.Contains(err.Error(), "callers have the versions from before") {
				t.Errorf("%s %s: %v", f, fault, err)
			}
			a.want(f+" "+fault, "1")
		}
		if !a.tried[f+":2"] {
			t.Errorf("%s was not tried", f)
		}
	}
	a.faults = nil
	a.must("the same versions, mended", a.rollout.forward)
	a.want("mended", "2")
}

func TestBack(t *testing.T) {
	a := newAccount(t)
	if err := a.rollout.back(t.Context()); err == nil || !strings.Contains(err.Error(), "nothing to go back to") {
		t.Errorf("before the first deployment: %v", err)
	}
	a.must("first deployment", a.rollout.forward)
	for n := 2; n < 60; n++ { // Lambda lists 50 versions a page
		a.deployed(fmt.Sprint(n), "analisi")
		if _, err := a.rollout.lambda.PublishVersion(t.Context(),
			&lambda.PublishVersionInput{FunctionName: a.rollout.full("analisi")}); err != nil {
			t.Fatal(err)
		}
	}
	a.deployed("2", "pro")
	a.must("deployment", a.rollout.forward)
	a.deployed("60", "analisi")
	a.must("deployment", a.rollout.forward)
	a.want("after 60", "1", "analisi=60", "pro=2")
	a.must("again, with nothing new", a.rollout.forward)
	for range 2 {
		a.must("back", a.rollout.back)
		a.want("gone back", "1", "analisi=59", "pro=2")
	}
	a.must("the same again", a.rollout.forward)
	a.want("forward", "1", "analisi=60", "pro=2")
	a.must("back", a.rollout.back)
	a.want("gone back a second time", "1", "analisi=59", "pro=2")
}

func TestInterruptedAnywhere(t *testing.T) {
	a := newAccount(t)
	a.must("first deployment", a.rollout.forward)
	for n := 1; ; n++ {
		content := fmt.Sprint(n + 1)
		a.deployed(content, functions()...)
		a.failing = n
		err := a.rollout.forward(t.Context())
		if err == nil {
			if n < 3*len(functions()) {
				t.Errorf("only %d writes", n)
			}
			return
		}
		a.failing = 0
		a.must("the next run", a.rollout.forward)
		a.want(fmt.Sprintf("after write %d failed", n), content)
		a.must("back", a.rollout.back)
		a.want(fmt.Sprintf("back, after write %d failed", n), fmt.Sprint(n))
		a.must("forward", a.rollout.forward)
		if t.Failed() {
			t.Fatal(err)
		}
	}
}

func TestAnotherAccount(t *testing.T) {
	a := newAccount(t)
	a.must("first deployment", a.rollout.forward)
	a.rollout.Account, a.writes = "210987654321", 0
	for name, do := range map[string]func(context.Context) error{"forward": a.rollout.forward, "back": a.rollout.back} {
		if err := do(t.Context()); err == nil || !strings.Contains(err.Error(), "another account") || a.writes > 0 {
			t.Errorf("%s: %d writes, %v", name, a.writes, err)
		}
	}
}

func TestFunctionsAreThoseOfTheFolders(t *testing.T) {
	mains, err := filepath.Glob(fixture.Path(t, "functions", "*", "bootstrap"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range mains {
		names = append(names, filepath.Base(filepath.Dir(m)))
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, functions()); diff != "" {
		t.Error(diff)
	}
}
