package smoke

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"verdetto/shared/mail/sesmail/motolocal"
)

// lambda is moto in the place of Lambda, spoken to as the command line does.
type lambda struct {
	t        *testing.T
	endpoint string
}

func (l lambda) call(method, path string, in any) map[string]any {
	l.t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		l.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(l.t.Context(), method, l.endpoint+"/2015-03-31/functions"+path, bytes.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local/20261121/"+motolocal.Region+"/lambda/aws4_request, SignedHeaders=host, Signature=0")
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		l.t.Fatal(err)
	}
	defer w.Body.Close()
	answer, err := io.ReadAll(w.Body)
	if err != nil || w.StatusCode >= 300 {
		l.t.Fatalf("%s %s: %d %s %v", method, path, w.StatusCode, answer, err)
	}
	var out map[string]any
	if err := json.Unmarshal(answer, &out); err != nil {
		l.t.Fatalf("%s: %v", answer, err)
	}
	return out
}

// role makes the role of functions, without which there is none.
func (l lambda) role() {
	l.t.Helper()
	form := url.Values{"Action": {"CreateRole"}, "Version": {"2010-05-08"}, "RoleName": {"verdetto"}, "AssumeRolePolicyDocument": {
		`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"lambda.amazonaws.com"},"Action":"sts:AssumeRole"}]}`}}
	r, err := http.NewRequestWithContext(l.t.Context(), http.MethodPost, l.endpoint+"/", strings.NewReader(form.Encode()))
	if err != nil {
		l.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local/20261121/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=0")
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		l.t.Fatal(err)
	}
	defer w.Body.Close()
	if answer, _ := io.ReadAll(w.Body); w.StatusCode != http.StatusOK {
		l.t.Fatalf("make role: %d %s", w.StatusCode, answer)
	}
}

// code is an executable as it is uploaded.
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

// live is the version that the alias names.
func (l lambda) live(function string) string {
	return fmt.Sprint(l.call("GET", "/"+function+"/aliases/live", nil)["FunctionVersion"])
}

// goBack does what docs/deploy.md says, by the same calls: the version before the
// newest of all that are kept, and the alias to it.
func (l lambda) goBack(function string) {
	versions := l.call("GET", "/"+function+"/versions", nil)["Versions"].([]any)
	before := versions[len(versions)-2].(map[string]any)["Version"]
	l.call("PUT", "/"+function+"/aliases/live", map[string]any{"FunctionVersion": before})
}

// TestAFailedDeploymentGoesBack: a version is let in, the smoke test fails, the
// alias is pointed back, and the smoke test passes. Aliases are moto's; what
// answers behind them is the service, with and without a fault. (That CodeDeploy
// does the same by itself when an alarm is on is AWS's promise: nothing here can show it.)
func TestAFailedDeploymentGoesBack(t *testing.T) {
	l := lambda{t, motolocal.Endpoint(t)}
	const function = "verdetto-pricetrends"
	l.role()
	l.call("POST", "", map[string]any{"FunctionName": function, "Runtime": "provided.al2023", "Handler": "bootstrap",
		"Role": "arn:aws:iam::123456789012:role/verdetto", "Code": map[string]any{"ZipFile": code(t, "good")}, "Publish": true})
	l.call("POST", "/"+function+"/aliases", map[string]any{"Name": "live", "FunctionVersion": "1"})
	good := service(t, false)
	faulty := map[string]bool{"2": true}
	edge := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/v1") && faulty[l.live(function)] {
			http.Error(w, "the new version fails", http.StatusInternalServerError)
			return
		}
		good.ServeHTTP(w, r)
	})
	smoke := func() error {
		server := httptest.NewServer(edge)
		defer server.Close()
		return Run(t.Context(), server.Client(), server.URL, io.Discard)
	}
	if err := smoke(); err != nil {
		t.Fatalf("the first version: %v", err)
	}
	l.call("PUT", "/"+function+"/code", map[string]any{"ZipFile": code(t, "faulty"), "Publish": true})
	l.call("PUT", "/"+function+"/aliases/live", map[string]any{"FunctionVersion": "2"})
	if err := smoke(); err == nil || l.live(function) != "2" {
		t.Fatalf("version %s with its fault: %v", l.live(function), err)
	}
	l.goBack(function)
	if err := smoke(); err != nil || l.live(function) != "1" {
		t.Errorf("gone back to version %s: %v", l.live(function), err)
	}
}

// TestTheCommandsOfTheDocument: they are the calls that goBack makes.
func TestTheCommandsOfTheDocument(t *testing.T) {
	data, err := os.ReadFile("../../../docs/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`list-versions-by-function --function-name verdetto-\$f --query 'Versions\[-2\]\.Version'`,
		`update-alias --function-name verdetto-\$f --name live --function-version "\$before"`,
	} {
		if !regexp.MustCompile(want).Match(data) {
			t.Errorf("docs/deploy.md does not say %s", want)
		}
	}
}
