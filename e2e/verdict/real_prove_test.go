package verdict

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"verdetto/cmd/lambdalocal/runtimeapi"
	"verdetto/e2e/fixture"
	"verdetto/functions/refresh"
	"verdetto/shared/published"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/verdict"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"
)

func event(t testing.TB, target string) []byte {
	t.Helper()
	data, err := os.ReadFile(fixture.Path(t, "events", "analisi.json"))
	if err != nil {
		t.Fatal(err)
	}
	var e events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(data, &e); err != nil {
		t.Fatal(err)
	}
	e.RawPath, e.RawQueryString, _ = strings.Cut(target, "?")
	e.RequestContext.HTTP.Path = e.RawPath
	data, err = json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestProveExecutablesOverDynamoDB(t *testing.T) {
	t.Parallel()
	o := recorded(t)
	want := fromPanel(t, o)
	endpoint := dynamolocal.Endpoint(t)
	for _, fill := range []bool{true, false} {
		environment, done, err := o.Seed(t.Context(), endpoint, fill)
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		var logs bytes.Buffer
		if !fill {
			process, err := runtimeapi.Start(t.Context(), fixture.Executable(t, "functions/refresh/bootstrap"),
				environment, &logs)
			if err != nil {
				t.Fatal(err, logs.String())
			}
			defer process.Close()
			answer, err := process.Invoke(t.Context(), []byte(`{"origins":["MIL","LON"]}`))
			var report refresh.Report
			if err == nil {
				err = json.Unmarshal(answer.Payload, &report)
			}
			if err != nil || answer.Error != "" || report.Answered != 2 || report.New == 0 {
				t.Fatalf("%v %s %s\n%s", err, answer.Error, answer.Payload, logs.String())
			}
		}
		process, err := runtimeapi.Start(t.Context(), fixture.Executable(t, "functions/analisi/bootstrap"),
			environment, &logs)
		if err != nil {
			t.Fatal(err, logs.String())
		}
		defer process.Close()
		for name, target := range asked {
			answer, err := process.Invoke(t.Context(), event(t, target))
			if err != nil || answer.Error != "" {
				t.Fatal(err, answer.Error, logs.String())
			}
			var response events.APIGatewayV2HTTPResponse
			if err := json.Unmarshal(answer.Payload, &response); err != nil {
				t.Fatal(err)
			}
			var a published.Analysis
			if err := json.Unmarshal([]byte(response.Body), &a); err != nil || response.StatusCode != http.StatusOK {
				t.Fatalf("%s: %d %s", name, response.StatusCode, response.Body)
			}
			if fill {
				if diff := cmp.Diff(want[name], a); diff != "" {
					t.Errorf("%s: %s", name, diff)
				}
			} else if a.Verdetto.Livello != string(verdict.Unjudged) || !a.AggiornatoIl.Equal(want[name].AggiornatoIl) {
				t.Errorf("after one week %s is judged %+v", name, a.Verdetto)
			}
		}
	}
}
