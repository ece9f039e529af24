// Package lambda holds end-to-end tests of the Lambda executables, run as Lambda runs them.
package lambda

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/cmd/verdetto/runtimeapi"
	"verdetto/e2e/fixture"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/upstream/sample"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestEvents hands every committed event to the built executable that it is
// named for (refresh-origins.json goes to functions/refresh), over DynamoDB
// Local, and moto for SES, SQS and SSM, with invented fares on the day that the
// events are from. Secrets are given by name. An event without a golden file
// fails, as does a golden file without an event.
func TestEvents(t *testing.T) {
	names := eachEvent(t, onemachine.Options{}, *update, func(t *testing.T, function, event string, environment []string, logs io.Writer) []byte {
		payload, err := os.ReadFile(event)
		if err != nil {
			t.Fatal(err)
		}
		process, err := runtimeapi.Start(t.Context(), fixture.Executable(t, "functions/"+function+"/bootstrap"), environment, logs)
		if err != nil {
			t.Fatal(err)
		}
		defer process.Close() // what it has logged is then all there
		answer, err := process.Invoke(t.Context(), payload)
		if err != nil || answer.Error != "" {
			t.Fatal(err, answer.Error)
		}
		return answer.Payload
	})

	for name := range arounds {
		if !slices.Contains(names, name) {
			t.Errorf("there is no event %s any more", name)
		}
	}
	goldens, err := filepath.Glob(filepath.Join("testdata", "events", "*.golden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range goldens {
		if name := strings.TrimSuffix(filepath.Base(file), ".golden"); !slices.Contains(names, name) {
			t.Errorf("%s: there is no event of that name; delete it", file)
		}
	}
}

// eachEvent has every committed event answered, in an environment that run finds
// ready, and compares the answer with its golden file and the rest with what has
// to have come of it. It gives the names of the events.
func eachEvent(t *testing.T, o onemachine.Options, write bool, run func(t *testing.T, function, event string, environment []string, logs io.Writer) []byte) (names []string) {
	t.Helper()
	endpoint := dynamolocal.Endpoint(t)
	at := fixture.Today
	o.Source, o.Now, o.Log = sample.New(), func() time.Time { return at }, slog.New(slog.DiscardHandler)
	if o.CreateTable == nil {
		o.CreateTable = dynamostore.Create
	}
	full, done, err := o.SeedEnvironment(t.Context(), endpoint, true)
	if err != nil {
		t.Fatal(err)
	}
	defer done()

	files, err := filepath.Glob(fixture.Path(t, "events", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no events", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		names = append(names, name)
		t.Run(name, func(t *testing.T) {
			payload, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			function, _, _ := strings.Cut(name, "-")
			environment := slices.Concat(full, []string{"VERDETTO_PEPPER=" + eventPepper(name)})
			if function == "refresh" { // which finds nothing there yet
				table := name + "-" + rand.Text()
				if err := o.CreateTable(t.Context(), dynamolocal.Client(endpoint), table); err != nil {
					t.Fatal(err)
				}
				environment = append(environment, "VERDETTO_TABLE="+table)
			}

			cloud := newCloud(t, environment)
			environment = cloud.Environment
			around := arounds[name]
			if around.before != nil {
				environment = around.before(t, o, cloud, environment)
			}

			var logs bytes.Buffer
			defer func() {
				if t.Failed() {
					t.Logf("the executable said:\n%s", &logs)
				}
			}()
			answer := run(t, function, file, environment, &logs)
			if bytes.Contains(answer, []byte(`"statusCode":5`)) {
				t.Errorf("a fault of ours: %s", answer)
			}
			if fault := fixture.ReadDescription(t).EventFault(payload, answer); fault != "" {
				t.Errorf("not as functions/analisi/openapi.json describes it: %s", fault)
			}
			fixture.Golden(t, filepath.Join("testdata", "events", name+".golden"), readable(t, answer), write)
			if around.after != nil {
				around.after(t, o, cloud, environment)
			}
			metricsIn(t, logs.Bytes(), around.quiet)
			for _, fault := range faultsOfLog(logs.Bytes(), payload) {
				t.Error(fault)
			}
		})
	}
	return names
}

var secondsLeft = regexp.MustCompile(`;t=[0-9]+$`)

// readable indents an answer and sorts its keys. The body of an HTTP answer,
// which is JSON inside a JSON string, is opened; of a page the main part is kept. Nothing else is volatile than the
// seconds that are left of a window: the clock stands still to the hour that answers are given in, and fares are invented
// from it alone.
func readable(t *testing.T, payload []byte) []byte {
	t.Helper()
	var answer any
	if err := json.Unmarshal(payload, &answer); err != nil {
		t.Fatalf("%s: %v", payload, err)
	}
	if fields, ok := answer.(map[string]any); ok {
		if h, ok := fields["headers"].(map[string]any); ok && h["Ratelimit"] != nil {
			h["Ratelimit"] = secondsLeft.ReplaceAllString(h["Ratelimit"].(string), ";t=SECONDS")
		}
		if text, ok := fields["body"].(string); ok {
			var body any
			if json.Unmarshal([]byte(text), &body) == nil {
				fields["body"] = body
			} else if _, main, ok := strings.Cut(text, `<main id="main">`); ok { // a page: the frame around it is not this function's
				main, _, _ = strings.Cut(main, "</main>")
				fields["body"] = strings.Split(strings.TrimSpace(main), "\n")
			}
		}
	}
	var out bytes.Buffer
	pretty := json.NewEncoder(&out)
	pretty.SetEscapeHTML(false)
	pretty.SetIndent("", "  ")
	if err := pretty.Encode(answer); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
