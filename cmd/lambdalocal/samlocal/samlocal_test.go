package samlocal

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWithin(t *testing.T) {
	t.Setenv("VERDETTO_SAM_NETWORK", "own")
	if command, err := Within(t.Context(), "true"); !errors.Is(err, ErrNoEngine) {
		t.Errorf("%v %v", command, err)
	}
}

func TestLogged(t *testing.T) {
	const next = `failed to get the next invoke: Get "http://127.0.0.1:9001/2018-06-01/runtime/invocation/next": `
	const output = "Invoking bootstrap\nSAM_CONTAINER_ID: 1\n{\"a\":1}\nSTART RequestId: 1 Version: $LATEST\nEND " +
		"RequestId: 1\nREPORT RequestId: 1\nplain\n\n" +
		"2026/11/22 00:01:23 " + next + "read tcp 127.0.0.1:47324->127.0.0.1:9001: read: connection reset by peer\n" +
		"2026/11/22 00:01:23 failed to get the next secret\n" + next + "\n"
	if diff := cmp.Diff("{\"a\":1}\nplain\n2026/11/22 00:01:23 failed to get the next secret\n"+next+"\n",
		string(logged([]byte(output)))); diff != "" {
		t.Error(diff)
	}
}

func TestGateway(t *testing.T) {
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		_, _ = io.WriteString(w, r.Host+r.URL.Path)
	}))
	defer behind.Close()
	g, err := openGateway("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	for _, value := range []string{"verdetto", "https://verdetto.example", behind.URL + "/123456789012/queue",
		"ssm:/verdetto/pepper", ""} {
		if got, err := g.reach(value); err != nil || got != value {
			t.Errorf("%q became %q (%v)", value, got, err)
		}
	}
	door, err := g.reach(behind.URL)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := g.reach(behind.URL); err != nil || again != door {
		t.Errorf("%q, then %q (%v)", door, again, err)
	}
	at, err := url.Parse(door)
	if err != nil || at.Scheme != "https" || at.Hostname() != gatewayName {
		t.Fatalf("%q %v", door, err)
	}
	ask := func(trusted []byte) (string, error) {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(trusted)
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool,
			ServerName: gatewayName}}}
		response, err := client.Get("https://127.0.0.1:" + at.Port() + "/path")
		if err != nil {
			return "", err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		return string(body), err
	}
	if got, err := ask(g.certificate); err != nil || got != strings.TrimPrefix(behind.URL, "http://")+"/path" {
		t.Errorf("%q %v", got, err)
	}
	if got, err := ask(nil); err == nil {
		t.Errorf("believed without its certificate: %q", got)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "asset"), 0o755); err != nil {
		t.Fatal(err)
	}
	made := template{folder: dir, Resources: map[string]resource{
		"AnalisiFunction": {Type: functionType, Metadata: map[string]any{"aws:asset:path": "asset"},
			Properties: map[string]any{
				"Handler": "bootstrap", "Architectures": []any{"riscv"},
				"Environment": map[string]any{"Variables": map[string]any{"VERDETTO_TABLE": map[string]any{"Ref": "Table"},
					"VERDETTO_PEPPER": "ssm:/verdetto/callers-pepper", "KEPT": "as it is"}},
			}},
		"Table": {Type: "AWS::DynamoDB::Table"},
	}}
	file := filepath.Join(dir, "out.json")
	environment := map[string]string{"VERDETTO_TABLE": "mine", "VERDETTO_PEPPER": "ssm:/verdetto/pepper",
		"STRIPE_KEY": "of another function", "AWS_ENDPOINT_URL_SSM": "https://here"}
	if err := made.write(file, environment, []byte("certificate")); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var written template
	if err := json.Unmarshal(data, &written); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"VERDETTO_TABLE": "mine", "VERDETTO_PEPPER": "ssm:/verdetto/callers-pepper",
		"KEPT": "as it is", "AWS_ENDPOINT_URL_SSM": "https://here"}
	if diff := cmp.Diff(want, written.Resources["AnalisiFunction"].variables()); diff != "" {
		t.Error(diff)
	}
	if p := written.Resources["AnalisiFunction"].Properties; p["Handler"] != "bootstrap" ||
		strings.Contains(string(data), "riscv") {
		t.Errorf("%v", p)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "asset", certificateFile)); err != nil ||
		string(got) != "certificate" {
		t.Errorf("%q %v", got, err)
	}
}
