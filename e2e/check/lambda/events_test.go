// Package lambda holds end-to-end tests of the Lambda executables.
package lambda

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/lambdalocal/localcloud"
	"verdetto/cmd/lambdalocal/runtimeapi"
	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/upstream/sample"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The name of an event's file begins with the name of a function: refresh-origins.json goes to
// functions/refresh.
func TestEvents(t *testing.T) {
	names := eachEvent(t, localcloud.Setup{}, nil, *update, func(t *testing.T, e event, environment []string, logs io.Writer) []byte {
		process, err := runtimeapi.Start(t.Context(), fixture.Executable(t, "functions/"+e.function+"/bootstrap"), environment, logs)
		if err != nil {
			t.Fatal(err)
		}
		defer process.Close()
		answer, err := process.Invoke(t.Context(), e.payload)
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

const pepper = "local-pepper-that-is-32-bytes-long"

// operator has the values of infra/cdk/example.json.
var operator = []string{
	"VERDETTO_OPERATOR_NAME=Example Flights s.r.l.", "VERDETTO_OPERATOR_ADDRESS=Via Esempio 1, 20100 Milano, Italy",
	"VERDETTO_OPERATOR_EMAIL=help@verdetto.example.com", "VERDETTO_OPERATOR_PHONE=+39 02 0000000",
	"VERDETTO_OPERATOR_NUMBER=IT00000000000", "VERDETTO_OPERATOR_LAW=Italy",
}

type event struct {
	name, function string
	file           string
	payload        []byte
	around
}

// eachEvent restores the table after each event, so that events do not influence each other.
func eachEvent(t *testing.T, o localcloud.Setup, only []string, write bool, run func(t *testing.T, e event, environment []string, logs io.Writer) []byte) (names []string) {
	t.Helper()
	endpoint := dynamolocal.Endpoint(t)
	at := fixture.Today
	o.Source, o.Now, o.Log = sample.New(), func() time.Time { return at }, slog.New(slog.DiscardHandler)
	if o.CreateTable == nil {
		o.CreateTable = dynamostore.Create
	}
	o.Fill = routesOf{o.Source, map[fare.City]fare.City{"LON": "PRG", "MIL": "BUH", "VRN": ""}}
	full, done, err := o.Seed(t.Context(), endpoint, true)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	full = append(full, append(operator, "VERDETTO_PEPPER="+pepper)...)
	client := dynamolocal.Client(endpoint)
	seeded := snapshot(t, client, valueOf(full, "VERDETTO_TABLE"))
	empty := contents{table: "empty-" + rand.Text()}
	if err := o.CreateTable(t.Context(), client, empty.table); err != nil {
		t.Fatal(err)
	}

	files, err := filepath.Glob(fixture.Path(t, "events", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no events", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if only != nil && !slices.Contains(only, name) {
			continue
		}
		names = append(names, name)
		t.Run(name, func(t *testing.T) {
			payload, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			e := event{name: name, file: file, payload: payload, around: arounds[name]}
			e.function, _, _ = strings.Cut(name, "-")
			environment, before := full, seeded
			if e.function == "refresh" {
				environment, before = append(slices.Clone(full), "VERDETTO_TABLE="+empty.table), empty
			}

			cloud := newCloud(t, environment)
			environment = cloud.Environment
			defer before.restore(t, client)
			if e.before != nil {
				environment = e.before(t, o, cloud, environment)
			}

			var logs bytes.Buffer
			defer func() {
				if t.Failed() {
					t.Logf("the executable said:\n%s", &logs)
				}
			}()
			answer := run(t, e, environment, &logs)
			if bytes.Contains(answer, []byte(`"statusCode":5`)) && e.name != "compat-offers" {
				t.Errorf("a fault of ours: %s", answer)
			}
			if fault := fixture.ReadDescription(t).EventFault(payload, answer); fault != "" {
				t.Errorf("not as functions/analisi/reference/openapi.json describes it: %s", fault)
			}
			fixture.Golden(t, filepath.Join("testdata", "events", name+".golden"), readable(t, answer), write)
			if e.after != nil {
				e.after(t, o, cloud, environment)
			}
			metricsIn(t, logs.Bytes(), e.counts)
			for _, fault := range faultsOfLog(logs.Bytes(), payload) {
				t.Error(fault)
			}
		})
	}
	return names
}

var (
	secondsLeft = regexp.MustCompile(`;t=[0-9]+$`)
	styleHash   = regexp.MustCompile(`'sha256-[^']+'`)
)

func mask(headers map[string]any, name string, part *regexp.Regexp, with string) {
	if value, ok := headers[name].(string); ok {
		headers[name] = part.ReplaceAllString(value, with)
	}
}

func readable(t *testing.T, payload []byte) []byte {
	t.Helper()
	var answer any
	if err := json.Unmarshal(payload, &answer); err != nil {
		t.Fatalf("%s: %v", payload, err)
	}
	if fields, ok := answer.(map[string]any); ok {
		if h, ok := fields["headers"].(map[string]any); ok {
			mask(h, "Ratelimit", secondsLeft, ";t=SECONDS")
			mask(h, "Content-Security-Policy", styleHash, "'sha256-STYLE'")
		}
		if at, err := time.Parse(time.RFC3339, fmt.Sprint(fields["at"])); err == nil {
			fields["at"] = at.Truncate(time.Hour)
		}
		if text, ok := fields["body"].(string); ok {
			var body any
			if json.Unmarshal([]byte(text), &body) == nil {
				if token, ok := body.(map[string]any); ok && token["access_token"] != nil {
					token["access_token"] = "TOKEN" // the token contains its time of expiry
				}
				fields["body"] = body
			} else if _, main, ok := strings.Cut(text, `<main id="main">`); ok {
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
