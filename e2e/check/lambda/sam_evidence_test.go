package lambda

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/lambdalocal/localcloud"
	"verdetto/cmd/lambdalocal/samlocal"
	"verdetto/e2e/fixture"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/upstream/sample"
	"verdetto/shared/web/routes"
)

// TestEvidenceSAMInvoke runs the events of TestEvents with sam local invoke.
func TestEvidenceSAMInvoke(t *testing.T) {
	withSAM(t, func(t *testing.T, local *samlocal.Local) {
		begun := time.Now()
		names := eachEvent(t, localcloud.Setup{CreateTable: local.CreateTable}, nil, false, func(t *testing.T, e event, environment []string, logs io.Writer) []byte {
			answer, err := local.Invoke(t.Context(), e.function, environment, e.file, logs)
			if err != nil {
				t.Fatal(err)
			}
			return answer
		})
		t.Logf("%d events in %.0f s, in the image %s", len(names), time.Since(begun).Seconds(), local.Image)
	})
}

func TestEvidenceSAMStartAPI(t *testing.T) {
	withSAM(t, func(t *testing.T, local *samlocal.Local) {
		at := fixture.Today
		o := localcloud.Setup{Source: sample.New(), Now: func() time.Time { return at }, Log: slog.New(slog.DiscardHandler), CreateTable: local.CreateTable}
		environment, done, err := o.Seed(t.Context(), dynamolocal.Endpoint(t), true)
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		var logs bytes.Buffer
		address, stop, err := local.Start(t.Context(), "start-api", newCloud(t, environment).Environment, &logs)
		if err != nil {
			t.Fatalf("%v\n%s", err, &logs)
		}
		defer func() {
			stop()
			if t.Failed() {
				t.Logf("SAM said:\n%s", &logs)
			}
		}()
		client := &http.Client{Timeout: 3 * time.Minute}
		const secret = "local-origin-secret"
		for _, c := range []struct {
			name, method, path, body, secret string
			status                           int
			says                             string
		}{
			{"verdict", "GET", "/v1/analisi?origine=Milano&destinazione=Bucarest", "", secret, 200, `"livello":"buono"`},
			{"by its other path", "GET", "/api/v1/analisi?origine=Milano&destinazione=Bucarest", "", secret, 200, `"livello":"buono"`},
			{"page", "GET", "/", "", secret, 200, `<main id="main">`},
			{"price trends", "GET", "/v1/price-trends?origin=MIL", "", secret, 200, `"destinations"`},
			{"pay by card", "POST", "/api/v1/pro/checkout", `{"email":"ada@example.com"}`, secret, 200, `"url":"http://127.0.0.1`},
			{"alert", "POST", "/api/v1/alerts", `{"route":"MIL-BUH","email":"ada@example.com","threshold":40}`, secret, 202, ""},
			{"nothing", "GET", "/v1/nothing", "", secret, 404, `"code":`},
			{"not through the distribution", "GET", "/v1/analisi?origine=Milano&destinazione=Bucarest", "", "a guess at the secret", 403, `"code":`},
		} {
			t.Run(c.name, func(t *testing.T) {
				path, _, _ := strings.Cut(c.path, "?")
				response, text := fixture.Call(t, client, c.method, "http://"+address+"/"+routes.ShareOf(path).Name+c.path, c.body, "X-Origin-Secret", c.secret,
					"CloudFront-Viewer-Address", "203.0.113.7:4711", "Content-Type", "application/json")
				if response.StatusCode != c.status || !strings.Contains(text, c.says) {
					t.Errorf("status %d, want %d with %q:\n%.500s", response.StatusCode, c.status, c.says, text)
				}
				if strings.HasPrefix(response.Header.Get("Content-Type"), "application/") && !json.Valid([]byte(text)) {
					t.Errorf("not JSON: %.200s", text)
				}
			})
		}
	})
}
